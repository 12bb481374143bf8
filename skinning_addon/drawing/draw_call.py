"""The data of one draw call: vertices with their influences, and the palette that skins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.groups.draw_groups import DrawGroup, draw_mesh_of, own_palette
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.skinning.passes import Pass
from ..core.surface.weight_gradient import WeightGradient
from .display_settings import DisplaySettings
from .displays import EDGES, SURFACE, Display
from .drawn_vertices import drawn_vertices
from .materials import MaterialLook, MaterialRanges
from .normal_policy import NormalPolicy
from .shader_library import ShaderVariant
from .skinning_inputs import SkinningInputs
from .storage import AUTOMATIC_STORAGE, Storage
from .vertex_buffer import index_buffer, vertex_buffer

MOVED_BYTES = 3 * 3 * np.dtype(np.float32).itemsize
"""Bytes per moved vertex: its position and two normals, its shading normal and its source vertex's."""


@dataclass(frozen=True)
class DrawCallSize:
    """joints: in its palette, not counting 'no bone'. vertices: stored ones. palette_bytes, vertex_bytes: sent
    per frame.

    on_cpu: whether the CPU skins it, without a palette. material: the slot of the call's only
    material; None if the mesh has just one, or is not split by material.
    """

    joints: int
    vertices: int
    triangles: int
    palette_bytes: int
    vertex_bytes: int = 0
    on_cpu: bool = False
    material: int | None = None


class DrawCall(Protocol):
    """One draw call of a drawing. Owns GPU objects.

    technique: how its palette is stored, in words.
    """

    technique: str
    size: DrawCallSize

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Set a frame's pose: the palettes of the whole mesh."""

    def set_materials(self, looks: Sequence[MaterialLook]) -> None: ...

    def variant(self, display: Display) -> ShaderVariant:
        """Return the shader for a display."""
        ...

    def has(self, primitive: str) -> bool:
        """Tell whether there is anything of that kind to draw."""
        ...

    def draw(self, shader: gpu.types.GPUShader, display: Display, settings: DisplaySettings) -> None:
        """Draw with the call's variant, which must be bound and know everything but the call itself."""

    def free(self) -> None: ...


