"""One mesh of which vertices are kept, whatever moves them: shape keys, modifiers after the armature."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.skinning.mesh import DrawMesh
from ...core.text.errors import BindingError
from ...drawing.skinned_drawing import SkinnedDrawing
from ...scene.binding.instant import Instant
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh, read_blender_positions
from ...scene.meshes.mesh_reader import (
    has_stray_corners,
    read_corner_mesh,
    read_corner_normals,
    read_corner_vertices,
    read_draw_mesh,
    read_source_mesh,
    read_vertex_normals,
)
from ...scene.object_data import mesh_of
from .cached_mesh import CachedMesh
from .stored_frame import StoredFrame, StoredVertices


class MovingMesh(CachedMesh[StoredVertices]):
    """The end of a mesh's modifier stack, with its vertices at each frame; its faces have to stay the same.

    reason: why poses can't hold it. draw_mesh: as drawn at any frame, but for its normals.
    """

    def __init__(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, reason: str = ""
    ) -> None:
        """Read its faces.

        Raises:
            BindingError: there are none, or it is being edited.
        """
        super().__init__(mesh_object)
        self.reason = reason
        if mesh_of(mesh_object).is_editmode:
            raise BindingError("'{mesh}' is in Edit Mode", mesh=self.name)
        mesh = evaluated_mesh(mesh_object, depsgraph)
        if not len(mesh.vertices) or has_stray_corners(mesh):
            raise BindingError("'{mesh}' has no vertices, or damaged faces", mesh=self.name)
        self._corners = read_corner_vertices(mesh)
        self._domain = mesh.normals_domain
        self._source = read_source_mesh(mesh)
        # Corners that look alike now may differ at another frame, unless all of a vertex share its normal.
        self.draw_mesh: DrawMesh = read_draw_mesh(mesh) if self._is_smooth else read_corner_mesh(mesh)

    @property
    def _is_smooth(self) -> bool:
        return self._domain == "POINT"

    def read(
        self,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        instant: Instant,  # noqa: ARG002 - vertices are no pose
    ) -> StoredVertices:
        """See `CachedMesh`."""
        mesh = evaluated_mesh(mesh_object, depsgraph)
        if (
            len(mesh.vertices) != self._source.vertex_count
            or mesh.normals_domain != self._domain
            or not np.array_equal(read_corner_vertices(mesh), self._corners)
        ):
            raise BindingError("'{mesh}': its faces differ from frame to frame", mesh=self.name)
        positions = read_blender_positions(mesh_object, depsgraph, self._source.vertex_count)
        normals = read_vertex_normals(mesh) if self._is_smooth else read_corner_normals(mesh)
        mesh_to_world = row_vectors(mesh_object.evaluated_get(depsgraph).matrix_world)
        return StoredVertices(mesh_to_world, positions, normals.astype(np.float16))

    def as_own(self, stored: StoredFrame) -> StoredVertices | None:
        """See `CachedMesh`."""
        normals = self._source.vertex_count if self._is_smooth else len(self._corners)
        if isinstance(stored, StoredVertices) and (len(stored.positions), len(stored.normals)) == (
            self._source.vertex_count,
            normals,
        ):
            return stored
        return None

    def _make_drawing(self) -> SkinnedDrawing:
        drawing = SkinnedDrawing((), self._source, self.draw_mesh)
        drawing.update(())
        return drawing

    def _send(self, drawing: SkinnedDrawing, frame: StoredVertices) -> None:
        drawing.set_positions(frame.positions, self.drawn_normals(frame))

    def drawn_normals(self, frame: StoredVertices) -> NDArray[np.float32]:
        """Return the normals (D, 3) of the drawn vertices."""
        normals = frame.normals.astype(np.float32)
        return normals[self.draw_mesh.source_vertex] if self._is_smooth else normals
