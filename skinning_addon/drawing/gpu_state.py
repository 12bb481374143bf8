"""Preserving Blender's GPU state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gpu


class preserved_state:
    """Restore depth test, depth mask, blending and line width after the block.

    Blender can't report point size and face culling; code that sets them must reset them to Blender's
    default. Not a generator, which takes twice as long: redraws do this twenty times.
    """

    __slots__ = ("_blend", "_depth_mask", "_depth_test", "_line_width")

    def __enter__(self) -> None:
        self._depth_test = gpu.state.depth_test_get()
        self._depth_mask = gpu.state.depth_mask_get()
        self._blend = gpu.state.blend_get()
        self._line_width = gpu.state.line_width_get()

    def __exit__(self, *_: object) -> None:
        gpu.state.depth_test_set(self._depth_test)
        gpu.state.depth_mask_set(self._depth_mask)
        gpu.state.blend_set(self._blend)
        gpu.state.line_width_set(self._line_width)


@contextmanager
def other_framebuffer(
    framebuffer: gpu.types.GPUFrameBuffer | gpu.types.GPUOffScreen, width: int, height: int
) -> Iterator[None]:
    """Make the block draw into all of `framebuffer`, of that size; then restore the previous one.

    On Vulkan, rebinding a framebuffer resets its viewport: that is restored too.
    """
    viewport = gpu.state.viewport_get()
    scissor = gpu.state.scissor_get()
    try:
        with framebuffer.bind():  # pyright: ignore[reportOptionalContextManager] - its stub forgets what it returns
            gpu.state.viewport_set(0, 0, width, height)
            yield
    finally:
        gpu.state.viewport_set(*viewport)
        gpu.state.scissor_set(*scissor)
