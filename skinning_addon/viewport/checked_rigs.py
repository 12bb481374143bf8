"""Whether rigs have changed since they were checked. Event handlers mark what may have; a timer compares."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass

import bpy

from ..scene.binding.rig_signature import bones_signature, motion_signature, shape_signature
from ..scene.object_data import mesh_of
from ..scene.objects.animated_settings import deformation_is_animated
from ..scene.objects.modifier_stack import armature_objects
from .choices.profile_results import CheckKey, ProfileResults
from .objects.object_lookup import ObjectLookup

SECONDS_TO_WAIT = 0.3
"""From a change to the comparison: painting and posing have to stay smooth."""


@dataclass(frozen=True, eq=False)
class _Rig:
    """A checked mesh with its armatures. uid: session_uid of the mesh object. blocks: of all that it is made
    of; mesh_data: of the mesh and its shape keys. clips: names of what was played.
    """

    uid: int
    blocks: frozenset[int]
    mesh_data: frozenset[int]
    clips: frozenset[str]
    shape: Hashable
    bones: Hashable
    motion: Hashable


class CheckedRigs:
    """The rigs of all checks as they were then.

    due: whether something may have changed since the last comparison.
    """

    def __init__(self, objects: ObjectLookup, results: ProfileResults) -> None:
        self.due = False
        self._objects, self._results = objects, results
        self._rigs: dict[CheckKey, tuple[_Rig, ...]] = {}
        self._marked: set[int] = set()
        self._keys_marked = self._all_marked = False
        self._reshaped: set[tuple[CheckKey, int]] = set()

    def remember(
        self,
        keys: Collection[CheckKey],
        depsgraph: bpy.types.Depsgraph,
        meshes: Iterable[bpy.types.Object],
        clips: Iterable[str],
    ) -> None:
        """Take rigs as they are for those of checks that have just ended. Not while drawing."""
        played = frozenset(clips)
        rigs = tuple(_rig(depsgraph, one, played) for one in meshes)
        for key in keys:
            self._rigs[key] = rigs
            self._reshaped -= {(key, one.uid) for one in rigs}

    def mark(self, uid: int) -> None:
        """Note that a data-block has changed. Cheap, and safe from any thread."""
        if self._rigs:
            self._marked.add(uid)
            self.due = True

    def mark_keys(self) -> None:
        """Note that an action has changed."""
        if self._rigs:
            self._keys_marked = self.due = True

    def mark_all(self) -> None:
        """Note that anything may have changed, as after undo."""
        if self._rigs:
            self._all_marked = self.due = True

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._rigs.clear()
        self._reshaped.clear()
        self._marked.clear()
        self.due = self._keys_marked = self._all_marked = False

    def compare(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
        """Compare the rigs of a scene with what was checked, and tell the results; return whether a verdict is
        old now that was not, or the other way round. Not while drawing.
        """
        marked, keys_marked, everything = self._marked, self._keys_marked, self._all_marked
        self._marked, self.due, self._keys_marked, self._all_marked = set(), False, False, False
        if everything:
            self._reshaped.clear()
        changed = False
        for key, rigs in self._rigs.items():
            if key[0] != scene.session_uid:
                continue
            touched = [one for one in rigs if everything or keys_marked or one.blocks & marked]
            if touched:
                same = not any(
                    self._differs(key, one, depsgraph, everything or bool(one.mesh_data & marked))
                    for one in rigs
                )
                changed |= self._results.mark_outdated([key], outdated=not same)
        return changed

    def _differs(
        self,
        key: CheckKey,
        rig: _Rig,
        depsgraph: bpy.types.Depsgraph,
        reshaped: bool,
    ) -> bool:
        mesh_object = self._objects.find(rig.uid)
        if mesh_object is None or mesh_object.type != "MESH":
            return True
        if _bones(mesh_object, depsgraph) != rig.bones:
            return True
        if motion_signature(mesh_object, rig.clips) != rig.motion:
            return True
        # While a mesh is painted, it differs from the first stroke on: only undo makes it worth reading again.
        known = (key, rig.uid) in self._reshaped
        # In Edit Mode the mesh can't be read; leaving it marks the mesh once more.
        readable = not mesh_of(mesh_object).is_editmode
        if reshaped and readable and not known and shape_signature(mesh_object) != rig.shape:
            self._reshaped.add((key, rig.uid))
            known = True
        return known


def _rig(
    depsgraph: bpy.types.Depsgraph,
    mesh_object: bpy.types.Object,
    clips: frozenset[str],
) -> _Rig:
    armatures = armature_objects(mesh_object)
    data = mesh_object.data
    keys = data.shape_keys if isinstance(data, bpy.types.Mesh) else None
    mesh_data = {one.session_uid for one in (data, keys) if one is not None}
    parts = (mesh_object, *armatures, *(one.data for one in armatures))
    blocks = mesh_data | {one.session_uid for one in parts if one is not None}
    return _Rig(
        mesh_object.session_uid,
        frozenset(blocks),
        frozenset(mesh_data),
        clips,
        shape_signature(mesh_object),
        _bones(mesh_object, depsgraph),
        motion_signature(mesh_object, clips),
    )


def _bones(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Hashable:
    """Summarize the bones; nothing if their settings are animated, since they change with the frame."""
    return None if deformation_is_animated(mesh_object) else bones_signature(mesh_object, depsgraph)
