"""The actions that Blender's exporters write for an armature, their order, and the pose of bones without keys.

Read in Blender's io_scene_gltf2 (exp/animation/action.py, tracks.py) and io_scene_fbx (export_fbx_bin.py), 4.2
and 5.2; `tests/engines/test_playback_in_files.py` reads the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import bpy

from ...core.profiles.export_options import AnimationMode, GltfOptions
from ...core.text.identity import Identity
from ..identification import identity
from .actions import keyed_bones


@dataclass(frozen=True)
class WrittenAction:
    """action: its identity. slot: its identifier, None before Blender 4.4."""

    action: Identity
    slot: str | None


def active_action(armature: bpy.types.Object) -> WrittenAction | None:
    """Return the action that is assigned to an armature object, if it animates anything."""
    data = armature.animation_data
    if data is None or data.action is None:
        return None
    if not hasattr(data, "action_slot"):
        return WrittenAction(identity(data.action), None)
    return WrittenAction(identity(data.action), data.action_slot.identifier) if data.action_slot else None


def gltf_actions(armature: bpy.types.Object, options: GltfOptions, *, alone: bool) -> list[WrittenAction]:
    """List the actions that become animations of a .glb, in the exporter's order: by name, ignoring case.

    alone: whether the scene has no other armature.
    """
    if armature.animation_data is None:
        return []
    found = dict.fromkeys(_in_order_found(armature, options, alone=alone))
    left_out = _left_out()
    kept = [one for one in found if one.action not in left_out]
    return sorted(kept, key=lambda one: one.action.name.lower())


def keeps_scene_pose(armature: bpy.types.Object, played: WrittenAction, written: list[WrittenAction]) -> bool:
    """Whether bones that an action doesn't key are posed in the .glb as they are in the scene.

    They are put at rest whenever the exporter assigns a different action. So only the active action keeps their
    pose, and only if it is written first.

    written: by `gltf_actions`.
    """
    active = active_action(armature)
    return active is not None and played == active and written[:1] == [active]


def _in_order_found(
    armature: bpy.types.Object, options: GltfOptions, *, alone: bool
) -> Iterator[WrittenAction]:
    if options.mode is AnimationMode.BROADCAST:
        yield from _all_for_armatures()
        return
    active = active_action(armature)
    if active is not None:
        yield active
    if options.mode is not AnimationMode.ACTIONS:
        return
    on_tracks = [one for track in armature.animation_data.nla_tracks for one in _of_track(track)]
    yield from on_tracks
    if alone and options.single_armature:
        had = {one.action for one in (active, *on_tracks) if one is not None}
        yield from (one for one in _all_for_armatures() if one.action not in had)


def _of_track(track: bpy.types.NlaTrack) -> Iterator[WrittenAction]:
    strips = [one for one in track.strips if one.action is not None and not one.mute]
    if len(strips) != 1 or strips[0].action is None:
        # The exporter refuses tracks of several strips in this mode.
        return
    action = identity(strips[0].action)
    if not hasattr(strips[0], "action_slot"):
        yield WrittenAction(action, None)
    elif strips[0].action_slot is not None:
        yield WrittenAction(action, strips[0].action_slot.identifier)


def _all_for_armatures() -> Iterator[WrittenAction]:
    for action in bpy.data.actions:
        # The type checker knows only one Blender.
        if not hasattr(action, "slots") and cast("Any", action).id_root != "OBJECT":
            continue
        for slot, bones in keyed_bones(action).items():
            if bones and (slot is None or action.slots[slot].target_id_type == "OBJECT"):
                yield WrittenAction(identity(action), slot)


def _left_out() -> set[Identity]:
    """Return the actions that are switched off in the exporter's own list, if it has one."""
    listed = getattr(bpy.data.scenes[0], "gltf_action_filter", ())
    return {identity(one.action) for one in listed if one.action is not None and not one.keep}
