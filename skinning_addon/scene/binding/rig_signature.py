"""Whether a rig is still as it was when it was checked: a summary of everything that a verdict depends on.

The three parts are read apart, because they cost differently: a pose is changed dozens of times a second, and a
mesh's weights take a microsecond a vertex to read. Keys cost most: half a second for a game character's 76
actions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..clips.actions import fcurves
from ..clips.playback import ScenePlayback
from ..identification import identity
from ..meshes.mesh_reader import read_positions
from ..meshes.vertex_group_reader import read_memberships
from ..object_data import armature_of, mesh_of
from ..objects.modifier_stack import armature_objects
from .binding_signature import binding_signature

_INTERPOLATION: Any = bpy.types.Keyframe.bl_rna.properties["interpolation"]
_BEZIER: int = _INTERPOLATION.enum_items["BEZIER"].value
_SCALES = ("scale", "delta_scale")
_INHERITED = ("inherit_scale", "use_inherit_rotation", "use_local_location")


def shape_signature(mesh_object: bpy.types.Object) -> Hashable:
    """Summarize a mesh's vertices, weights and shape keys. Costs about a microsecond for each weight."""
    mesh = mesh_of(mesh_object)
    memberships = read_memberships(mesh)
    digest = blake2b(digest_size=16)
    for one in (read_positions(mesh), memberships.vertices, memberships.groups, memberships.weights):
        digest.update(np.ascontiguousarray(one).tobytes())
    for key in mesh.shape_keys.key_blocks if mesh.shape_keys else ():
        points = np.empty(3 * len(key.data), dtype=np.float32)
        key.data.foreach_get("co", points)
        digest.update(points.tobytes())
    return digest.digest(), len(mesh.polygons), tuple(mesh_object.vertex_groups.keys())


