"""The keys that a .glb has of an action's curves if it is exported without *Always Sample Animations*.

Read in Blender's io_scene_gltf2 (exp/animation/fcurves, com/gltf2_blender_math.py), 4.2 to 5.2, whose steps it
takes one by one, its mistakes included: angles in any order are read as XYZ, an axis's angle in degrees, and a
missing angle is a component of a quaternion. `tests/engines/test_curves_in_files.py` compares the files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector
from numpy.typing import NDArray

from ...core.gltf.animation import CUBICSPLINE, LINEAR, STEP, Channel
from ...core.profiles.export_options import GltfOptions, NegativeFrames
from ...core.profiles.gltf_curves import LOCATION, ROTATION, SCALE, GltfCurves

_INTERPOLATIONS = {"BEZIER": CUBICSPLINE, "LINEAR": LINEAR, "CONSTANT": STEP}
"""What becomes of Blender's interpolations; curves with others are sampled."""

_LENGTHS = {
    "location": 3,
    "rotation_quaternion": 4,
    "rotation_axis_angle": 4,
    "rotation_euler": 3,
    "scale": 3,
}
"""Components of a bone's properties."""

_PATHS = {LOCATION: "translation", ROTATION: "rotation", SCALE: "scale"}
"""Channels as a node has them."""

_Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))

ChannelCurves = dict[tuple[str, str], list[bpy.types.FCurve]]
"""By bone and channel."""


def curves_in_gltf(
    armature: bpy.types.Object,
    action: bpy.types.Action,
    curves: ChannelCurves,
    options: GltfOptions,
    *,
    kept_at: float | None,
) -> GltfCurves:
    """Return what an action's curves are in a .glb that is exported from the scene that is shown. kept_at: the
    frame whose pose gives what isn't keyed; None for the rest pose.
    """
    written: dict[tuple[str, str], Channel] = {}
    sampled: set[tuple[str, str]] = set()
    for number, bone in enumerate(armature.pose.bones):
        for channel, path in _PATHS.items():
            own = curves.get((bone.name, channel), [])
            if own and _is_sampled(bone, own):
                sampled.add((bone.name, channel))
            elif own:
                frames = _frames(own[0], action, options, bpy.context.scene)
                if frames:
                    basis = Matrix() if kept_at is None else _basis(bone, curves, kept_at)
                    values = _keys(bone, own, frames, basis)
                    way = _INTERPOLATIONS[own[0].keyframe_points[0].interpolation]
                    times = np.array(frames, dtype=np.float64)
                    written[bone.name, channel] = Channel(
                        number, path, way, times, values if way == CUBICSPLINE else values[:, 1]
                    )
    return GltfCurves(written, frozenset(sampled))


def _is_sampled(bone: bpy.types.PoseBone, curves: Sequence[bpy.types.FCurve]) -> bool:
    """Whether the exporter samples a channel after all (`needs_baking`)."""
    way = curves[0].keyframe_points[0].interpolation
    if way not in _INTERPOLATIONS or len(bone.constraints):
        return True
    if any(key.interpolation != way for one in curves for key in one.keyframe_points):
        return True
    frames = [[key.co[0] for key in one.keyframe_points] for one in curves]
    return len(frames[0]) <= 1 or any(one != frames[0] for one in frames)


def _frames(
    curve: bpy.types.FCurve, action: bpy.types.Action, options: GltfOptions, scene: bpy.types.Scene
) -> list[float]:
    """Return the frames of the keys that are written."""
    frames = sorted({key.co[0] for key in curve.keyframe_points})
    if options.negative_frames is NegativeFrames.CROP:
        frames = [one for one in frames if one >= 0]
    if options.playback_range:
        frames = [one for one in frames if scene.frame_start <= one <= scene.frame_end]
    if action.use_frame_range:
        frames = [one for one in frames if action.frame_start <= one <= action.frame_end]
    return frames


def _keys(
    bone: bpy.types.PoseBone, curves: Sequence[bpy.types.FCurve], frames: Sequence[float], basis: Matrix
) -> NDArray[np.float64]:
    """Return the keys (K, 3, C) of a channel: what comes in, value, what goes out, as slopes a frame."""
    kind = curves[0].data_path.rpartition(".")[2]
    unkeyed = _parts(kind, basis)
    spline = curves[0].keyframe_points[0].interpolation == "BEZIER"
    turn = _node_turn(bone)
    rows: list[NDArray[np.float64]] = []
    for number, frame in enumerate(frames):
        at = [one.evaluate(frame) for one in curves]
        first, last = frame == frames[0], frame == frames[-1]
        before = at if first or not spline else [_towards(one, number, "handle_left") for one in curves]
        after = at if last or not spline else [_towards(one, number, "handle_right") for one in curves]
        into, value, out = (
            _in_node(kind, _completed(curves, one, unkeyed), turn) for one in (before, at, after)
        )
        rows.append(np.array((into - value, value, out - value)))
    found = np.array(rows)
    return _to_basis(found, turn) if "rotation" in kind else found


