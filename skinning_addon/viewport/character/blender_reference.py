"""Blender's result for a previewed mesh, read once for each state of the scene, and the frame it belongs
to.
"""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import BindingError
from ...drawing.source_texture import vectors_to_send
from ...scene.binding.frame import Frame
from ...scene.meshes.armature_result import modifiers_after, read_armature_result
from ...scene.meshes.blender_result import read_blender_positions, read_blender_result
from .authored import Authored, mesh_to_mesh

NEVER = -1
"""No revision."""


class BlenderReference:
    """The mesh a preview is compared with: Blender's final mesh or, if modifiers after the armature change
    that, the armature's own result. That one can't be read while drawing, so it may lag behind the drawing.
    Of a game-ready copy it is the original's.

    positions: (V, 3) float32, mesh space; None if Blender's result can't be compared; `problem` then says
    why. frame: the mesh as we pose it at the same instant: `scene_frame`, in the scene's state `revision`.
    before: the modifier before which Blender's stack was cut, '' if it is whole. stack_moves: by how much the
    rest of the stack changes the box around the mesh, mesh space; 0 if it is whole. wanted: whether
    `read_shadow` is due.
    """

    def __init__(self, vertex_count: int, authored: Authored | None = None) -> None:
        """authored: what is read instead of the mesh itself."""
        self.positions: NDArray[np.float32] | None = None
        self.problem = ""
        self.frame: Frame | None = None
        self.scene_frame = 0.0
        self.revision = NEVER
        self.before = ""
        self.wanted = False
        self.stack_moves = 0.0
        self._vertex_count = vertex_count
        self._authored = authored
        self._normals: NDArray[np.float32] | None = None

    def follow(
        self, revision: int, frame: Frame, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> None:
        """Read the positions, unless those of `revision` were read already, or note that the shadow is
        wanted.
        """
        if revision == self.revision:
            return
        if modifiers_after(mesh_object, depsgraph):
            self.wanted = True
            return
        self._belongs_to(revision, frame, depsgraph)
        try:
            source = self._source(mesh_object, depsgraph)
            # Heat maps send them, frame by frame.
            into = vectors_to_send(self._vertex_count)
            positions = read_blender_positions(source, depsgraph, self._vertex_count, into)
        except BindingError as error:
            self.problem = str(error)
        else:
            self.positions = _moved(positions, source, mesh_object, depsgraph)

    def read_shadow(
        self, revision: int, frame: Frame, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> None:
        """Read the armature's own result. Makes data-blocks: never call it while drawing."""
        self._belongs_to(revision, frame, depsgraph)
        try:
            source = self._source(mesh_object, depsgraph)
            self.before = next(iter(modifiers_after(source, depsgraph)), "")
            result = read_armature_result(source, depsgraph, self._vertex_count)
        except BindingError as error:
            self.problem = str(error)
            return
        self.positions = _moved(result.positions, source, mesh_object, depsgraph)
        self._normals = _turned(result.normals, source, mesh_object, depsgraph)
        box = np.array([tuple(corner) for corner in mesh_object.evaluated_get(depsgraph).bound_box])
        ends = (box.min(axis=0), box.max(axis=0))
        own = (self.positions.min(axis=0), self.positions.max(axis=0))
        self.stack_moves = float(np.abs(np.subtract(ends, own)).max())

    def normals(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> NDArray[np.float32] | None:
        """Return the normals (V, 3) that go with the positions; Blender computes them only on request."""
        if self._normals is None and not self.before:
            source = self._source(mesh_object, depsgraph)
            found = read_blender_result(source, depsgraph, self._vertex_count).normals
            self._normals = _turned(found, source, mesh_object, depsgraph)
        return self._normals

    def _source(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.Object:
        return mesh_object if self._authored is None else self._authored.evaluated_in(depsgraph)

    def _belongs_to(self, revision: int, frame: Frame, depsgraph: bpy.types.Depsgraph) -> None:
        self.revision, self.frame, self.scene_frame = revision, frame, depsgraph.scene.frame_current_final
        self.wanted = False
        self.before = self.problem = ""
        self.stack_moves = 0.0
        self.positions = self._normals = None


def _moved(
    positions: NDArray[np.float32],
    source: bpy.types.Object,
    target: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
) -> NDArray[np.float32]:
    """Return positions of one object in another's mesh space."""
    if source == target:
        return positions
    moved = mesh_to_mesh(source, target, depsgraph)
    return (positions @ moved[:3, :3] + moved[3, :3]).astype(np.float32)


def _turned(
    normals: NDArray[np.float32],
    source: bpy.types.Object,
    target: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph,
) -> NDArray[np.float32]:
    """Return normals of one object in another's mesh space."""
    if source == target:
        return normals
    turned = normals @ np.linalg.inv(mesh_to_mesh(source, target, depsgraph)[:3, :3]).T
    return (turned / np.linalg.norm(turned, axis=1, keepdims=True)).astype(np.float32)
