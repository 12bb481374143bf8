"""Converts an armature's properties to a controller's script, and back."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ...animation.events import EventKind
from ...animation.ramps import Transition
from ...animation.script import Script, ScriptKey, ScriptTrack
from ..settings.animation_settings import animation_settings, let_loop, loops
from ..settings.tracks_settings import (
    AT_ONCE,
    SKINSCOPE_PG_script,
    SKINSCOPE_PG_track,
    SKINSCOPE_PG_track_key,
)

VALUES: Mapping[str, str] = {
    "ENABLE": "enabled",
    "SPEED": "speed",
    "WEIGHT": "share",
    "POSITION": "position",
    "PRIORITY": "priority",
    "MASK": "share",
    "PRIORITY_BLEND": "share",
}
"""The property that holds the value, by what is keyed."""


def script_of(armature: bpy.types.Object) -> Script:
    """Return the script in an armature's properties, unchecked."""
    settings = script_settings(armature)
    script = Script(
        tuple(_track(one) for one in settings.tracks),
        tuple(_key(one) for one in settings.keys),
        settings.instances,
        _decimal(settings.seconds) or None,
        _decimal(settings.priority_blend),
    )
    once = tuple(name for name in script.clips if not loops(armature, name))
    return Script(script.tracks, script.keys, script.instances, script.seconds, script.priority_blend, once)


def keep_script(armature: bpy.types.Object, script: Script) -> None:
    """Write a script to an armature's properties."""
    settings = script_settings(armature)
    settings.tracks.clear()
    settings.keys.clear()
    for track in script.tracks:
        _keep_track(settings.tracks.add(), track)
    for key in script.keys:
        _keep_key(settings.keys.add(), key)
    settings.active_track = settings.active_key = settings.instance = 0
    settings.every = True
    settings.instances = script.instances
    settings.seconds = script.seconds or 0.0
    settings.priority_blend = script.priority_blend
    for name in script.clips:
        let_loop(armature, name, looping=name not in script.once)


def _track(item: SKINSCOPE_PG_track) -> ScriptTrack:
    return ScriptTrack(
        item.number,
        item.clip,
        item.enabled,
        _decimal(item.speed),
        _decimal(item.weight),
        _decimal(item.position),
        item.priority == "HIGH",
        {bone.name: _decimal(bone.amount) for bone in item.mask} if item.masked else None,
        None if item.every else item.instance,
    )


def _keep_track(item: SKINSCOPE_PG_track, track: ScriptTrack) -> None:
    item.number, item.clip, item.enabled = track.number, track.clip, track.enabled
    item.speed, item.weight, item.position = track.speed, track.weight, track.position
    item.priority = "HIGH" if track.high else "LOW"
    item.masked = track.mask is not None
    for bone, amount in (track.mask or {}).items():
        masked = item.mask.add()
        masked.name, masked.amount = bone, amount
    item.every, item.instance = track.instance is None, track.instance or 0


def _key(item: SKINSCOPE_PG_track_key) -> ScriptKey:
    value = getattr(item, VALUES[item.kind])
    at_once = item.kind in AT_ONCE
    return ScriptKey(
        _decimal(item.time),
        EventKind[item.kind],
        float(value == "HIGH") if item.kind == "PRIORITY" else _decimal(value),
        -1 if item.kind == "PRIORITY_BLEND" else item.number,
        0.0 if at_once else _decimal(item.duration),
        Transition.LINEAR if at_once else Transition[item.transition],
        None if item.every else item.instance,
    )


def _keep_key(item: SKINSCOPE_PG_track_key, key: ScriptKey) -> None:
    item.time, item.kind, item.number = key.time, key.kind.name, max(key.track, 0)
    value: object = key.value
    if key.kind is EventKind.ENABLE:
        value = bool(key.value)
    elif key.kind is EventKind.PRIORITY:
        value = "HIGH" if key.value else "LOW"
    setattr(item, VALUES[item.kind], value)
    item.duration, item.transition = key.duration, key.transition.name
    item.every, item.instance = key.instance is None, key.instance or 0


def _decimal(value: float) -> float:
    """Return the shortest decimal for a 32-bit property's value: 0.1 rather than 0.10000000149."""
    return float(str(np.float32(value)))


def script_settings(armature: bpy.types.Object) -> SKINSCOPE_PG_script:
    """Return the properties of an armature object's script."""
    return animation_settings(armature).script
