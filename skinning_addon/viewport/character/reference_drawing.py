"""Blender's own result, drawn by us: so that it can be cut off at a line, be translucent, or alternate with
ours.

It is drawn with the same shaders and light as ours: anything that looks different is different.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np

from ...drawing.display_settings import DisplaySettings
from ...drawing.displays import BASE_COLOR, WIREFRAME, find_display
from ...drawing.skinned_drawing import SkinnedDrawing
from ...measurement.pictures.material_looks import material_looks
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import (
    read_corner_mesh,
    read_corner_normals,
    read_corner_vertices,
    read_positions,
    read_source_mesh,
)
from ..choices.settings import DEFAULT_DISPLAY
from .blender_reference import NEVER
from .comparing import Extent, Matrices
from .view import draw_everywhere

BLENDER_COLOR = (0.8, 0.8, 0.8)
"""Linear Rec.709; Blender's own colour for objects without a material."""


class ReferenceDrawing:
    """Draws the end of Blender's modifier stack. Keeps no Blender object; owns GPU objects: free it after
    use.
    """

    def __init__(self) -> None:
        """Creates no GPU objects."""
        self._drawing: SkinnedDrawing | None = None
        self._corner_vertices = np.empty(0, dtype=np.int32)
        self._counts = 0, 0
        self._revision = NEVER

    def follow(self, revision: int, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Send Blender's mesh, unless that of `revision` was sent already; only the moving data if nothing
        else differs.
        """
        if revision == self._revision and self._drawing is not None:
            return
        mesh = evaluated_mesh(mesh_object, depsgraph)
        counts = len(mesh.vertices), len(mesh.edges)
        corner_vertices = read_corner_vertices(mesh)
        if (
            self._drawing is not None
            and counts == self._counts
            and np.array_equal(corner_vertices, self._corner_vertices)
        ):
            self._drawing.set_positions(read_positions(mesh), read_corner_normals(mesh))
        else:
            self.free()
            # No passes: vertices are drawn at the positions sent.
            self._drawing = SkinnedDrawing((), read_source_mesh(mesh), read_corner_mesh(mesh))
            self._drawing.update(())
            self._corner_vertices, self._counts = corner_vertices, counts
        self._revision = revision

    def draw(
        self,
        display: str,
        everywhere: Iterable[Matrices],
        settings: DisplaySettings,
        extent: Extent,
        mesh_object: bpy.types.Object,
    ) -> None:
        """Draw what was sent last, at each place. display: of ours; those about skinning are drawn in plain
        grey.
        """
        if self._drawing is None:
            return
        if find_display(display).uses_materials and not self._drawing.has_materials:
            self._drawing.set_materials(material_looks(mesh_object))
        # If both coincide, ours should be visible.
        look = replace(settings, base_color=BLENDER_COLOR, depth_bias=0.5 * settings.depth_bias)
        own_display = display if display in {BASE_COLOR, WIREFRAME} else DEFAULT_DISPLAY
        draw_everywhere(self._drawing, own_display, everywhere, look, extent)

    def free(self) -> None:
        """Free the GPU memory."""
        if self._drawing is not None:
            self._drawing.free()
            self._drawing = None
