"""An action's contents other than curve values: key times and pose markers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.clip import Marker
from ..identification import action_of, object_of
from ..object_data import armature_of
from .actions import POSE_BONE_PATH, fcurves
from .clips import ArmatureClip, SceneClip

OBJECT_MOTION = ("location", "rotation", "scale", "delta_")
"""Starts of the data paths by which an action moves the armature object itself."""


def curves_of(part: ArmatureClip) -> Iterator[bpy.types.FCurve]:
    """List the F-curves that a part of a clip plays; none if it plays an NLA track."""
    if part.action is None:
        return
    action = action_of(part.action)
    yield from fcurves(action, action.slots[part.slot] if part.slot is not None else None)


def key_frames(curve: bpy.types.FCurve) -> NDArray[np.float64]:
    """Return the frames of a curve's keys, (N,)."""
    points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points[::2].astype(np.float64)


def key_values(curve: bpy.types.FCurve) -> NDArray[np.float64]:
    """Return the values of a curve's keys, (N,)."""
    points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points[1::2].astype(np.float64)


def animated_bends(part: ArmatureClip) -> tuple[str, ...]:
    """List the bones whose bendy settings are animated by curves."""
    matches = (
        POSE_BONE_PATH.match(curve.data_path)
        for curve in _all_curves_of(part)
        if ".bbone_" in curve.data_path and len(curve.keyframe_points) > 1
    )
    return tuple(dict.fromkeys(bpy.utils.unescape_identifier(match[1]) for match in matches if match))


def missing_bones(part: ArmatureClip, armature: bpy.types.Object) -> tuple[str, ...]:
    """List the bones that are animated by curves but missing from the armature."""
    matches = (POSE_BONE_PATH.match(curve.data_path) for curve in _all_curves_of(part))
    names = dict.fromkeys(bpy.utils.unescape_identifier(match[1]) for match in matches if match)
    bones = armature_of(armature).bones
    return tuple(name for name in names if name not in bones)


def markers_of(part: ArmatureClip, clip: SceneClip) -> Iterator[Marker]:
    """Read the pose markers within the clip: its action's, or those of all actions on its track's strips."""
    if part.action is not None:
        found = ((one.name, float(one.frame)) for one in action_of(part.action).pose_markers)
    else:
        found = (one for strip in strips_of(part) for one in _markers_of_strip(strip))
    for name, frame in found:
        if clip.frame_start <= frame <= clip.frame_end:
            yield Marker(name, frame)


def strips_of(part: ArmatureClip) -> Iterator[bpy.types.NlaStrip]:
    """List the strips of an NLA track that play an action, including nested strips."""
    data = object_of(part.armature).animation_data
    for track in data.nla_tracks if data and part.track is not None else ():
        if track.name == part.track:
            yield from _playing(track.strips)


def _playing(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.NlaStrip]:
    for strip in strips:
        if not strip.mute:
            if strip.type == "CLIP" and strip.action is not None:
                yield strip
            yield from _playing(strip.strips)


def _markers_of_strip(strip: bpy.types.NlaStrip) -> Iterator[tuple[str, float]]:
    """Map an action's markers to frames through a strip's trimming, scale, repeats and direction.

    Strips with animated time are skipped: their curve decides when they pass a marker.
    """
    first, last = strip.action_frame_start, strip.action_frame_end
    length = (last - first) * strip.scale
    if strip.use_animated_time or length <= 0:
        return
    for marker in strip.action.pose_markers:
        if not first <= marker.frame <= last:
            continue
        along = (last - marker.frame if strip.use_reverse else marker.frame - first) * strip.scale
        for number in range(math.ceil(strip.repeat)):
            frame = strip.frame_start + number * length + along
            if frame <= strip.frame_end:
                yield marker.name, frame


def _all_curves_of(part: ArmatureClip) -> Iterator[bpy.types.FCurve]:
    """List a part's F-curves, including those of a track's strips, in their actions' own time."""
    yield from curves_of(part)
    for strip in strips_of(part):
        # `strips_of` lists only strips with an action.
        action = cast("bpy.types.Action", strip.action)
        yield from fcurves(action, getattr(strip, "action_slot", None))
