"""Whether a rig is still as it was when it was checked: a summary of everything that a verdict depends on.

The three parts are read apart, because they cost differently: a pose is changed dozens of times a second, and a
mesh's weights take a microsecond a vertex to read.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np

from ..clips.actions import fcurves
from ..clips.playback import ScenePlayback
from ..meshes.mesh_reader import read_positions
from ..meshes.vertex_group_reader import read_memberships
from ..object_data import armature_of, mesh_of
from ..objects.modifier_stack import armature_objects
from .binding_signature import binding_signature

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
    """Summarize modifiers, bones and constraints, but not the pose. Costs about two microseconds per bone."""
    signature = binding_signature(mesh_object, depsgraph)
    return signature.stack, signature.bones, tuple(map(_constraints, armature_objects(mesh_object)))


def motion_signature(mesh_object: bpy.types.Object, clips: Collection[str]) -> Hashable:
    """Summarize the keys of what a check played. clips: their names, as in its report."""
    digest = blake2b(digest_size=16)
    armatures = armature_objects(mesh_object)
    keys = mesh_of(mesh_object).shape_keys
    blocks: list[Any] = [mesh_object, *armatures, *map(armature_of, armatures), *([keys] if keys else [])]
    whole_scene = ScenePlayback.name in clips
    for data in (block.animation_data for block in blocks if block.animation_data):
        if whole_scene and data.action is not None:
            _add_action(digest, data.action)
        for track in data.nla_tracks:
            if whole_scene or track.name in clips:
                _add_track(digest, track)
        for driver in data.drivers:
            digest.update(f"{driver.data_path}{driver.driver.type}{driver.driver.expression}".encode())
    for name in sorted(clips):
        if (action := bpy.data.actions.get(name)) is not None:
            _add_action(digest, action)
    return digest.digest()


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
            yield bone.name, one.name, one.type, one.mute, target.name if target is not None else ""


def _add_track(digest: Any, track: bpy.types.NlaTrack) -> None:
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
            _add_action(digest, strip.action)


def _add_action(digest: Any, action: bpy.types.Action) -> None:
    for curve in fcurves(action):
        digest.update(f"{curve.data_path}{curve.array_index}{curve.mute}".encode())
        points = curve.keyframe_points
        for name in ("co", "handle_left", "handle_right"):
            values = np.empty(2 * len(points), dtype=np.float32)
            points.foreach_get(name, values)
            digest.update(values.tobytes())
        kinds = np.empty(len(points), dtype=np.int32)
        points.foreach_get("interpolation", kinds)
        digest.update(kinds.tobytes())
