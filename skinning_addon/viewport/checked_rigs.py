"""Whether rigs have changed since they were checked. Event handlers mark what may have; a timer compares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ..scene.binding.rig_signature import (
    KeySummaries,
    bones_signature,
    motion_signature,
    names_signature,
    own_scales,
    shape_signature,
    with_carriers,
)
from ..scene.object_data import mesh_of
from ..scene.objects.animated_settings import deformation_is_animated
from ..scene.objects.modifier_stack import armature_objects
from .choices.dated_results import DatedResults, ResultKey
from .objects.object_lookup import ObjectLookup

SECONDS_TO_WAIT = 0.3
"""From a change to the comparison: painting and posing have to stay smooth."""

SECONDS_FOR_KEYS = 0.02
"""How long to read keys at once: after undo, all actions are read again."""


@dataclass(frozen=True, eq=False)
class CheckedRig:
    """A checked mesh with its armatures. uid: session_uid of the mesh object. blocks: of all that it is made
    of; mesh_data: of the mesh and its shape keys. clips: names of what was played. names: of the objects.
    scales: see `own_scales`.
    """

    uid: int
    blocks: frozenset[int]
    mesh_data: frozenset[int]
    clips: frozenset[str]
    names: Hashable
    shape: Hashable
    bones: Hashable
    motion: Hashable
    scales: Mapping[int, tuple[Hashable, ...] | None]

    def is_scaled_otherwise(self, now: Mapping[int, tuple[Hashable, ...] | None]) -> bool:
        """Whether an object has another scale now, or something else carries it. What was or is animated is not
        compared: its keys are.
        """
        if now.keys() != self.scales.keys():
            return True
        return any(scale is not None and now[uid] not in (None, scale) for uid, scale in self.scales.items())


_Subject = tuple[DatedResults[Any], ResultKey]


class CheckedRigs:
    """The rigs of all checks as they were then.

    due: whether something may have changed since the last comparison.
    """

    def __init__(self, objects: ObjectLookup) -> None:
        self.due = False
        self._objects = objects
        self._rigs: dict[_Subject, tuple[CheckedRig, ...]] = {}
        self._keys = KeySummaries()
        self._marked: set[int] = set()
        self._keys_marked = False
        self._forgotten: set[int] | None = set()
        self._all_marked = False
        self._reshaped: set[tuple[_Subject, int]] = set()

    def keys_are_read(self) -> bool:
        """Read some of the file's keys, so that `as_they_are` won't take long; return whether all are read."""
        self._forget_marked_keys()
        self._keys.want(bpy.data.actions)
        return self._keys.read(SECONDS_FOR_KEYS)

    def as_they_are(
        self,
        depsgraph: bpy.types.Depsgraph,
        meshes: Iterable[bpy.types.Object],
        clips: Iterable[str],
    ) -> tuple[CheckedRig, ...]:
        """Summarize rigs as they are. clips: names of what is played. Not while drawing."""
        self._forget_marked_keys()
        played = frozenset(clips)
        return tuple(_rig(depsgraph, one, played, self._keys) for one in meshes)

    def remember(
        self,
        results: DatedResults[Any],
        keys: Collection[ResultKey],
        rigs: tuple[CheckedRig, ...],
    ) -> None:
        """Note what results that have just been kept are about. rigs: `as_they_are` when the check began; they
        may have changed since.
        """
        for key in keys:
            self._rigs[results, key] = rigs
        # Keys that have changed meanwhile are marked.
        self._all_marked = self.due = True

    def mark(self, uid: int) -> None:
        """Note that a data-block has changed. Cheap, and safe from any thread."""
        self._marked.add(uid)
        self.due = bool(self._rigs)

    def mark_keys(self, uid: int) -> None:
        """Note that an action has changed."""
        if self._forgotten is not None:
            self._forgotten.add(uid)
        self._keys_marked = True
        self.due = bool(self._rigs)

    def mark_types(self, types: Collection[str]) -> None:
        """Note that data-blocks of these types ('ACTION', 'MESH', ...) have changed, unknown which."""
        if "ACTION" in types:
            self._forgotten, self._keys_marked = None, True
        reshaped = not {"MESH", "KEY"}.isdisjoint(types)
        for one in (rig for rigs in self._rigs.values() for rig in rigs):
            self._marked |= one.blocks if reshaped else one.blocks - one.mesh_data
        self.due = bool(self._rigs)

    def mark_all(self) -> None:
        """Note that anything may have changed, as after undo."""
        self._forgotten = None
        self._all_marked = True
        self.due = bool(self._rigs)

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._rigs.clear()
        self._keys.clear()
        self._reshaped.clear()
        self._marked.clear()
        self._forgotten = set()
        self.due = self._keys_marked = self._all_marked = False

    def compare(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> bool:
        """Compare the rigs of a scene with what was checked, and tell the results; return whether a verdict is
        old now that was not, or the other way round. Not while drawing.

        Stays due if there are more keys to read than the time allows.
        """
        self._forget_marked_keys()
        if not self._keys.read(SECONDS_FOR_KEYS):
            return False
        marked, keys_marked, everything = self._marked, self._keys_marked, self._all_marked
        self._marked, self.due, self._keys_marked, self._all_marked = set(), False, False, False
        if everything:
            self._reshaped.clear()
        now = _Now(self._objects, depsgraph, self._keys)
        changed = False
        for subject, rigs in self._rigs.items():
            results, key = subject
            if key[0] != scene.session_uid:
                continue
            if any(everything or keys_marked or one.blocks & marked for one in rigs):
                same = not any(
                    self._differs(subject, one, now, everything or bool(one.mesh_data & marked))
                    for one in rigs
                )
                changed |= results.mark_outdated([key], outdated=not same)
        return changed

    def _forget_marked_keys(self) -> None:
        forgotten, self._forgotten = self._forgotten, set()
        self._keys.forget(forgotten)

    def _differs(self, subject: _Subject, rig: CheckedRig, now: _Now, reshaped: bool) -> bool:
        mesh_object = now.find(rig.uid)
        if mesh_object is None:
            return True
        if subject[0].by_name and names_signature(mesh_object) != rig.names:
            return True
        if now.bones(mesh_object) != rig.bones or now.motion(mesh_object, rig.clips) != rig.motion:
            return True
        if rig.is_scaled_otherwise(own_scales(mesh_object, self._keys.scales)):
            return True
        # While a mesh is painted, it differs from the first stroke on: only undo makes it worth reading again.
        known = (subject, rig.uid) in self._reshaped
        # In Edit Mode the mesh can't be read; leaving it marks the mesh once more.
        readable = not mesh_of(mesh_object).is_editmode
        if reshaped and readable and not known and now.shape(mesh_object) != rig.shape:
            self._reshaped.add((subject, rig.uid))
            known = True
        return known


class _Now:
    """Rigs as they are in one comparison, each read once: several verdicts may be about the same."""

    def __init__(self, objects: ObjectLookup, depsgraph: bpy.types.Depsgraph, keys: KeySummaries) -> None:
        self._objects, self._depsgraph, self._keys = objects, depsgraph, keys
        self._read: dict[tuple[object, ...], Hashable] = {}

    def find(self, uid: int) -> bpy.types.Object | None:
        found = self._objects.find(uid)
        return found if found is not None and found.type == "MESH" else None

    def bones(self, one: bpy.types.Object) -> Hashable:
        return self._once((one, "bones"), lambda: _bones(one, self._depsgraph))

    def motion(self, one: bpy.types.Object, clips: frozenset[str]) -> Hashable:
        return self._once((one, clips), lambda: motion_signature(one, clips, self._keys.of))

    def shape(self, one: bpy.types.Object) -> Hashable:
        return self._once((one, "shape"), lambda: shape_signature(one))

    def _once(self, key: tuple[object, ...], read: Callable[[], Hashable]) -> Hashable:
        if key not in self._read:
            self._read[key] = read()
        return self._read[key]


def _rig(
    depsgraph: bpy.types.Depsgraph,
    mesh_object: bpy.types.Object,
    clips: frozenset[str],
    keys_of_actions: KeySummaries,
) -> CheckedRig:
    armatures = armature_objects(mesh_object)
    data = mesh_object.data
    keys = data.shape_keys if isinstance(data, bpy.types.Mesh) else None
    mesh_data = {one.session_uid for one in (data, keys) if one is not None}
    parts = (*with_carriers(mesh_object), *(one.data for one in armatures))
    blocks = mesh_data | {one.session_uid for one in parts if one is not None}
    return CheckedRig(
        mesh_object.session_uid,
        frozenset(blocks),
        frozenset(mesh_data),
        clips,
        names_signature(mesh_object),
        shape_signature(mesh_object),
        _bones(mesh_object, depsgraph),
        motion_signature(mesh_object, clips, keys_of_actions.of),
        own_scales(mesh_object, keys_of_actions.scales),
    )


def _bones(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Hashable:
    """Summarize the bones; nothing if their settings are animated, since they change with the frame."""
    return None if deformation_is_animated(mesh_object) else bones_signature(mesh_object, depsgraph)
