"""A skinned mesh on screen: buffers made once, a palette a frame, a draw call a view."""

from __future__ import annotations

from collections.abc import Sequence

import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..core.mesh import DrawMesh, SourceMesh
from ..core.palette import Pass
from ..core.software_skinning import AnyPalette
from .displays import BASE_COLOR, EDGES, HEAT_MAP, SURFACE, WIREFRAME, Display, DisplaySettings, find_display
from .drawn_vertices import drawn_vertices
from .gpu_state import preserved_state
from .materials import MaterialLook, MaterialRanges
from .normal_policy import NormalPolicy
from .reference import Reference
from .shader_library import compiled_shader
from .skinning_inputs import SkinningInputs
from .source_texture import SourceTexture
from .uniform_block import UniformBlock
from .vertex_buffer import index_buffer, vertex_buffer

WIRE_BIAS_FACTOR = 3.0
"""Edges over a surface lie that much closer than the surface does."""


class SkinnedDrawing:
    """Draws one mesh, skinned by a chain of passes.

    Owns all its GPU objects. `update` and `set_reference` upload; `draw` makes nothing but what a display needs when
    it is first used, so drawing again what has not changed costs a few calls.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        normals: NormalPolicy | None = None,
    ) -> None:
        """Send what does not move. normals: see `SkinningInputs`."""
        self._vertex_count = mesh.vertex_count
        self._inputs = SkinningInputs(passes, mesh, normals)
        self._object_block = UniformBlock("drawnObject", 6)
        self._heat_block = UniformBlock("heatScale", 18)
        self._passes = tuple(passes)
        self._reference = Reference(mesh)
        self._painted: dict[str, tuple[object, SourceTexture]] = {}
        self._batches: dict[str, gpu.types.GPUBatch] = {}
        vertices = drawn_vertices(mesh, draw_mesh)
        self._materials = MaterialRanges(vertices.material_starts)
        if not len(vertices.source_vertex):
            return
        influences = {
            name: values[vertices.source_vertex] for name, values in self._inputs.attributes.items()
        }
        buffer = vertex_buffer({**vertices.attributes, **influences})
        for primitive, indices in ((SURFACE, vertices.triangles), (EDGES, vertices.edges)):
            if len(indices):
                elements = index_buffer(primitive, indices)
                self._batches[primitive] = gpu.types.GPUBatch(type=primitive, buf=buffer, elem=elements)

    @property
    def technique(self) -> str:
        """How the palette is stored."""
        return self._inputs.technique

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Send the pose of a frame: one palette a pass, in the order of the passes."""
        self._inputs.upload(palettes)

    def set_reference(
        self, positions: NDArray[np.float32], normals: NDArray[np.float32] | None = None
    ) -> None:
        """Send what deviations are measured from: (V, 3) float32, mesh space.

        normals: of the vertices. Where they are left out, they are made from the triangles when a display first asks
        for them; that takes its time, and is a little off where faces with more corners are not flat.
        """
        self._reference.set(positions, normals)

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """Say how each material looks, in the order of `DrawMesh.material`; those beyond have the settings' base colour."""
        self._materials.set(looks)

    def draw(
        self,
        display: str,
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
        mesh_to_world: NDArray[np.floating],
        settings: DisplaySettings,
        *,
        from_column: float = 0.0,
        opacity: float = 1.0,
    ) -> None:
        """Draw into the framebuffer that is bound, with depth, leaving the GPU's state as it was.

        display: a name in `displays.DISPLAYS`. The matrices are (4, 4) for row vectors, and are multiplied in float64.
        from_column: pixel columns left of this one stay as they are, for a view that is split in two.
        opacity: below 1 what lies behind shines through; of the mesh itself only what is nearest to the viewer counts.

        Raises:
            UsageError: no such display.
            ShaderError: its shader does not compile.
        """
        chosen = find_display(display)
        view = _View(mesh_to_world, world_to_view, view_to_clip)
        self._object_block.update(_object_rows(settings, view.mesh_to_world, from_column, opacity))
        with preserved_state():
            gpu.state.depth_test_set("LESS_EQUAL")
            gpu.state.line_width_set(1.0)
            self._draw_display(chosen, view, settings, settings.depth_bias, opacity)
            if settings.wireframe and chosen.name != WIREFRAME:
                bias = settings.depth_bias * WIRE_BIAS_FACTOR
                self._draw_display(find_display(WIREFRAME), view, settings, bias, opacity)

    def _draw_display(
        self, display: Display, view: _View, settings: DisplaySettings, depth_bias: float, opacity: float
    ) -> None:
        batch = self._batches.get(display.primitive)
        if batch is None:
            return
        parts = {"vertex_value": display.vertex_value}
        shader = compiled_shader(self._inputs.variant("draw.vert.glsl", display.fragment, parts))
        shader.bind()
        shader.uniform_float("meshToClip", view.mesh_to_clip)
        shader.uniform_float("depthBias", depth_bias)
        if display.primitive == SURFACE:
            shader.uniform_float("normalToView", view.normal_to_view)
        self._inputs.bind(shader)
        self._object_block.bind(shader)
        if display.fragment == HEAT_MAP:
            self._heat_block.update((display.scale or settings.heat_scale).packed())
            self._heat_block.bind(shader)
        if display.compares and not self._reference.bind(shader, display.compares):
            raise ValueError(f"the display '{display.name}' needs set_reference first")
        painting = self._painting(display, settings)
        if painting is not None:
            painting.bind(shader)
        is_surface = display.primitive == SURFACE
        gpu.state.depth_mask_set(is_surface)
        gpu.state.blend_set("NONE" if is_surface and opacity == 1.0 else "ALPHA")
        # A mirrored object turns the sides of its triangles around.
        gpu.state.front_facing_set(view.mirrored)
        if is_surface and opacity < 1.0:
            # Depth first: else the mesh's own far sides would shine through where they happen to be drawn first.
            gpu.state.color_mask_set(False, False, False, False)
            self._draw_batch(batch, shader, display, settings)
            gpu.state.color_mask_set(True, True, True, True)
        self._draw_batch(batch, shader, display, settings)
        gpu.state.front_facing_set(False)

    def _draw_batch(
        self,
        batch: gpu.types.GPUBatch,
        shader: gpu.types.GPUShader,
        display: Display,
        settings: DisplaySettings,
    ) -> None:
        if display.name == BASE_COLOR:
            self._materials.draw(batch, shader, settings.base_color)
        else:
            batch.draw(shader)

    def _painting(self, display: Display, settings: DisplaySettings) -> SourceTexture | None:
        """Return what a display shows of the weights, computed again only where a setting that matters has changed."""
        if display.paint is None:
            return None
        depends_on = tuple(getattr(settings, name) for name in display.paint_settings)
        painted_for, texture = self._painted.get(display.name, (None, None))
        if texture is None or painted_for != depends_on:
            texture = texture or SourceTexture("paintedValues", self._vertex_count)
            texture.fill(display.paint(self._passes, self._vertex_count, settings))
            self._painted[display.name] = depends_on, texture
        return texture

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._inputs.free()
        self._object_block.free()
        self._heat_block.free()
        self._batches.clear()
        self._reference.free()
        self._materials.free()
        self._painted.clear()