class GpuDrawCall:
    """A draw call that the GPU skins. Owns its palette, where a pose ends up, and everything that stays
    the same.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        normals: NormalPolicy | None = None,
        storage: Storage = AUTOMATIC_STORAGE,
        *,
        gradient: WeightGradient | None = None,
        whole_vertices: NDArray[np.int32] | None = None,
    ) -> None:
        """Send the static data. normals, storage, gradient: see `SkinningInputs`.

        whole_vertices: (v,), for a group of a larger mesh, the vertex of that mesh for each of its own.
        """
        self._vertex_count = mesh.vertex_count
        self._inputs = SkinningInputs(passes, mesh, normals, storage, gradient)
        self._palette = storage.palette(self._inputs.palette_layout)
        self.technique = self._palette.technique
        vertices = drawn_vertices(mesh, draw_mesh)
        self.size = DrawCallSize(
            max((len(one.joints) - 1 for one in passes), default=0),
            len(vertices.source_vertex),
            len(vertices.triangles),
            self._palette.byte_count,
        )
        self._batches: dict[str, gpu.types.GPUBatch] = {}
        self._elements: dict[str, gpu.types.GPUIndexBuf] = {}
        self._materials = MaterialRanges(vertices.material_starts)
        self._source_vertex = vertices.source_vertex
        self._surface_vertices = len(draw_mesh.source_vertex)
        self._normals = vertices.normals
        self._vertex_normals = mesh.normals
        self._triangles = vertices.triangles
        self._unmoved: gpu.types.GPUVertBuf | None = None
        self._moved: gpu.types.GPUVertBuf | None = None
        if not len(vertices.source_vertex):
            return
        attributes = dict(vertices.attributes)
        if whole_vertices is not None:
            whole = whole_vertices[vertices.source_vertex]
            attributes["sourceVertex"] = whole.astype(np.uint32)[:, None]
        for name, values in self._inputs.attributes.items():
            attributes[name] = values[vertices.source_vertex]
        self._unmoved = vertex_buffer(attributes)
        for primitive, indices in ((SURFACE, vertices.triangles), (EDGES, vertices.edges)):
            if len(indices):
                self._elements[primitive] = index_buffer(primitive, indices)
        self.set_positions(mesh.positions)

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Send a frame's pose: one palette per pass."""
        self._palette.upload(palettes)

    def update_rows(self, rows: NDArray[np.float32]) -> None:
        """Send a frame's pose as `palette_rows.packed_rows` laid it out."""
        self._palette.upload_rows(rows)

    def set_positions(
        self,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32] | None = None,
        vertex_normals: NDArray[np.float32] | None = None,
    ) -> None:
        """Replace the input of the first pass; see `SkinnedDrawing.set_positions`.

        vertex_normals: (V, 3) float32, of the source vertices, for the display that compares them; unchanged if
        omitted.
        """
        if self._unmoved is None:
            return
        if positions.shape != (self._vertex_count, 3):
            raise ValueError(f"positions {positions.shape} for {self._vertex_count} vertices")
        if normals is not None:
            self._normals[: self._surface_vertices] = normals
        if vertex_normals is not None:
            self._vertex_normals = vertex_normals
        # A buffer that was drawn can't be refilled.
        self._moved = vertex_buffer(
            {
                "meshPosition": positions[self._source_vertex],
                "meshNormal": self._normals,
                "sourceNormal": self._vertex_normals[self._source_vertex],
            }
        )
        for primitive, elements in self._elements.items():
            self._batches[primitive] = self._batch(primitive, elements)

    def _batch(self, primitive: str, elements: gpu.types.GPUIndexBuf) -> gpu.types.GPUBatch:
        batch = gpu.types.GPUBatch(type=primitive, buf=self._unmoved, elem=elements)
        batch.vertbuf_add(self._moved)
        return batch

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """Set the materials' looks."""
        self._materials.set(looks)

    def variant(self, display: Display) -> ShaderVariant:
        """Return the shader for a display."""
        return self._inputs.variant(
            "draw.vert.glsl", display.fragment, self._palette, {"vertex_value": display.vertex_value}
        )

    def has(self, primitive: str) -> bool:
        """Tell whether there is anything of that kind to draw."""
        return primitive in self._batches

    def draw(self, shader: gpu.types.GPUShader, display: Display, settings: DisplaySettings) -> None:
        """Draw with the call's variant, which must be bound and know everything but the call itself."""
        self._inputs.bind(shader)
        self._palette.bind(shader)
        batch = self._batches[display.primitive]
        if display.uses_materials:
            self._materials.draw(batch, shader, settings.base_color)
        else:
            batch.draw(shader)

    def free(self) -> None:
        """Release the GPU's memory."""
        self._inputs.free()
        self._palette.free()
        self._materials.free()
        self._batches.clear()
        self._elements.clear()
        self._unmoved = self._moved = None


class GroupDrawCall(GpuDrawCall):
    """A draw call for one group of a partitioned palette: picks its entries from the whole mesh's palette."""

    def __init__(
        self, group: DrawGroup, draw_mesh: DrawMesh, storage: Storage, gradient: WeightGradient | None
    ) -> None:
        """draw_mesh: of the whole mesh, with triangles in the order of the source mesh's. gradient: of the
        group; None if normals don't follow it.
        """
        super().__init__(
            (group.skinning,),
            group.mesh,
            draw_mesh_of(group, draw_mesh),
            NormalPolicy.COFACTOR if gradient is None else NormalPolicy.WEIGHT_GRADIENT,
            storage,
            gradient=gradient,
            whole_vertices=group.vertices,
        )
        if group.mesh.material is not None:
            self.size = replace(self.size, material=group.material)
        self._group = group

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Send a frame's pose: the palettes of the whole mesh."""
        super().update(own_palette(palettes, self._group))
