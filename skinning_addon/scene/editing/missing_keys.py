"""Keys for bones that an armature's actions leave unkeyed.

Blender keeps such bones as they are posed when another action is assigned. Files hold each action by itself:
there they are at rest, or as another action has left them, depending on the exporter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.text.errors import UsageError
from ..clips.action_curves import ROTATION_CHANNELS, OwnAction, played_action
from ..clips.actions import keyed_channels
from ..clips.clips import list_clips
from ..identification import action_of, identity

_AWAY = 1e-6
"""An element of a bone's own matrix that differs by more from rest poses it."""


@dataclass(frozen=True)
class MissingKeys:
    """What an action doesn't key. own: the action, with the armature's slot; None for a new one. frame: its
    first. channels: names of bones, each with a channel and an index of it.
    """

    own: OwnAction | None
    frame: float
    channels: tuple[tuple[str, str, int], ...]


def missing_keys(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[MissingKeys]:
    """List what the armature's actions in a scene don't key of bones that move: those that another of its
    actions keys, and those that are posed now. Without actions, those are for a new one.

    Raises:
        UsageError: an action that lacks keys is linked.
    """
    actions = list(_actions_of(scene, armature))
    keyed = [keyed_channels(one.action, one.slot) for one in actions]
    moving = {bone for channels in keyed for bone, _, _ in channels}
    bones = [one for one in armature.pose.bones if one.name in moving or _is_posed(one)]
    wanted = [(bone.name, channel, index) for bone in bones for channel, index in _channels(bone)]
    if wanted and not actions:
        return [MissingKeys(None, scene.frame_start, tuple(wanted))]
    found: list[MissingKeys] = []
    for own, has in zip(actions, keyed, strict=True):
        channels = tuple(one for one in wanted if one not in has)
        if not channels:
            continue
        _check_can_be_keyed(own, armature, channels)
        found.append(MissingKeys(own, own.action.frame_range[0], channels))
    return found


def key_missing(armature: bpy.types.Object, missing: Iterable[MissingKeys]) -> list[bpy.types.Action]:
    """Key what is missing as the bones are posed now; return the actions."""
    keyed: list[bpy.types.Action] = []
    for one in missing:
        own = one.own or played_action(armature)
        keyed.append(own.action)
        for name, channel, index in one.channels:
            value = getattr(armature.pose.bones[name], channel)[index]
            own.hold(_path(armature, name, channel), index, one.frame, value, group=name)
    return keyed


def _check_can_be_keyed(
    own: OwnAction, armature: bpy.types.Object, channels: Iterable[tuple[str, str, int]]
) -> None:
    """Raise UsageError if that would change what the user keeps from changing."""
    if own.action.library or own.action.override_library:
        raise UsageError(
            "'{action}' of '{armature}' is linked; make it local to key its bones.",
            action=own.action.name,
            armature=armature.name,
        )
    paths = {(_path(armature, bone, channel), index): bone for bone, channel, index in channels}
    for curve in own.curves():
        bone = paths.get((curve.data_path, curve.array_index))
        if bone is not None and len(curve.keyframe_points):
            raise UsageError(
                "Curves of '{bone}' are muted in '{action}'; unmute or delete them to key every bone.",
                bone=bone,
                action=own.action.name,
            )


def _path(armature: bpy.types.Object, bone: str, channel: str) -> str:
    return f"{armature.pose.bones[bone].path_from_id()}.{channel}"


def _actions_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> Iterator[OwnAction]:
    name = identity(armature)
    parts = (part for clip in list_clips(scene, [armature]) for part in clip.parts)
    for action, slot in dict.fromkeys((one.action, one.slot) for one in parts if one.armature == name):
        if action is not None:
            yield OwnAction.of(action_of(action), slot)


def _channels(bone: bpy.types.PoseBone) -> Iterator[tuple[str, int]]:
    """List a bone's channels, with the rotation that counts."""
    rotation = ROTATION_CHANNELS.get(bone.rotation_mode, "rotation_euler")
    for channel in ("location", rotation, "scale"):
        for index in range(len(getattr(bone, channel))):
            yield channel, index


def _is_posed(bone: bpy.types.PoseBone) -> bool:
    """Whether a bone's own channels move it from its rest pose."""
    return bool(np.abs(np.array(bone.matrix_basis) - np.eye(4)).max() > _AWAY)
