"""The palettes of many instances on the GPU, in one texture: of a crowd, say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows
from .palette_buffer import PaletteBuffer
from .palette_rows import ROWS_OF_MATRIX, PaletteLayout
from .uniform_block import UniformBlock

INSTANCE_TEXTURE_WIDTH = 4096
"""Texels in a row; lib/palette_instances.glsl counts on it."""

TINT_ROWS = 1
"""After the rows of an instance's palette."""


class InstancePalette(PaletteBuffer):
    """A float texture that holds the palette of each instance, all of them anew for each pose.

    first: the instance that a draw call begins with. instances: how many there are in the last pose.
    """

    technique: ClassVar[str] = "float texture of all instances"
    shader_file: ClassVar[str] = "lib/palette_instances.glsl"

    def __init__(self, layout: PaletteLayout) -> None:
        """For linear blending, whose palettes are matrices."""
        self._rows_per_instance = layout.joint_count * layout.rows_per_joint + TINT_ROWS
        super().__init__(layout, self._rows_per_instance)
        self.first = self.instances = 0
        self._arrangement = UniformBlock("drawnInstances", 1)
        self._texels: NDArray[np.float32] = np.zeros((0, INSTANCE_TEXTURE_WIDTH, 4), dtype=np.float32)
        self._texture: gpu.types.GPUTexture | None = None

    def upload(self, palettes: Sequence[AnyPalette]) -> None:
        """Send the pose of a single instance: one palette of matrices."""
        (packed,) = self._layout.packed(palettes)
        matrices = np.zeros((1, len(packed), 4, 4), dtype=np.float32)
        matrices[0, :, :, :ROWS_OF_MATRIX] = packed.transpose(0, 2, 1)
        self.upload_instances(matrices)

    def upload_instances(
        self, matrices: NDArray[np.float32], tints: NDArray[np.floating] | None = None
    ) -> None:
        """Send the palettes (I, J, 4, 4) of all instances. tints: (I, 3), what their colours are multiplied by;
        white if left out.

        Raises:
            ValueError: the number of joints is another than the layout's.
            DeviceError: there are more than a texture holds.
        """
        instances, joints = matrices.shape[:2]
        if joints * ROWS_OF_MATRIX + TINT_ROWS != self._rows_per_instance:
            raise ValueError(f"{joints} joints in palettes of {self._rows_per_instance - TINT_ROWS} rows")
        rows = instances * self._rows_per_instance
        height = texel_rows(rows, INSTANCE_TEXTURE_WIDTH, Message("The palettes"))
        if len(self._texels) != height:
            self._texels = np.zeros((height, INSTANCE_TEXTURE_WIDTH, 4), dtype=np.float32)
        packed = self._texels.reshape(-1, 4)[:rows].reshape(instances, self._rows_per_instance, 4)
        matrix_rows = packed[:, :-TINT_ROWS].reshape(instances, joints, ROWS_OF_MATRIX, 4)
        matrix_rows[:] = matrices.transpose(0, 1, 3, 2)[:, :, :ROWS_OF_MATRIX]
        packed[:, -1, :3] = 1.0 if tints is None else tints
        self.byte_count, self.instances = packed.nbytes, instances
        self._send()

    def _send(self) -> None:
        self._texture = float_texture(self._texels)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the palettes to `shader`, which must be bound."""
        shader.uniform_sampler("instancePaletteRows", self._texture)
        self._arrangement.update(np.array([[self.first, self._rows_per_instance, 0, 0]], dtype=np.float32))
        self._arrangement.bind(shader)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._texture = None
        self._arrangement.free()