def _towards(curve: bpy.types.FCurve, number: int, handle: str) -> float:
    """Return the value one frame from a key along a handle."""
    # By its number among those that are written, whatever was left out before it: so does the exporter.
    key = curve.keyframe_points[number]
    x, y = getattr(key, handle)
    return float(key.co[1] + (y - key.co[1]) / (x - key.co[0])) if x != key.co[0] else float(key.co[1])


def _completed(
    curves: Iterable[bpy.types.FCurve], values: Iterable[float], unkeyed: Sequence[float]
) -> list[float]:
    result = list(unkeyed)
    for curve, value in zip(curves, values, strict=True):
        result[curve.array_index] = value
    return result


def _parts(kind: str, basis: Matrix) -> list[float]:
    """Return what the exporter takes for components without keys: angles are those of a quaternion."""
    location, rotation, scale = basis.decompose()
    if "rotation" in kind:
        return [rotation.w, rotation.x, rotation.y, rotation.z][: _LENGTHS[kind]]
    return list((location if kind == "location" else scale)[:])


def _in_node(kind: str, values: Sequence[float], turn: Quaternion) -> NDArray[np.float64]:
    """Return a value as the node has it, but for where the bone is at rest: (3,), or (4,), x y z w."""
    if kind == "location":
        return np.array(Vector(values))
    if kind == "scale":
        matrix = Matrix.Diagonal((*values, 1.0))
        return np.array((turn.to_matrix().to_4x4() @ matrix).to_scale())
    rotation = _quaternion(kind, values)
    rotation.normalize()
    w, x, y, z = (turn.to_matrix().to_4x4() @ rotation.to_matrix().to_4x4()).to_quaternion()
    return np.array((x, y, z, w))


def _quaternion(kind: str, values: Sequence[float]) -> Quaternion:
    if kind == "rotation_quaternion":
        return Quaternion(values)
    if kind == "rotation_axis_angle":
        return Quaternion(values[1:], math.radians(values[0]))
    return Euler(values).to_quaternion()


def _node_turn(bone: bpy.types.PoseBone) -> Quaternion:
    """Return how a bone's node is turned at rest."""
    rest = bone.bone.matrix_local
    above = bone.parent.bone.matrix_local.inverted_safe() if bone.parent is not None else _Y_UP
    return (above @ rest).to_quaternion()


def _to_basis(keys: NDArray[np.float64], turn: Quaternion) -> NDArray[np.float64]:
    """Return rotations (..., 4), and slopes of them, relative to the rest pose."""
    w, x, y, z = turn.inverted()
    # The product with a quaternion from the left is linear, so it fits slopes too.
    from_left = np.array(((w, -z, y, x), (z, w, -x, y), (-y, x, w, z), (-x, -y, -z, w)))
    return keys @ from_left.T


def _basis(bone: bpy.types.PoseBone, curves: ChannelCurves, frame: float) -> Matrix:
    """Return the basis that a bone has where an action's curves play at a frame."""
    location = _at(bone, "location", curves.get((bone.name, LOCATION), ()), frame)
    scale = _at(bone, "scale", curves.get((bone.name, SCALE), ()), frame)
    kinds = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    kind = kinds.get(bone.rotation_mode, "rotation_euler")
    values = _at(bone, kind, curves.get((bone.name, ROTATION), ()), frame)
    if kind == "rotation_euler":
        rotation = Euler(values, cast("Any", bone.rotation_mode)).to_quaternion()
    elif kind == "rotation_quaternion":
        rotation = Quaternion(values).normalized()
    else:
        rotation = Quaternion(values[1:], values[0])
    return Matrix.LocRotScale(location, rotation, scale)


def _at(
    bone: bpy.types.PoseBone, kind: str, curves: Iterable[bpy.types.FCurve], frame: float
) -> tuple[float, ...]:
    values = list(getattr(bone, kind))
    for one in curves:
        if not one.mute:
            values[one.array_index] = one.evaluate(frame)
    return tuple(values)
