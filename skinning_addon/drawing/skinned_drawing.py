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
from .displays import EDGES, SURFACE, WIREFRAME, Display, DisplaySettings, find_display
from .drawn_vertices import drawn_vertices
from .float_texture import float_texture, texel_rows
from .gpu_state import preserved_state
from .shader_library import compiled_shader
from .skinning_inputs import SkinningInputs
from .uniform_block import UniformBlock
from .vertex_buffer import index_buffer, vertex_buffer

REFERENCE_WIDTH = 1024
"""Texels in a row of the reference texture; lib/value_deviation.glsl counts on it."""

WIRE_BIAS_FACTOR = 3.0
"""Edges over a surface lie that much closer than the surface does."""


class SkinnedDrawing:
    """Draws one mesh, skinned by a chain of passes.

    Owns all its GPU objects. `update` and `set_reference` upload; `draw` makes nothing but a shader on the first use of a
    display, so drawing again what has not changed costs a few calls.
    """

    def __init__(self, passes: Sequence[Pass], mesh: SourceMesh, draw_mesh: DrawMesh) -> None:
        self._vertex_count = mesh.vertex_count
        self._inputs = SkinningInputs(passes, mesh.vertex_count)
        self._object_block = UniformBlock("drawnObject", 5)
        self._heat_block = UniformBlock("heatScale", 18)
        self._reference: gpu.types.GPUTexture | None = None
        self._reference_memory: NDArray[np.float32] | None = None
        self._batches: dict[str, gpu.types.GPUBatch] = {}
        vertices = drawn_vertices(mesh, draw_mesh)
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

    def set_reference(self, positions: NDArray[np.float32]) -> None:
        """Send the (V, 3) float32 positions, mesh space, that the deviation is measured from."""
        if positions.shape != (self._vertex_count, 3):
            raise ValueError(f"reference positions {positions.shape} for {self._vertex_count} vertices")
        if self._reference_memory is None:
            height = texel_rows(self._vertex_count, REFERENCE_WIDTH, "The vertices")
            self._reference_memory = np.zeros((height, REFERENCE_WIDTH, 4), dtype=np.float32)
        self._reference_memory.reshape(-1, 4)[: self._vertex_count, :3] = positions
        self._reference = float_texture(self._reference_memory)

    def draw(
        self,
        display: str,
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
        mesh_to_world: NDArray[np.floating],
        settings: DisplaySettings,
    ) -> None:
        """Draw into the framebuffer that is bound, with depth, leaving the GPU's state as it was.

        display: a name in `displays.DISPLAYS`. The matrices are (4, 4) for row vectors, and are multiplied in float64.

        Raises:
            UsageError: no such display.
            ShaderError: its shader does not compile.
        """
        chosen = find_display(display)
        view = _View(mesh_to_world, world_to_view, view_to_clip)
        self._object_block.update(_object_rows(settings, view.mesh_to_world))
        with preserved_state():
            gpu.state.depth_test_set("LESS_EQUAL")
            gpu.state.line_width_set(1.0)
            self._draw_display(chosen, view, settings, settings.depth_bias)
            if settings.wireframe and chosen.name != WIREFRAME:
                bias = settings.depth_bias * WIRE_BIAS_FACTOR
                self._draw_display(find_display(WIREFRAME), view, settings, bias)

    def _draw_display(
        self, display: Display, view: _View, settings: DisplaySettings, depth_bias: float
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
        if display.needs_reference:
            if self._reference is None:
                raise ValueError(f"the display '{display.name}' needs set_reference first")
            self._heat_block.update(settings.heat_scale.packed())
            self._heat_block.bind(shader)
            shader.uniform_sampler("referencePositions", self._reference)
        gpu.state.depth_mask_set(display.primitive == SURFACE)
        gpu.state.blend_set("NONE" if display.primitive == SURFACE else "ALPHA")
        # A mirrored object turns the sides of its triangles around.
        gpu.state.front_facing_set(view.mirrored)
        batch.draw(shader)
        gpu.state.front_facing_set(False)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._inputs.free()
        self._object_block.free()
        self._heat_block.free()
        self._batches.clear()
        self._reference = None


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


def _object_rows(settings: DisplaySettings, mesh_to_world: NDArray[np.float64]) -> NDArray[np.float32]:
    """Pack what lib/drawn_object.glsl declares: (5, 4) float32."""
    rows = np.zeros((5, 4), dtype=np.float32)
    rows[0, :3] = settings.base_color
    rows[1] = settings.wire_color
    rows[2:, :3] = mesh_to_world[:3, :3]
    return rows
