"""Preserving Blender's GPU state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gpu


@contextmanager
def preserved_state() -> Iterator[None]:
    """Restore depth test, depth mask, blending and line width after the block.

    Blender can't report point size and face culling; code that sets them must reset them to Blender's
    default.
    """
    depth_test = gpu.state.depth_test_get()
    depth_mask = gpu.state.depth_mask_get()
    blend = gpu.state.blend_get()
    line_width = gpu.state.line_width_get()
    try:
        yield
    finally:
        gpu.state.depth_test_set(depth_test)
        gpu.state.depth_mask_set(depth_mask)
        gpu.state.blend_set(blend)
        gpu.state.line_width_set(line_width)


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
