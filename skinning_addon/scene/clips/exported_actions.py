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
from ..identification import action_of, identity, object_of
from .actions import GAME_READY, keys_bones
from .clips import ArmatureClip, SceneClip, plays_unchanged

IN_TIME = 1e-3
"""A strip that begins this close to its action, in frames, plays it in the action's own time."""

Animated = bpy.types.Object | bpy.types.Key
"""What actions are written for."""


@dataclass(frozen=True)
class WrittenAction:
    """action: its identity. slot: its identifier, None before Blender 4.4."""

    action: Identity
    slot: str | None


def active_action(animated: Animated) -> WrittenAction | None:
    """Return the action that is assigned to an object or to shape keys, if it animates anything."""
    data = animated.animation_data
    if data is None or data.action is None:
        return None
    if not hasattr(data, "action_slot"):
        return WrittenAction(identity(data.action), None)
    return WrittenAction(identity(data.action), data.action_slot.identifier) if data.action_slot else None


def gltf_actions(animated: Animated, options: GltfOptions, *, alone: bool) -> list[WrittenAction]:
    """List the actions that become animations of a .glb, in the exporter's order: by name, ignoring case.

    animated: an armature, or another object or its shape keys. alone: whether the scene has no other armature.
    """
    if animated.animation_data is None:
        return []
    found = dict.fromkeys(_in_order_found(animated, animated.animation_data, options, alone=alone))
    left_out = _left_out()
    kept = [one for one in found if one.action not in left_out]
    return sorted(kept, key=lambda one: one.action.name.lower())


def action_in_file(
    armature: bpy.types.Object, options: GltfOptions, written: list[WrittenAction]
) -> WrittenAction | None:
    """Return the action that a .glb has in place of what the scene plays; None without any.

    written: by `gltf_actions`. Where several are joined into one animation, the first one's channels stay.
    """
    if options.mode is AnimationMode.ACTIVE_ACTIONS:
        return next(iter(written), None)
    active = active_action(armature)
    return active if active in written else None


def keeps_scene_pose(armature: bpy.types.Object, played: WrittenAction, written: list[WrittenAction]) -> bool:
    """Whether bones that an action doesn't key are posed in the .glb as they are in the scene.

    They are put at rest whenever the exporter assigns a different action. So only the active action keeps their
    pose, and only if it is written first.

    written: by `gltf_actions`.
    """
    active = active_action(armature)
    return active is not None and played == active and written[:1] == [active]


def track_of_part(armature: bpy.types.Object, part: ArmatureClip) -> bpy.types.NlaTrack | None:
    """Return the first NLA track that an armature's part of a clip is, or whose strips play its action."""
    data = armature.animation_data
    tracks = data.nla_tracks if data is not None else ()
    return next((one for one in tracks if is_of_track(part, one)), None)


def as_action(armature: bpy.types.Object, part: ArmatureClip) -> ArmatureClip:
    """Return the action for an armature's part of a clip that is an NLA track: exporters that write actions
    write that of its only strip, whole, so a part of it plays in the file too. Any other part stays as it is.
    """
    track = track_of_part(armature, part) if part.action is None else None
    if track is None or len(track.strips) != 1:
        return part
    strip = track.strips[0]
    in_own_time = abs(strip.frame_start - strip.action_frame_start) <= IN_TIME
    if strip.action is None or not in_own_time or not plays_unchanged(strip):
        return part
    slot = getattr(strip, "action_slot", None)
    return ArmatureClip(part.armature, identity(strip.action), slot.identifier if slot is not None else None)


def frames_of_actions(clip: SceneClip) -> tuple[float, float] | None:
    """Return the first and the last frame of a clip's actions, which exporters write whole (`as_action`); None
    without any.
    """
    written = [as_action(object_of(one.armature), one).action for one in clip.parts]
    ranges = [action_of(one).frame_range for one in written if one is not None]
    return (min(one[0] for one in ranges), max(one[1] for one in ranges)) if ranges else None


def is_of_track(part: ArmatureClip, track: bpy.types.NlaTrack) -> bool:
    """Tell whether a part of a clip is a track, or an action that its strips play."""
    actions = {identity(one.action) for one in track.strips if one.action is not None}
    return track.name == part.track or part.action in actions


def _in_order_found(
    animated: Animated, data: bpy.types.AnimData, options: GltfOptions, *, alone: bool
) -> Iterator[WrittenAction]:
    kind = animated.type if isinstance(animated, bpy.types.Object) else None
    if options.mode is AnimationMode.BROADCAST:
        # Other kinds of objects get none.
        yield from _all_for(animated, bones=kind == "ARMATURE") if kind in {"ARMATURE", "MESH"} else ()
        return
    active = active_action(animated)
    if active is not None:
        yield active
    of_all = options.mode is AnimationMode.ACTIONS
    on_tracks = [one for track in data.nla_tracks for one in _of_track(track)] if of_all else []
    yield from on_tracks
    if not of_all and not (options.mode is AnimationMode.ACTIVE_ACTIONS and _joins_all()):
        return
    if kind == "ARMATURE" and alone and options.single_armature:
        had = {one.action for one in (active, *on_tracks) if one is not None}
        yield from (one for one in _all_for(animated, bones=True) if one.action not in had)


def _joins_all() -> bool:
    """Whether a single armature gets all actions in the mode for active ones too, as before Blender 4.4."""
    return not hasattr(bpy.types, "ActionSlot")


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


def may_play(animated: Animated, action: bpy.types.Action) -> bool:
    """Whether an action is right for an armature as far as game-ready copies are concerned: neither is of a
    copy, or the armature uses it.
    """
    return not (GAME_READY in animated or GAME_READY in action) or action in _used(animated)


def _used(animated: Animated) -> set[bpy.types.Action | None]:
    data = animated.animation_data
    if data is None:
        return set()
    return {data.action} | {strip.action for track in data.nla_tracks for strip in track.strips}


def _all_for(animated: Animated, *, bones: bool) -> Iterator[WrittenAction]:
    """List the actions of objects that move bones, or those that don't; of game-ready copies, see `may_play`:
    the exporter asks us (`exports.own_actions`).
    """
    for action in bpy.data.actions:
        if not may_play(animated, action):
            continue
        # The type checker knows only one Blender.
        if not hasattr(action, "slots") and cast("Any", action).id_root != "OBJECT":
            continue
        for slot, keyed in keys_bones(action).items():
            if keyed is bones and (slot is None or action.slots[slot].target_id_type == "OBJECT"):
                yield WrittenAction(identity(action), slot)


def _left_out() -> set[Identity]:
    """Return the actions that are switched off in the exporter's own list, if it has one."""
    listed = getattr(bpy.data.scenes[0], "gltf_action_filter", ())
    return {identity(one.action) for one in listed if one.action is not None and not one.keep}
