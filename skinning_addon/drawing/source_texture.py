"""Numbers by source vertex, for the shaders to fetch."""

from __future__ import annotations

from typing import ClassVar

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.text.message import Message
from .float_texture import float_texture, texel_rows

_VERTICES = Message("The vertices")

SOURCE_WIDTH = 1024
"""Source vertices in a row; lib/source_texel.glsl counts on it."""


class SourceTexture:
    """Owns an RGBA32F texture of one texel for each source vertex; created when it is first filled."""

    texel: ClassVar = (1, 4)
    """Texels for a vertex, and channels of each."""

    def __init__(self, name: str, vertex_count: int) -> None:
        self._name = name
        self._vertex_count = vertex_count
        self._memory: NDArray[np.float32] | None = None
        self._texture: gpu.types.GPUTexture | None = None
        self._is_own = True

    @property
    def is_filled(self) -> bool:
        """Whether there is anything to bind."""
        return self._texture is not None

    @property
    def values(self) -> NDArray[np.float32]:
        """The numbers of each vertex, (V, 3 or 4), those last sent; zeros at first. To be changed only by
        `fill`.
        """
        across, channels = self.texel
        return self._staged().reshape(-1, across * channels)[: self._vertex_count]

    def fill(self, values: NDArray[np.floating]) -> None:
        """Send (V, 1 to 4) numbers."""
        self.values[:, : values.shape[1]] = values
        self._texture = float_texture(self._staged())

    def _staged(self) -> NDArray[np.float32]:
        if self._memory is None:
            height = texel_rows(self._vertex_count, SOURCE_WIDTH, _VERTICES)
            across, channels = self.texel
            self._memory = np.zeros((height, SOURCE_WIDTH * across, channels), dtype=np.float32)
        return self._memory

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the texture to `shader`, which must be bound and declare it."""
        shader.uniform_sampler(self._name, self._texture)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._texture = None


class VectorTexture(SourceTexture):
    """Owns an R32F texture of three texels for each source vertex, next to each other: no texel has just three
    channels. Vectors lie in it as in an array, so that the positions of a heat map, which are sent for every
    frame, are copied as a whole.
    """

    texel: ClassVar = (3, 1)

    def fill(self, values: NDArray[np.floating]) -> None:
        """Send (V, 3) vectors; those in the memory that `vectors_to_send` gave are not copied first."""
        whole = values.base
        if not isinstance(whole, np.ndarray) or not _fills_texture(whole, values):
            self._own()
            super().fill(values)
            return
        across, channels = self.texel
        self._memory = whole.reshape(-1, SOURCE_WIDTH * across, channels)
        self._texture = float_texture(self._memory)
        self._is_own = False

    def _own(self) -> None:
        """Make sure that the memory is our own before writing to it."""
        if not self._is_own:
            self._memory, self._is_own = None, True


def vectors_to_send(count: int) -> NDArray[np.float32]:
    """Return memory for (count, 3) vectors that a `VectorTexture` sends as it is; not to be written to after
    that.
    """
    rows = texel_rows(count, SOURCE_WIDTH, _VERTICES)
    whole = np.empty(rows * SOURCE_WIDTH * 3, dtype=np.float32)
    whole[count * 3 :] = 0
    return whole[: count * 3].reshape(-1, 3)


def _fills_texture(whole: NDArray[np.generic], values: NDArray[np.floating]) -> bool:
    """Whether vectors (V, 3) lie at the beginning of memory that fills a texture's rows."""
    rows = texel_rows(len(values), SOURCE_WIDTH, _VERTICES)
    return (
        whole.dtype == values.dtype == np.float32
        and whole.shape == (rows * SOURCE_WIDTH * 3,)
        and values.flags.c_contiguous
        and whole.__array_interface__["data"] == values.__array_interface__["data"]
    )
