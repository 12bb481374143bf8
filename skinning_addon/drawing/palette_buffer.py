"""The palette on the GPU, as read by the shaders' `joint_matrix(i)`.

There are two ways of storing it, each with its own file in gpu_shaders/lib; the number of joints decides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.text.errors import BindingError
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows
from .palette_rows import PaletteLayout

UNIFORM_ROWS = 1023
"""Rows of 16 bytes, three for each of 341 joints, fill the 16 KiB that every OpenGL guarantees for a uniform
buffer; Blender can't report whether more is available. lib/palette_uniform.glsl declares the same number."""

PALETTE_TEXTURE_WIDTH = 1024
"""Texels in a row of the palette texture; lib/palette_texture.glsl counts on it."""

ROW_BYTES = 16
"""Four floats."""


class PaletteBuffer(ABC):
    """Owns the storage of a chain's palettes, where a pose arrives on the GPU.

    technique: in words. shader_file: reads this storage. byte_count: sent by `upload`, the rows of all joints.
    """

    technique: ClassVar[str]
    shader_file: ClassVar[str]

    def __init__(self, layout: PaletteLayout, row_count: int) -> None:
        """row_count: as declared in the shader. A uniform buffer shorter than that still draws, perhaps
        silently wrong, and Blender's update checks neither length nor type.
        """
        used = layout.joint_count * layout.rows_per_joint
        self.byte_count = used * ROW_BYTES
        self._layout = layout
        # Staging memory, allocated once: (row_count, 4) float32, the joints in front.
        self._rows = np.zeros((row_count, 4), dtype=np.float32)
        self._joints = self._rows[:used].reshape(-1, layout.rows_per_joint, 4)

    def upload(self, palettes: Sequence[AnyPalette]) -> None:
        """Send a frame's pose: one palette per pass, in order.

        Raises:
            ValueError: the number of palettes or of their joints is another than the layout's.
        """
        start = 0
        for rows in self._layout.packed(palettes):
            self._joints[start : start + len(rows), : rows.shape[1]] = rows
            start += len(rows)
        self._send()

    def upload_rows(self, rows: NDArray[np.float32]) -> None:
        """Send a frame's pose as `palette_rows.packed_rows` laid it out.

        Raises:
            ValueError: it has another number of rows.
        """
        joints = self._joints.reshape(-1, 4)
        if rows.shape != joints.shape:
            raise ValueError(f"rows {rows.shape} for a palette of {joints.shape}")
        joints[:] = rows
        self._send()

    @abstractmethod
    def _send(self) -> None:
        """Send the staged rows."""

    @abstractmethod
    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the palette to `shader`, which must be bound."""

    @abstractmethod
    def free(self) -> None:
        """Give the GPU's memory back."""


def palette_buffer(layout: PaletteLayout) -> PaletteBuffer:
    """Create the storage for a layout, zero-filled until the first upload."""
    fits = layout.joint_count * layout.rows_per_joint <= UNIFORM_ROWS
    return UniformPalette(layout) if fits else TexturePalette(layout)


class UniformPalette(PaletteBuffer):
    """A uniform buffer: fastest to update, up to UNIFORM_ROWS rows."""

    technique = "uniform buffer"
    shader_file = "lib/palette_uniform.glsl"

    def __init__(self, layout: PaletteLayout) -> None:
        most = UNIFORM_ROWS // layout.rows_per_joint
        if layout.joint_count > most:
            raise BindingError(
                "{count} joints are too many for a uniform buffer, which is only sure to hold {most}; "
                "choose another technique.",
                rule="technique",
                count=layout.joint_count,
                most=most,
            )
        super().__init__(layout, UNIFORM_ROWS)
        self._buffer: gpu.types.GPUUniformBuf | None = gpu.types.GPUUniformBuf(self._rows)

    def _send(self) -> None:
        self._buffer.update(self._rows)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        shader.uniform_block("skinPalette", self._buffer)

    def free(self) -> None:
        self._buffer = None


class TexturePalette(PaletteBuffer):
    """A float texture: any number of joints, a new texture for each upload."""

    technique = "float texture"
    shader_file = "lib/palette_texture.glsl"

    def __init__(self, layout: PaletteLayout) -> None:
        used = layout.joint_count * layout.rows_per_joint
        height = texel_rows(used, PALETTE_TEXTURE_WIDTH, Message("The joints"))
        super().__init__(layout, height * PALETTE_TEXTURE_WIDTH)
        self._texture: gpu.types.GPUTexture | None = None
        self._send()

    def _send(self) -> None:
        self._texture = float_texture(self._rows.reshape(-1, PALETTE_TEXTURE_WIDTH, 4))

    def bind(self, shader: gpu.types.GPUShader) -> None:
        shader.uniform_sampler("skinPaletteRows", self._texture)

    def free(self) -> None:
        self._texture = None
