"""A uniform buffer whose content rarely changes."""

from __future__ import annotations

import gpu
import numpy as np
from numpy.typing import NDArray


class UniformBlock:
    """Owns a uniform buffer of (rows, 4) float32, uploaded again only if a number in it has changed."""

    def __init__(self, name: str, rows: int) -> None:
        self._name = name
        self._content = np.zeros((rows, 4), dtype=np.float32)
        self._buffer: gpu.types.GPUUniformBuf | None = gpu.types.GPUUniformBuf(self._content)

    def update(self, content: NDArray[np.float32]) -> None:
        """Set the content, (rows, 4)."""
        if not np.array_equal(content, self._content):
            self._content[:] = content
            self._buffer.update(self._content)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the block to `shader`, which must be bound and declare it."""
        shader.uniform_block(self._name, self._buffer)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._buffer = None
