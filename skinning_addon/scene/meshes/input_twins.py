"""Twins of meshes with simulated input, which play through the frames of a scene opened for measuring.

A copy in a scene of its own has neither the earlier frames nor their cache. A twin in the mesh's scene is
simulated along with the mesh, from the first frame played, with its stack cut before the first armature. A
second twin keeps the whole stack, and must match the mesh in Blender at every frame: a cache that came with the
file belongs to the mesh alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ..objects.modifier_stack import is_simulated, read_stack
from .blender_result import evaluated_mesh
from .mesh_reader import read_positions

TWIN_NAME = ".skinscope twin"


@dataclass(frozen=True)
class _Twins:
    """cut: ends before the first armature modifier. whole: has all modifiers."""

    cut: bpy.types.Object
    whole: bpy.types.Object


class InputTwins:
    """Makes twins for the meshes that need them; free it after use. Changes the scene: not for a user's
    session.
    """

    def __init__(self, scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object]) -> None:
        self._of: dict[int, _Twins] = {}
        self._differed: set[int] = set()
        for one in meshes:
            stack = read_stack(one)
            if stack.armatures and any(map(is_simulated, stack.before)):
                names = [modifier.name for modifier in one.modifiers]
                cut = names[: names.index(stack.armatures[0].name)]
                if stack.passed_over is not None and not stack.half_way:
                    cut.remove(stack.passed_over.name)
                self._of[one.session_uid] = _Twins(_twin(scene, one, cut), _twin(scene, one, names))
        if self._of:
            bpy.context.view_layer.update()

    def input_of(
        self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> bpy.types.Mesh | None:
        """Return the input of a mesh's first armature modifier at the depsgraph's frame.

        None if the mesh has no twins, or they have differed from it at this frame or an earlier one.
        """
        twins = self._of.get(mesh_object.session_uid)
        if twins is None:
            return None
        shown = read_positions(evaluated_mesh(mesh_object, depsgraph))
        if not np.array_equal(read_positions(evaluated_mesh(twins.whole, depsgraph)), shown):
            self._differed.add(mesh_object.session_uid)
        if mesh_object.session_uid in self._differed:
            return None
        return evaluated_mesh(twins.cut, depsgraph)

    def free(self) -> None:
        """Remove the twins."""
        bpy.data.batch_remove([one for twins in self._of.values() for one in (twins.cut, twins.whole)])
        self._of.clear()


def _twin(
    scene: bpy.types.Scene, mesh_object: bpy.types.Object, modifiers: Sequence[str]
) -> bpy.types.Object:
    twin = mesh_object.copy()
    twin.name = TWIN_NAME
    for modifier in list(twin.modifiers):
        # Nothing must collide with a twin, least of all the mesh.
        if modifier.name not in modifiers or modifier.type == "COLLISION":
            twin.modifiers.remove(modifier)
    if twin.field is not None:
        twin.field.type = "NONE"
    scene.collection.objects.link(twin)
    return twin