def bones_signature(mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Hashable:
    """Summarize modifiers, bones and constraints, but neither the pose nor what objects are called. Costs about
    two microseconds per bone.
    """
    signature = binding_signature(mesh_object, depsgraph)
    stack, bones = signature.stack[1:], tuple(one[1:] for one in signature.bones)
    return stack, bones, tuple(map(_constraints, armature_objects(mesh_object)))


def names_signature(mesh_object: bpy.types.Object) -> Hashable:
    """Summarize what a mesh object and its armatures are called."""
    return tuple(identity(one) for one in (mesh_object, *armature_objects(mesh_object)))


def motion_signature(
    mesh_object: bpy.types.Object,
    clips: Collection[str],
    keys_of: Callable[[bpy.types.Action], bytes],
) -> Hashable:
    """Summarize the keys of what a check played. clips: their names, as in its report. keys_of: summarizes an
    action, as `KeySummaries.of` does.
    """
    digest = blake2b(digest_size=16)
    armatures = armature_objects(mesh_object)
    keys = mesh_of(mesh_object).shape_keys
    played: list[Any] = [mesh_object, *armatures, *map(armature_of, armatures), *([keys] if keys else [])]
    # What carries them has no clips of theirs, and plays whatever they do.
    carriers = [one for one in with_carriers(mesh_object) if one not in played]
    whole_scene = ScenePlayback.name in clips
    for block in (*played, *carriers):
        data, everything = block.animation_data, whole_scene or block in carriers
        if data is None:
            continue
        if everything and data.action is not None:
            digest.update(keys_of(data.action))
        for track in data.nla_tracks:
            if everything or track.name in clips:
                _add_track(digest, track, keys_of)
        for driver in data.drivers:
            digest.update(f"{driver.data_path}{driver.driver.type}{driver.driver.expression}".encode())
    for name in sorted(clips):
        if (action := bpy.data.actions.get(name)) is not None:
            digest.update(keys_of(action))
    return digest.digest()


def with_carriers(mesh_object: bpy.types.Object) -> tuple[bpy.types.Object, ...]:
    """Return a mesh object, its armatures, and all objects that they are children of, each once."""
    found: dict[bpy.types.Object, None] = {}
    left = [*armature_objects(mesh_object), mesh_object]
    while left:
        one = left.pop()
        if one not in found:
            found[one] = None
            left += [one.parent] if one.parent is not None else []
    return tuple(found)


def own_scales(
    mesh_object: bpy.types.Object, scales: Callable[[bpy.types.Action], bool]
) -> dict[int, tuple[Hashable, ...] | None]:
    """Return the scales of a mesh object, its armatures and what carries them, and which constraints they have,
    by session_uid; None for those whose scale is animated. scales: tells whether an action has keys of its
    object's scale, as `KeySummaries.scales` does.
    """
    return {
        one.session_uid: None
        if _is_scaled_by_animation(one, scales)
        else (*one.scale, *one.delta_scale, *((each.type, each.mute) for each in one.constraints))
        for one in with_carriers(mesh_object)
    }


def _is_scaled_by_animation(one: bpy.types.Object, scales: Callable[[bpy.types.Action], bool]) -> bool:
    data = one.animation_data
    if data is None:
        return False
    strips = (strip.action for track in data.nla_tracks for strip in track.strips)
    actions = [action for action in (data.action, *strips) if action is not None]
    return any(driver.data_path in _SCALES for driver in data.drivers) or any(map(scales, actions))


class _Keys(NamedTuple):
    summary: bytes
    scales: bool


class KeySummaries:
    """Summaries of actions' keys, each kept until `forget` says that the action may have changed.

    Costs about 10 microseconds for each F-curve. `want` and `read` do that ahead, a little at a time.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Keys] = {}
        self._wanted: set[int] = set()

    def of(self, action: bpy.types.Action) -> bytes:
        """Return the summary of an action."""
        return self._of(action).summary

    def scales(self, action: bpy.types.Action) -> bool:
        """Tell whether an action has keys of its object's scale."""
        return self._of(action).scales

    def forget(self, uids: Collection[int] | None = None) -> None:
        """Forget the summaries of some actions, by session_uid; by default, of all. They are wanted again."""
        for uid in tuple(self._known) if uids is None else uids:
            if self._known.pop(uid, None) is not None:
                self._wanted.add(uid)

    def want(self, actions: Iterable[bpy.types.Action]) -> None:
        """Have `read` read these actions, too."""
        self._wanted |= {one.session_uid for one in actions} - self._known.keys()

    def read(self, seconds: float) -> bool:
        """Read what was requested until the time is up; return whether that was everything."""
        end = time.perf_counter() + seconds
        for action in [one for one in bpy.data.actions if one.session_uid in self._wanted]:
            if time.perf_counter() > end:
                return False
            self.of(action)
        self._wanted.clear()
        return True

    def _of(self, action: bpy.types.Action) -> _Keys:
        uid = action.session_uid
        if uid not in self._known:
            self._known[uid] = _read_keys(action)
            self._wanted.discard(uid)
        return self._known[uid]

    def clear(self) -> None:
        """Forget all actions for good."""
        self._known.clear()
        self._wanted.clear()


def _constraints(armature: bpy.types.Object) -> Hashable:
    bones = armature_of(armature).bones
    inherited = np.empty((len(_INHERITED), len(bones)), dtype=np.int32)
    for row, name in zip(inherited, _INHERITED, strict=True):
        bones.foreach_get(name, row)
    return inherited.tobytes(), tuple(_constraints_of_bones(armature))


def _constraints_of_bones(armature: bpy.types.Object) -> Iterator[Hashable]:
    for bone in armature.pose.bones if armature.pose else ():
        for one in bone.constraints:
            target: Any = getattr(one, "target", None)
            yield bone.name, one.name, one.type, one.mute, target.session_uid if target is not None else 0


def _add_track(digest: Any, track: bpy.types.NlaTrack, keys_of: Callable[[bpy.types.Action], bytes]) -> None:
    digest.update(f"{track.name}{track.mute}{track.is_solo}".encode())
    for strip in track.strips:
        settings = (
            strip.frame_start,
            strip.frame_end,
            strip.scale,
            strip.repeat,
            strip.blend_type,
            strip.mute,
        )
        digest.update(repr(settings).encode())
        if strip.action is not None:
            digest.update(keys_of(strip.action))


def _read_keys(action: bpy.types.Action) -> _Keys:
    digest, scales = blake2b(digest_size=16), False
    for curve in fcurves(action):
        scales |= curve.data_path in _SCALES
        digest.update(f"{curve.data_path}{curve.array_index}{curve.mute}".encode())
        points = curve.keyframe_points
        kinds = np.empty(len(points), dtype=np.int32)
        points.foreach_get("interpolation", kinds)
        digest.update(kinds.tobytes())
        # Keys of other kinds don't use their handles, and most imported ones are.
        bent = _BEZIER in kinds
        for name in ("co", "handle_left", "handle_right") if bent else ("co",):
            values = np.empty(2 * len(points), dtype=np.float32)
            points.foreach_get(name, values)
            digest.update(values.tobytes())
    return _Keys(digest.digest(), scales)
