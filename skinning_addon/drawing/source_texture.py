"""Numbers by source vertex, for the shaders to fetch."""

from __future__ import annotations

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.text.message import Message
from .float_texture import float_texture, texel_rows

SOURCE_WIDTH = 1024
"""Texels in a row; lib/source_texel.glsl counts on it."""


class SourceTexture:
    """Owns an RGBA32F texture of one texel for each source vertex; created when it is first filled."""

    def __init__(self, name: str, vertex_count: int) -> None:
        self._name = name
        self._vertex_count = vertex_count
        self._memory: NDArray[np.float32] | None = None
        self._texture: gpu.types.GPUTexture | None = None

    @property
    def is_filled(self) -> bool:
        """Whether there is anything to bind."""
        return self._texture is not None

    def fill(self, values: NDArray[np.floating]) -> None:
        """Send (V, 1 to 4) numbers."""
        if self._memory is None:
            height = texel_rows(self._vertex_count, SOURCE_WIDTH, Message("The vertices"))
            self._memory = np.zeros((height, SOURCE_WIDTH, 4), dtype=np.float32)
        texels = self._memory.reshape(-1, 4)[: self._vertex_count]
        # Numpy is twice as fast coordinate by coordinate; a heat map does this every frame.
        for channel, column in enumerate(values.T):
            texels[:, channel] = column
        self._texture = float_texture(self._memory)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the texture to `shader`, which must be bound and declare it."""
        shader.uniform_sampler(self._name, self._texture)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._texture = None
