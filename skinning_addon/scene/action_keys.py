"""What an action holds beside its curves' values: the times of keys, and the markers on poses."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..animation.clip import Marker
from .actions import POSE_BONE_PATH, fcurves
from .clips import Clip, ClipPart
from .object_data import armature_of


def curves_of(part: ClipPart) -> Iterator[bpy.types.FCurve]:
    """List the F-curves that a part of a clip plays; none where it plays an NLA track."""
    if part.action is None:
        return
    action = bpy.data.actions[part.action]
    yield from fcurves(action, action.slots[part.slot] if part.slot is not None else None)


def key_frames(curve: bpy.types.FCurve) -> NDArray[np.float64]:
    """Return the frames of a curve's keys, (N,)."""
    points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points[::2].astype(np.float64)


def animated_bends(part: ClipPart) -> tuple[str, ...]:
    """Name the bones of which curves animate how their bendy segments bend."""
    matches = (
        POSE_BONE_PATH.match(curve.data_path)
        for curve in curves_of(part)
        if ".bbone_" in curve.data_path and len(curve.keyframe_points) > 1
    )
    return tuple(dict.fromkeys(bpy.utils.unescape_identifier(match[1]) for match in matches if match))


def missing_bones(part: ClipPart, armature: bpy.types.Object) -> tuple[str, ...]:
    """Name the bones that curves animate and the armature lacks."""
    matches = (POSE_BONE_PATH.match(curve.data_path) for curve in curves_of(part))
    names = dict.fromkeys(bpy.utils.unescape_identifier(match[1]) for match in matches if match)
    bones = armature_of(armature).bones
    return tuple(name for name in names if name not in bones)


def markers_of(part: ClipPart, clip: Clip) -> Iterator[Marker]:
    """Read the action's pose markers that lie within the clip."""
    if part.action is None:
        return
    for marker in bpy.data.actions[part.action].pose_markers:
        if clip.frame_start <= marker.frame <= clip.frame_end:
            yield Marker(marker.name, float(marker.frame))
