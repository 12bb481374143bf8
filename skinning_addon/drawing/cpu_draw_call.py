"""A draw call whose vertices the CPU skins, and the GPU only draws."""

from __future__ import annotations

from collections.abc import Sequence

import gpu

from ..core.blending.blend_palette import AnyPalette
from ..core.groups.draw_groups import DrawGroup, own_palette
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.skinning.passes import Pass
from ..core.surface.corner_skinning import CornerSkinner
from ..core.surface.weight_gradient import WeightGradient
from .display_settings import DisplaySettings
from .displays import Display
from .draw_call import MOVED_BYTES, DrawCallSize, GpuDrawCall
from .materials import MaterialLook
from .shader_library import ShaderVariant


class CpuDrawCall:
    """Uploads skinned positions and normals every frame. Owns GPU objects: free it after use."""

    technique = "software"

    def __init__(
        self,
        passes: tuple[Pass, ...],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        gradient: WeightGradient | None,
        group: DrawGroup | None = None,
    ) -> None:
        """Take over what does not move; see `GpuDrawCall`. gradient: of the passes on this mesh; None if
        normals don't follow it.
        """
        self._group = group
        self._skinner = CornerSkinner(passes, mesh, draw_mesh, gradient)
        # Without passes: the uploaded positions are drawn unchanged.
        self._draw_call = GpuDrawCall(
            (), mesh, draw_mesh, whole_vertices=None if group is None else group.vertices
        )
        self._draw_call.update(())
        vertices, triangles = self._draw_call.size.vertices, self._draw_call.size.triangles
        joints = max((len(one.joints) - 1 for one in passes), default=0)
        self.size = DrawCallSize(joints, vertices, triangles, 0, vertices * MOVED_BYTES, on_cpu=True)

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Skin with a frame's pose, the palettes of the whole mesh, and upload the result."""
        own = tuple(palettes) if self._group is None else own_palette(palettes, self._group)
        skinned = self._skinner.skin(own)
        self._draw_call.set_positions(skinned.positions, skinned.corner_normals, skinned.normals)

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """Set the look of each material."""
        self._draw_call.set_materials(looks)

    def variant(self, display: Display) -> ShaderVariant:
        """Return the shader for a display."""
        return self._draw_call.variant(display)

    def has(self, primitive: str) -> bool:
        """Tell whether there is anything of this kind to draw."""
        return self._draw_call.has(primitive)

    def draw(self, shader: gpu.types.GPUShader, display: Display, settings: DisplaySettings) -> None:
        """Draw with the draw call's variant, which must be bound and set up except for the call itself."""
        self._draw_call.draw(shader, display, settings)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._draw_call.free()
