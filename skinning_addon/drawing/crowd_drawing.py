"""Drawing a mesh many times at once, each time in a pose and a place of its own: one draw call for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import gpu
import numpy as np
from numpy.typing import NDArray

from ..animation.sampled_clips import Heard, SampledClips
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.skinning.passes import Blend, Pass
from ..core.surface.weight_gradient import WeightGradient
from ..core.text.errors import BindingError
from .display_settings import DisplaySettings
from .displays import SURFACE, Display
from .draw_call import GpuDrawCall
from .instance_palette import InstancePalette
from .materials import MaterialLook
from .normal_policy import NormalPolicy
from .palette_rows import PaletteLayout
from .sampled_palette import SampledPalette
from .skinned_drawing import SkinnedDrawing
from .storage import Storage
from .vertex_buffer import index_buffer

AnyInstances = TypeVar("AnyInstances", InstancePalette, SampledPalette)


class InstancedDrawCall(GpuDrawCall, Generic[AnyInstances]):
    """A draw call that draws all instances of a mesh. posed: what poses them."""

    posed: AnyInstances

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        palette: Callable[[PaletteLayout], AnyInstances],
        *,
        normals: NormalPolicy | None = None,
        gradient: WeightGradient | None = None,
    ) -> None:
        """Send the static data; see `GpuDrawCall`. palette: makes what poses the instances.

        Raises:
            BindingError: it isn't a single pass that blends linearly.
        """
        if len(passes) != 1 or passes[0].blend is not Blend.LINEAR:
            raise BindingError(
                "A crowd is skinned by one armature with linear blending; draw a game-ready copy instead.",
                rule="technique",
            )
        self._of_material: dict[tuple[int, int], gpu.types.GPUBatch] = {}

        def made(layout: PaletteLayout) -> AnyInstances:
            self.posed = palette(layout)
            return self.posed

        super().__init__(passes, mesh, draw_mesh, normals, Storage(made), gradient=gradient)

    def draw(self, shader: gpu.types.GPUShader, display: Display, settings: DisplaySettings) -> None:
        """Draw all instances with the call's variant, which must be bound."""
        self._inputs.bind(shader)
        self._palette.bind(shader)
        instances = self.posed.instances
        if not instances:
            return
        if not display.uses_materials:
            self._batches[display.primitive].draw_instanced(shader, instance_count=instances)
            return
        # Blender draws either a part of the triangles or many instances.
        for start, end in self._materials.bound(shader, settings.base_color):
            self._triangles_of(start, end).draw_instanced(shader, instance_count=instances)

    def set_positions(
        self,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32] | None = None,
        vertex_normals: NDArray[np.float32] | None = None,
    ) -> None:
        """Replace the input of skinning; see `GpuDrawCall`."""
        super().set_positions(positions, normals, vertex_normals)
        self._of_material.clear()

    def free(self) -> None:
        """Release the GPU's memory."""
        super().free()
        self._of_material.clear()

    def _triangles_of(self, start: int, end: int) -> gpu.types.GPUBatch:
        batch = self._of_material.get((start, end))
        if batch is None:
            batch = self._batch(SURFACE, index_buffer(SURFACE, self._triangles[start:end]))
            self._of_material[start, end] = batch
        return batch


class _InstancedDrawing:
    """Draws one mesh of a crowd: all agents at once. Owns all its GPU objects."""

    def __init__(
        self, passes: Sequence[Pass], mesh: SourceMesh, draw_mesh: DrawMesh, draw_call: GpuDrawCall
    ) -> None:
        self._drawing = SkinnedDrawing(passes, mesh, draw_mesh, draw_calls=(draw_call,))

    @property
    def has_materials(self) -> bool:
        """Whether the looks have been set."""
        return self._drawing.has_materials

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """Set the looks in the order of `DrawMesh.material`."""
        self._drawing.set_materials(looks)

    def draw(
        self,
        display: str,
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
        crowd_to_world: NDArray[np.floating],
        settings: DisplaySettings,
    ) -> None:
        """Draw all agents into the bound framebuffer; see `SkinnedDrawing.draw`. Displays that compare with
        Blender's mesh need a reference, and a crowd has none.
        """
        self._drawing.draw(display, world_to_view, view_to_clip, crowd_to_world, settings)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._drawing.free()


class CrowdDrawing(_InstancedDrawing):
    """A crowd whose palettes the processor computes.

    An agent's place in the crowd's space is part of its palette; nothing else differs but its tint.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        *,
        gradient: WeightGradient | None = None,
    ) -> None:
        """Send the static data; see `InstancedDrawCall`."""
        draw_call = InstancedDrawCall(passes, mesh, draw_mesh, InstancePalette, gradient=gradient)
        super().__init__(passes, mesh, draw_mesh, draw_call)
        self._palette = draw_call.posed

    @property
    def byte_count(self) -> int:
        """Bytes that the last pose took."""
        return self._palette.byte_count

    def update(self, matrices: NDArray[np.float32], tints: NDArray[np.floating] | None = None) -> None:
        """Send a pose: the palettes (I, J, 4, 4) of all agents, mesh space to the crowd's space. tints: (I, 3),
        linear, what their colours are multiplied by; white if left out.
        """
        self._palette.upload_instances(matrices, tints)


class SampledCrowdDrawing(_InstancedDrawing):
    """A crowd that the GPU poses, from sampled clips.

    Normals turn with the blended matrix: following the weights' gradient would fetch all samples twice.
    """

    def __init__(
        self, passes: Sequence[Pass], mesh: SourceMesh, draw_mesh: DrawMesh, clips: SampledClips
    ) -> None:
        """Send the static data and the samples.

        Raises:
            BindingError: see `InstancedDrawCall`. DeviceError: the samples don't fit into a texture.
        """

        def palette(layout: PaletteLayout) -> SampledPalette:
            return SampledPalette(layout, clips.palettes(passes[0].joints))

        draw_call = InstancedDrawCall(passes, mesh, draw_mesh, palette, normals=NormalPolicy.COFACTOR)
        super().__init__(passes, mesh, draw_mesh, draw_call)
        self._palette = draw_call.posed

    @property
    def byte_count(self) -> int:
        """Bytes that the last pose took; the samples were sent once."""
        return self._palette.byte_count

    def update(self, heard: Heard, tints: NDArray[np.floating] | None = None) -> None:
        """Send a pose: what all agents hear. tints: see `CrowdDrawing.update`."""
        self._palette.upload_heard(heard, tints)