class _View:
    """The matrices of one draw call, made in float64 and rounded once."""

    def __init__(
        self,
        mesh_to_world: NDArray[np.floating],
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
    ) -> None:
        self.mesh_to_world = np.asarray(mesh_to_world, dtype=np.float64)
        mesh_to_view = self.mesh_to_world @ np.asarray(world_to_view, dtype=np.float64)
        # mathutils writes a matrix as it stands, so GLSL's `v * M` is the row-vector product.
        self.mesh_to_clip = Matrix((mesh_to_view @ np.asarray(view_to_clip, dtype=np.float64)).tolist())
        x, y, z = mesh_to_view[:3, :3]
        cofactors = np.array((np.cross(y, z), np.cross(z, x), np.cross(x, y)))
        self.mirrored = bool(x @ cofactors[0] < 0)
        # Unlike a mirrored bone, a mirrored object keeps its normals pointing outwards. Only their direction counts.
        size = np.abs(cofactors).max() or 1.0
        self.normal_to_view = Matrix((cofactors / (-size if self.mirrored else size)).tolist())


def _object_rows(
    settings: DisplaySettings, mesh_to_world: NDArray[np.float64], from_column: float, opacity: float
) -> NDArray[np.float32]:
    """Pack what lib/drawn_object.glsl declares: (6, 4) float32."""
    rows = np.zeros((6, 4), dtype=np.float32)
    rows[0, :3] = settings.base_color
    rows[1] = settings.wire_color
    rows[2:5, :3] = mesh_to_world[:3, :3]
    rows[5, :2] = from_column, opacity
    return rows
