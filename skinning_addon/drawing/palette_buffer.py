"""The palette on the GPU, as read by the shaders' `joint_matrix(i)`.

There are two ways of storing it, each with its own file in gpu_shaders/lib; the number of joints decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.text.errors import BindingError
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows

UNIFORM_ROWS = 1023
"""Rows of 16 bytes, three for each of 341 joints, fill the 16 KiB that every OpenGL guarantees for a uniform
buffer; Blender can't report whether more is available. lib/palette_uniform.glsl declares the same number."""

PALETTE_TEXTURE_WIDTH = 1024
"""Texels in a row of the palette texture; lib/palette_texture.glsl counts on it."""


class PaletteBuffer(Protocol):
    """Owns the storage of one palette: a fixed number of joints, with a fixed number of rows each."""

    technique: str
    shader_file: str

    def upload(self, palettes: Sequence[NDArray[np.float32]]) -> None:
        """Send the rows of one or more palettes, as `palette_rows.packed` returns them, end to end.

        Raises:
            ValueError: their total number of joints differs from the buffer's.
        """

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the palette to `shader`, which must be bound."""

    def free(self) -> None:
        """Give the GPU's memory back."""


def palette_buffer(joint_count: int, rows_per_joint: int) -> PaletteBuffer:
    """Create the storage for `joint_count` joints, zero-filled until the first upload."""
    storage = UniformPalette if joint_count * rows_per_joint <= UNIFORM_ROWS else TexturePalette
    return storage(joint_count, rows_per_joint)


class _HostRows:
    """Staging memory for the rows, allocated once.

    memory: (rows, 4) float32, as long as declared in the shader: a uniform buffer shorter than declared still
    draws, perhaps silently wrong, and Blender's update checks neither length nor type.
    """

    def __init__(self, joint_count: int, rows_per_joint: int, row_count: int) -> None:
        self.memory = np.zeros((row_count, 4), dtype=np.float32)
        self._joints = self.memory[: joint_count * rows_per_joint].reshape(-1, rows_per_joint, 4)

    def fill(self, palettes: Sequence[NDArray[np.float32]]) -> None:
        count = sum(len(rows) for rows in palettes)
        if count != len(self._joints):
            raise ValueError(f"{count} joints for a palette of {len(self._joints)}")
        start = 0
        for rows in palettes:
            self._joints[start : start + len(rows), : rows.shape[1]] = rows
            start += len(rows)


class UniformPalette:
    """A uniform buffer: fastest to update, up to UNIFORM_ROWS rows."""

    technique = "uniform buffer"
    shader_file = "lib/palette_uniform.glsl"

    def __init__(self, joint_count: int, rows_per_joint: int) -> None:
        most = UNIFORM_ROWS // rows_per_joint
        if joint_count > most:
            raise BindingError(
                "{count} joints are too many for a uniform buffer, which is only sure to hold {most}; "
                "choose another technique.",
                rule="technique",
                count=joint_count,
                most=most,
            )
        self._host = _HostRows(joint_count, rows_per_joint, UNIFORM_ROWS)
        self._buffer: gpu.types.GPUUniformBuf | None = gpu.types.GPUUniformBuf(self._host.memory)

    def upload(self, palettes: Sequence[NDArray[np.float32]]) -> None:
        self._host.fill(palettes)
        self._buffer.update(self._host.memory)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        shader.uniform_block("skinPalette", self._buffer)

    def free(self) -> None:
        self._buffer = None


class TexturePalette:
    """A float texture: any number of joints, a new texture for each upload."""

    technique = "float texture"
    shader_file = "lib/palette_texture.glsl"

    def __init__(self, joint_count: int, rows_per_joint: int) -> None:
        row_count = (
            texel_rows(joint_count * rows_per_joint, PALETTE_TEXTURE_WIDTH, Message("The joints"))
            * PALETTE_TEXTURE_WIDTH
        )
        self._host = _HostRows(joint_count, rows_per_joint, row_count)
        self._texture: gpu.types.GPUTexture | None = None
        self._make_texture()

    def _make_texture(self) -> None:
        self._texture = float_texture(self._host.memory.reshape(-1, PALETTE_TEXTURE_WIDTH, 4))

    def upload(self, palettes: Sequence[NDArray[np.float32]]) -> None:
        self._host.fill(palettes)
        self._make_texture()

    def bind(self, shader: gpu.types.GPUShader) -> None:
        shader.uniform_sampler("skinPaletteRows", self._texture)

    def free(self) -> None:
        self._texture = None
