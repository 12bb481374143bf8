"""Drawing a skinned mesh: buffers made once, palettes sent every frame, each draw call once in each view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import gpu
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..core.blending.blend_palette import AnyPalette
from ..core.maths.vectors import cross
from ..core.skinning.mesh import DrawMesh, SourceMesh
from ..core.skinning.passes import Pass
from .display_settings import DisplaySettings
from .displays import HEAT_MAP, SURFACE, WIREFRAME, Display, find_display
from .draw_call import DrawCall, DrawCallSize, GpuDrawCall
from .draw_call_colors import draw_call_color
from .gpu_state import preserved_state
from .heat_scale import ROWS as HEAT_ROWS
from .materials import MaterialLook
from .normal_policy import NormalPolicy
from .shader_library import compiled_shader
from .source_values import SourceValues
from .uniform_block import UniformBlock

BEYOND_ALL_COLUMNS = 1e9
"""Replaces infinity, so that shaders don't have to handle it."""

WIRE_BIAS_FACTOR = 3.0
"""Edges drawn over a surface get this multiple of its depth bias."""


class SkinnedDrawing:
    """Draws one mesh, skinned by a chain of passes.

    Owns all its GPU objects. `update`, `set_positions` and `set_reference` upload; `draw` only makes the
    objects that a display needs on first use, so redrawing without changes costs a few calls.

    has_materials: whether `set_materials` was called.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        mesh: SourceMesh,
        draw_mesh: DrawMesh,
        normals: NormalPolicy | None = None,
        draw_calls: Sequence[DrawCall] | None = None,
    ) -> None:
        """Send the static data. normals: see `SkinningInputs`.

        draw_calls: the mesh's, made by one of `techniques`; they are freed with the drawing. By default,
            one for the whole mesh.
        """
        self.has_materials = False
        self._draw_calls: Sequence[DrawCall] = draw_calls or (GpuDrawCall(passes, mesh, draw_mesh, normals),)
        self._values = SourceValues(passes, mesh)
        self._object_blocks = [UniformBlock("drawnObject", 7) for _ in self._draw_calls]
        self._heat_block = UniformBlock("heatScale", HEAT_ROWS)

    @property
    def technique(self) -> str:
        """How the palette is stored."""
        return self._draw_calls[0].technique

    @property
    def sizes(self) -> tuple[DrawCallSize, ...]:
        """The size of each draw call."""
        return tuple(draw_call.size for draw_call in self._draw_calls)

    def update(self, palettes: Sequence[AnyPalette]) -> None:
        """Send a frame's pose: one palette per pass, in order."""
        for draw_call in self._draw_calls:
            draw_call.update(palettes)

    def update_rows(self, rows: NDArray[np.float32]) -> None:
        """Send a frame's pose as `packed_rows` laid it out; for drawings that `takes_positions`."""
        (draw_call,) = self._draw_calls
        if not isinstance(draw_call, GpuDrawCall):
            raise TypeError("what the CPU skins has no palette on the GPU")
        draw_call.update_rows(rows)

    @property
    def takes_positions(self) -> bool:
        """Whether `set_positions` can be called: not with several draw calls, or if the CPU skins."""
        return len(self._draw_calls) == 1 and isinstance(self._draw_calls[0], GpuDrawCall)

    def set_positions(
        self,
        positions: NDArray[np.float32],
        normals: NDArray[np.float32] | None = None,
        source_normals: NDArray[np.float32] | None = None,
    ) -> None:
        """Replace only the input of the first pass; for drawings that `takes_positions`.

        positions: (V, 3) float32, mesh space. normals: (D, 3) float32, of the draw mesh's vertices;
        source_normals: (V, 3) float32, of the mesh's own vertices. Omitted normals stay the same.
        """
        (draw_call,) = self._draw_calls
        if not isinstance(draw_call, GpuDrawCall):
            raise TypeError("positions of what the CPU skins are its own")
        draw_call.set_positions(positions, normals, source_normals)

    def set_reference(
        self, positions: NDArray[np.float32], normals: NDArray[np.float32] | None = None
    ) -> None:
        """Send the reference for deviations: (V, 3) float32, mesh space.

        normals: of the vertices. If omitted, they are computed from the triangles when a display first needs
        them; that is slow, and slightly off for non-flat faces of more than three corners.
        """
        self._values.set_reference(positions, normals)

    def set_materials(self, looks: Sequence[MaterialLook]) -> None:
        """Set the looks in the order of `DrawMesh.material`; other materials get the settings' base color."""
        for draw_call in self._draw_calls:
            draw_call.set_materials(looks)
        self.has_materials = True

    def draw(
        self,
        display: str,
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
        mesh_to_world: NDArray[np.floating],
        settings: DisplaySettings,
        *,
        from_column: float = 0.0,
        to_column: float = math.inf,
        opacity: float = 1.0,
    ) -> None:
        """Draw into the bound framebuffer, with depth, leaving the GPU's state as it was.

        display: a name in `displays.DISPLAYS`. The matrices are (4, 4) for row vectors, and are multiplied in
        float64.
        from_column, to_column: the pixel columns to draw, without the second itself, for a view that is split
            in two.
        opacity: below 1, the background shines through; of the mesh itself, only the nearest surface is drawn.

        Raises:
            UsageError: there is no such display.
            ShaderError: its shader does not compile.
        """
        chosen = find_display(display)
        view = _View(mesh_to_world, world_to_view, view_to_clip)
        for number, block in enumerate(self._object_blocks):
            own = settings
            if chosen.colors_draw_calls:
                own = replace(settings, base_color=draw_call_color(number, self._draw_calls[number].size))
            block.update(_object_rows(own, view, (from_column, opacity, to_column)))
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
        is_surface = display.primitive == SURFACE
        gpu.state.depth_mask_set(is_surface)
        gpu.state.blend_set("NONE" if is_surface and opacity == 1.0 else "ALPHA")
        # A mirrored object reverses the winding of its triangles.
        gpu.state.front_facing_set(view.mirrored)
        if is_surface and opacity < 1.0:
            # Depth first; otherwise the mesh's far sides would shine through wherever they are drawn first.
            gpu.state.color_mask_set(False, False, False, False)
            self._draw_all(display, view, settings, depth_bias)
            gpu.state.color_mask_set(True, True, True, True)
        self._draw_all(display, view, settings, depth_bias)
        gpu.state.front_facing_set(False)

    def _draw_all(self, display: Display, view: _View, settings: DisplaySettings, depth_bias: float) -> None:
        if display.fragment == HEAT_MAP:
            self._heat_block.update((display.scale or settings.heat_scale).packed())
        for draw_call, block in zip(self._draw_calls, self._object_blocks, strict=True):
            if not draw_call.has(display.primitive):
                continue
            shader = compiled_shader(draw_call.variant(display))
            shader.bind()
            shader.uniform_float("meshToClip", view.mesh_to_clip)
            shader.uniform_float("depthBias", depth_bias)
            if display.primitive == SURFACE:
                shader.uniform_float("normalToView", view.normal_to_view)
            block.bind(shader)
            if display.fragment == HEAT_MAP:
                self._heat_block.bind(shader)
            self._values.bind(shader, display, settings)
            draw_call.draw(shader, display, settings)

    def free(self) -> None:
        """Give the GPU's memory back."""
        for draw_call in self._draw_calls:
            draw_call.free()
        for block in (*self._object_blocks, self._heat_block):
            block.free()
        self._values.free()


