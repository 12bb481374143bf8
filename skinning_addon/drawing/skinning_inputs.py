"""What a chain brings to the GLSL skinning library besides a pose, for both the probe and drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.skinning.mesh import SourceMesh
from ..core.skinning.passes import Blend, Pass, PassInput
from ..core.surface.weight_gradient import WeightGradient, weight_gradient
from ..core.text.errors import BindingError
from ..core.text.message import Message
from .float_texture import float_texture, texel_rows
from .influence_layout import INFLUENCE_TEXTURE_WIDTH, influence_layout, matrix_layout
from .normal_policy import NormalPolicy, best_policy, reason_against_gradient
from .palette_buffer import PaletteBuffer
from .palette_rows import PaletteLayout, entries_per_space, rows_per_joint
from .shader_library import ShaderVariant
from .storage import AUTOMATIC_STORAGE, Storage

MOST_PASSES = 32
"""Pass flags are the bits of one unsigned number in the shader."""


class SkinningInputs:
    """Owns the influences of a chain of passes on the GPU, which stay the same in every frame.

    attributes: by name, each (V, ...), in the order of the source mesh's vertices; for a vertex buffer.
    palette_layout: of the palettes that pose the chain.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        normals: NormalPolicy | None = None,
        storage: Storage = AUTOMATIC_STORAGE,
        gradient: WeightGradient | None = None,
    ) -> None:
        """Lay everything out. normals: None for the most exact policy that the passes allow. gradient: of the
        passes on this mesh, if known; if the policy needs it, it is computed otherwise.

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
        if self.normals is not NormalPolicy.WEIGHT_GRADIENT:
            gradient = None
        elif gradient is None:
            gradient = weight_gradient(passes, mesh)
        if storage.indexed:
            layout = influence_layout(passes, mesh.vertex_count, gradient)
        else:
            layout = matrix_layout(passes[0], gradient)
        self.attributes: Mapping[str, NDArray[np.generic]] = layout.attributes
        if gradient is not None:
            tangents = {f"meshTangent{axis}": gradient.tangents[:, axis] for axis in range(2)}
            self.attributes = {**layout.attributes, **tangents}
        rows = rows_per_joint(passes)
        self.palette_layout = PaletteLayout(layout.joint_count, rows, len(passes))
        self._influences = None if layout.texels is None else _influence_texture(layout.texels)
        self._parts = (
            ("influences", layout.shader_file),
            ("gradients", layout.gradient_file),
            ("normals", self.normals.value),
        )
        self._defines = (
            ("PASS_COUNT", f"{max(1, len(passes))}u"),
            ("ROWS_PER_JOINT", f"{rows}u"),
            ("ENTRIES_PER_SPACE", f"{entries_per_space(rows)}u"),
            ("RUN_START_PASSES", _flags(one.input is PassInput.RUN_START for one in passes)),
            ("VOLUME_PASSES", _flags(one.blend is Blend.VOLUME for one in passes)),
            ("DUAL_QUATERNION_PASSES", _flags(one.blend is Blend.DUAL_QUATERNION for one in passes)),
            *layout.defines,
        )

    def variant(
        self, vertex: str, fragment: str, palette: PaletteBuffer, parts: Mapping[str, str] | None = None
    ) -> ShaderVariant:
        """Return the shader of these two files that skins with these inputs and a palette stored this way.

        parts: further parts that the files include.
        """
        every = (*self._parts, ("palette", palette.shader_file), *(parts or {}).items())
        return ShaderVariant(vertex, fragment, every, self._defines)

    def bind(self, shader: gpu.types.GPUShader) -> None:
        """Give the influences to `shader`, which must be bound."""
        if self._influences is not None:
            shader.uniform_sampler("skinInfluences", self._influences)

    def free(self) -> None:
        """Give the GPU's memory back."""
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
