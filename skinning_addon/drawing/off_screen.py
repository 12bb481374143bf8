"""An off-screen picture: drawn into, then read as pixels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import gpu
import numpy as np
from numpy.typing import NDArray

from .gpu_state import other_framebuffer


class Picture:
    """Owns an off-screen buffer with depth. Never create one inside a draw callback: that unbinds the
    viewport.

    Blender's own view goes in first, by `picture.offscreen.draw_view3d(..., do_color_management=True)`;
    anything drawn afterwards is depth-tested against it. Draw handlers do not run for it.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.offscreen: gpu.types.GPUOffScreen = gpu.types.GPUOffScreen(width, height, format="RGBA8")

    @contextmanager
    def drawing(self) -> Iterator[gpu.types.GPUFrameBuffer]:
        """Direct everything that the block draws into the picture."""
        with other_framebuffer(self.offscreen, self.width, self.height):
            yield gpu.state.active_framebuffer_get()

    def fill(self, color: tuple[float, float, float, float]) -> None:
        """Fill the whole picture with one sRGB colour, and reset the depth to the far end."""
        with self.drawing() as framebuffer:
            framebuffer.clear(color=color, depth=1.0)

    def pixels(self) -> NDArray[np.uint8]:
        """Read the picture: (height, width, 4), sRGB, the top row first."""
        memory = np.empty((self.height, self.width, 4), dtype=np.uint8)
        buffer = gpu.types.Buffer("UBYTE", memory.shape, memory)
        with self.drawing() as framebuffer:
            framebuffer.read_color(0, 0, self.width, self.height, 4, 0, "UBYTE", data=buffer)
        return np.ascontiguousarray(memory[::-1])

    def free(self) -> None:
        """Give the GPU's memory back; the picture can't be used afterwards."""
        self.offscreen.free()
