"""A chain's inputs to the GLSL skinning library, for both the probe and drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.skinning.mesh import SourceMesh
from ..core.skinning.palette import Palette
from ..core.skinning.passes import Blend, Pass, PassInput
from ..core.text.errors import BindingError
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows
from .influence_layout import INFLUENCE_TEXTURE_WIDTH, influence_layout, matrix_layout
from .normal_policy import NormalPolicy, best_policy, reason_against_gradient, shared_gradient
from .palette_buffer import PaletteBuffer
from .palette_rows import entries_per_space, packed, rows_per_joint
from .shader_library import ShaderVariant
from .storage import AUTOMATIC_STORAGE, Storage

MOST_PASSES = 32
"""Pass flags are the bits of one unsigned number in the shader."""


ROW_BYTES = 16
"""Four floats."""

NO_MOTION = Palette(np.eye(4, dtype=np.float32)[None])
"""Stands in if there is no pass."""


class SkinningInputs:
    """Owns the palette and the influences of a chain of passes on the GPU.

    attributes: by name, each (V, ...), in the order of the source mesh's vertices; for a vertex buffer.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        normals: NormalPolicy | None = None,
        storage: Storage = AUTOMATIC_STORAGE,
    ) -> None:
        """Lay everything out. normals: None for the most exact policy that the passes allow.

        Raises:
            BindingError: there are too many passes, or they do not allow this policy.
        """
        if len(passes) > MOST_PASSES:
            raise BindingError(
                "{count} armature passes on one mesh; the GPU supports at most {most}.",
                count=len(passes),
                most=MOST_PASSES,
            )
        self.normals = _checked_policy(passes, normals)
        gradient = None
        if self.normals is NormalPolicy.WEIGHT_GRADIENT:
            gradient = shared_gradient(passes, mesh)
        if storage.indexed:
            layout = influence_layout(passes, mesh.vertex_count, gradient)
        else:
            layout = matrix_layout(passes[0], gradient)
        self.attributes: Mapping[str, NDArray[np.generic]] = layout.attributes
        if gradient is not None:
            tangents = {f"meshTangent{axis}": gradient.tangents[:, axis] for axis in range(2)}
            self.attributes = {**layout.attributes, **tangents}
        self._pass_count = len(passes)
        self._rows_per_joint = rows_per_joint(passes)
        self._palette: PaletteBuffer = storage.palette(layout.joint_count, self._rows_per_joint)
        self._palette_bytes = layout.joint_count * self._rows_per_joint * ROW_BYTES
        self._influences = None if layout.texels is None else _influence_texture(layout.texels)
        self._parts = (
            ("influences", layout.shader_file),
            ("gradients", layout.gradient_file),
            ("palette", self._palette.shader_file),
            ("normals", self.normals.value),
        )
        self._defines = (
            ("PASS_COUNT", f"{max(1, len(passes))}u"),
            ("ROWS_PER_JOINT", f"{self._rows_per_joint}u"),
            ("ENTRIES_PER_SPACE", f"{entries_per_space(self._rows_per_joint)}u"),
            ("RUN_START_PASSES", _flags(one.input is PassInput.RUN_START for one in passes)),
            ("VOLUME_PASSES", _flags(one.blend is Blend.VOLUME for one in passes)),
            ("DUAL_QUATERNION_PASSES", _flags(one.blend is Blend.DUAL_QUATERNION for one in passes)),
            *layout.defines,
        )

    @property
    def technique(self) -> str:
        """The palette's storage, in words."""
        return self._palette.technique

    @property
    def palette_bytes(self) -> int:
        """Bytes sent by `upload`: the rows of all joints."""
        return self._palette_bytes

    def variant(self, vertex: str, fragment: str, parts: Mapping[str, str] | None = None) -> ShaderVariant:
        """Return the shader of these two files that skins with these inputs.

        parts: further parts that the files include.
        """
        return ShaderVariant(vertex, fragment, (*self._parts, *(parts or {}).items()), self._defines)

    def upload(self, palettes: Sequence[AnyPalette]) -> None:
        """Upload one palette per pass, in order."""
        if len(palettes) != self._pass_count:
            raise ValueError(f"{len(palettes)} palettes for {self._pass_count} passes")
        self._palette.upload(
            [rows for palette in palettes or (NO_MOTION,) for rows in packed(palette, self._rows_per_joint)]
        )

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give palette and influences to `shader`, which must be bound."""
        self._palette.bind(shader)
        if self._influences is not None:
            shader.uniform_sampler("skinInfluences", self._influences)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._palette.free()
        self._influences = None


def _checked_policy(passes: Sequence[Pass], normals: NormalPolicy | None) -> NormalPolicy:
    reason = reason_against_gradient(passes)
    if normals is NormalPolicy.WEIGHT_GRADIENT and reason:
        raise BindingError(reason.template, **reason.arguments)
    return normals or best_policy(passes)


def _flags(passes: Iterable[bool]) -> str:
    return f"{sum(1 << i for i, flag in enumerate(passes) if flag)}u"


def _influence_texture(texels: NDArray[np.float32]) -> gpu.types.GPUTexture:
    height = texel_rows(len(texels), INFLUENCE_TEXTURE_WIDTH, Message("The influences"))
    padded = np.zeros((height * INFLUENCE_TEXTURE_WIDTH, 2), dtype=np.float32)
    padded[: len(texels)] = texels
    return float_texture(padded.reshape(height, INFLUENCE_TEXTURE_WIDTH, 2))
