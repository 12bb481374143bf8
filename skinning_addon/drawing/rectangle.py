"""Axis-aligned rectangles in pixel space, for legends and labels."""

from __future__ import annotations

from typing import NamedTuple

import gpu
import numpy as np

from .gpu_state import preserved_state
from .shader_library import ShaderVariant, compiled_shader
from .vertex_buffer import vertex_buffer

Color = tuple[float, float, float, float]

Size = tuple[int, int]
"""Width and height of the drawing area, in pixels; (0, 0) is its lower left corner."""


class Rectangle(NamedTuple):
    """In pixels, from the lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


_PLAIN = ShaderVariant("rectangle.vert.glsl", "rectangle.frag.glsl")
_PICTURE = ShaderVariant("rectangle.vert.glsl", "picture.frag.glsl")


class RectangleBatch:
    """Owns two triangles, stretched to any rectangle of pixels by the shader."""

    def __init__(self) -> None:
        corners = np.array(((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)), dtype=np.float32)
        self._batch: gpu.types.GPUBatch | None = gpu.types.GPUBatch(
            type="TRIS", buf=vertex_buffer({"corner": corners})
        )

    def draw(self, shader: gpu.types.GPUShader, viewport: Size, place: Rectangle) -> None:
        """Draw with `shader`, which must be bound, made with rectangle.vert.glsl, and otherwise set up."""
        across, up = 2 / viewport[0], 2 / viewport[1]
        left, bottom = place.left * across - 1, place.bottom * up - 1
        in_clip = (left, bottom, left + place.width * across, bottom + place.height * up)
        shader.uniform_float("rectangleInClip", in_clip)
        with preserved_state():
            gpu.state.depth_test_set("NONE")
            gpu.state.depth_mask_set(False)
            gpu.state.blend_set("ALPHA")
            self._batch.draw(shader)

    def draw_plain(self, viewport: Size, place: Rectangle, color: Color, radius: float = 0.0) -> None:
        """Draw a rectangle of one sRGB colour, with corners rounded by `radius` pixels."""
        shader = compiled_shader(_PLAIN)
        shader.bind()
        shader.uniform_float("rectangleColor", color)
        shader.uniform_float("rectangleShape", (place.width, place.height, radius))
        self.draw(shader, viewport, place)

    def draw_picture(self, viewport: Size, place: Rectangle, texture: gpu.types.GPUTexture) -> None:
        """Draw what an off-screen picture shows: sRGB, opacity premultiplied."""
        shader = compiled_shader(_PICTURE)
        shader.bind()
        shader.uniform_sampler("shownPicture", texture)
        self.draw(shader, viewport, place)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._batch = None