class _View:
    """The matrices of one draw call, computed in float64 and rounded once."""

    def __init__(
        self,
        mesh_to_world: NDArray[np.floating],
        world_to_view: NDArray[np.floating],
        view_to_clip: NDArray[np.floating],
    ) -> None:
        self.mesh_to_world = np.asarray(mesh_to_world, dtype=np.float64)
        # How clip z and w change with each unit towards the viewer.
        self.depth_per_unit = np.asarray(view_to_clip, dtype=np.float64)[2, 2:]
        mesh_to_view = self.mesh_to_world @ np.asarray(world_to_view, dtype=np.float64)
        # mathutils passes a matrix on untransposed, so GLSL's `v * M` is the row-vector product.
        self.mesh_to_clip = Matrix((mesh_to_view @ np.asarray(view_to_clip, dtype=np.float64)).tolist())
        linear = mesh_to_view[:3, :3]
        cofactors = cross(linear[[1, 2, 0]].T, linear[[2, 0, 1]].T).T
        self.mirrored = bool(linear[0] @ cofactors[0] < 0)
        # Unlike with a mirrored bone, a mirrored object's normals keep pointing outward. Only direction counts.
        size = np.abs(cofactors).max() or 1.0
        self.normal_to_view = Matrix((cofactors / (-size if self.mirrored else size)).tolist())


def _object_rows(
    settings: DisplaySettings, view: _View, extent: tuple[float, float, float]
) -> NDArray[np.float32]:
    """Pack the uniforms that lib/drawn_object.glsl declares: (7, 4) float32."""
    rows = np.zeros((7, 4), dtype=np.float32)
    rows[0, :3] = settings.base_color
    rows[1] = settings.wire_color
    rows[2:5, :3] = view.mesh_to_world[:3, :3]
    rows[5, :3] = np.minimum(extent, BEYOND_ALL_COLUMNS)
    rows[6, :2] = settings.toward_viewer * view.depth_per_unit
    return rows
