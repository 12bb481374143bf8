"""Lines in the space that the view's matrices are set for, by Blender's own shader."""

from __future__ import annotations

import gpu
import numpy as np
from numpy.typing import NDArray

from .rectangle import Color


def draw_line_strip(
    points: NDArray[np.float32], color: Color, width: float, viewport: tuple[int, int]
) -> None:
    """Draw from point to point (N, 3). width, viewport: in pixels. Makes buffers each time: for few lines."""
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, len(points))
    vertices.attr_fill("pos", np.ascontiguousarray(points, dtype=np.float32))
    batch = gpu.types.GPUBatch(type="LINE_STRIP", buf=vertices)
    shader.bind()
    shader.uniform_float("viewportSize", viewport)
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", color)
    batch.draw(shader)
