"""Sampled clips on the GPU, and what each instance of a crowd hears of them: the GPU poses everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import gpu
import numpy as np
from numpy.typing import NDArray

from ..animation.sampled_clips import Heard
from ..core.blending.blend_palette import AnyPalette
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows
from .instance_palette import INSTANCE_TEXTURE_WIDTH
from .palette_buffer import PaletteBuffer
from .palette_rows import ROWS_OF_MATRIX, PaletteLayout
from .uniform_block import UniformBlock

PLACE_TEXELS = ROWS_OF_MATRIX
TINT_TEXELS = 1


class SampledPalette(PaletteBuffer):
    """Two float textures: the samples, which stay, and the clips that each instance plays, sent for each
    pose.

    first, instances: as `InstancePalette`'s. byte_count: sent for a pose.
    """

    technique: ClassVar[str] = "float texture of sampled clips"
    shader_file: ClassVar[str] = "lib/palette_sampled.glsl"

    def __init__(self, layout: PaletteLayout, samples: NDArray[np.float32]) -> None:
        """For linear blending. samples: palettes (S, J, 4, 4), mesh space to root space.

        Raises:
            ValueError: they are of another number of joints than the layout.
            DeviceError: there are more than a texture holds.
        """
        super().__init__(layout, layout.joint_count * layout.rows_per_joint)
        count, joints = samples.shape[:2]
        if (joints, layout.rows_per_joint) != (layout.joint_count, ROWS_OF_MATRIX):
            raise ValueError(f"samples of {joints} joints for a palette of {layout.joint_count}")
        self._rows_per_sample = joints * ROWS_OF_MATRIX
        rows = samples.transpose(0, 1, 3, 2)[:, :, :ROWS_OF_MATRIX]
        texels = _texels(count * self._rows_per_sample, Message("The samples"))
        texels.reshape(-1, 4)[: count * self._rows_per_sample] = rows.reshape(-1, 4)
        self._samples: gpu.types.GPUTexture | None = float_texture(texels)
        self._arrangement = UniformBlock("sampledCrowd", 1)
        self._heard: gpu.types.GPUTexture | None = None
        self._staged = texels[:0]
        self._tracks = 1
        self.first = self.instances = self.byte_count = 0

    def upload(self, palettes: Sequence[AnyPalette]) -> None:
        """Not a way to pose it: poses are sampled.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"{len(palettes)} palettes for sampled clips; call upload_heard")

    def upload_heard(self, heard: Heard, tints: NDArray[np.floating] | None = None) -> None:
        """Send what all instances hear. tints: (I, 3), what their colours are multiplied by; white if left out.

        Raises:
            DeviceError: there are more than a texture holds.
        """
        instances, self._tracks = heard.before.shape
        each = self._tracks + PLACE_TEXELS + TINT_TEXELS
        used = instances * each
        needed = texel_rows(used, INSTANCE_TEXTURE_WIDTH, Message("The instances"))
        if len(self._staged) != needed:
            self._staged = _texels(used, Message("The instances"))
        records = self._staged.reshape(-1, 4)[:used].reshape(instances, each, 4)
        for column, values in enumerate((heard.before, heard.after, heard.fraction, heard.weight)):
            records[:, : self._tracks, column] = values
        records[:, self._tracks : -TINT_TEXELS] = heard.places.transpose(0, 2, 1)[:, :ROWS_OF_MATRIX]
        records[:, -1, :3] = 1.0 if tints is None else tints
        self.byte_count, self.instances = records.nbytes, instances
        self._send()

    def _send(self) -> None:
        self._heard = float_texture(self._staged)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give samples and instances to `shader`, which must be bound."""
        shader.uniform_sampler("sampledRows", self._samples)
        shader.uniform_sampler("heardClips", self._heard)
        arrangement = np.array([[self.first, self._rows_per_sample, self._tracks, 0]], dtype=np.float32)
        self._arrangement.update(arrangement)
        self._arrangement.bind(shader)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._samples = self._heard = None
        self._arrangement.free()


def _texels(count: int, what: str) -> NDArray[np.float32]:
    height = texel_rows(count, INSTANCE_TEXTURE_WIDTH, what)
    return np.zeros((height, INSTANCE_TEXTURE_WIDTH, 4), dtype=np.float32)
