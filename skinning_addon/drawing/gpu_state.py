"""Keeping Blender's GPU state as it was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gpu


@contextmanager
def preserved_state() -> Iterator[None]:
    """Put back depth test, depth mask, blending and line width as they were when the block began.

    Blender has no way to ask for point size and face culling; who sets those sets them back to Blender's default.
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
    """Let the block draw into all of `framebuffer`, of that size; then the one before is bound, as it was.

    On Vulkan binding a framebuffer again resets which part of it is drawn to: that is put back too.
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
