"""Where an object's own keys put it, read from its curves without playing them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion
from numpy.typing import NDArray

from ..matrices import row_vectors
from .action_curves import ROTATION_CHANNELS, TRANSFORMS
from .actions import fcurves

Slotted = tuple[bpy.types.Action, "bpy.types.ActionSlot | None"]


def own_actions(one: bpy.types.Object) -> Iterator[Slotted]:
    """List the actions that are assigned to an object, or on its NLA tracks, and key its transform."""
    data = one.animation_data
    if data is None:
        return
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    assigned = [(data.action, getattr(data, "action_slot", None))]
    assigned += [(strip.action, getattr(strip, "action_slot", None)) for strip in strips]
    for action, slot in assigned:
        if action is not None and any(curve.data_path in TRANSFORMS for curve in fcurves(action, slot)):
            yield action, slot


def keyed_transforms(one: bpy.types.Object, keys: Slotted, frames: Sequence[int]) -> NDArray[np.float64]:
    """Return the transforms (F, 4, 4) relative to the parent that a .glb has keys of: of location, rotation and
    scale only what has curves, as if the object had none of the others.
    """
    keyed = {curve.data_path for curve in fcurves(*keys)}
    found: list[NDArray[np.float64]] = []
    for frame in frames:
        location, rotation, scale = _local(one, keys, frame).decompose()
        kept = Matrix.LocRotScale(
            location.to_tuple() if "location" in keyed else (0, 0, 0),
            rotation if _turning(one) in keyed else Quaternion(),
            scale.to_tuple() if "scale" in keyed else (1, 1, 1),
        )
        found.append(row_vectors(kept))
    return np.array(found)


def place_by_keys(one: bpy.types.Object, keys: Slotted, frame: int) -> NDArray[np.float64]:
    """Return to_world (4, 4) of an object at a frame of its own keys, with its parent where it is now."""
    parent = one.parent
    local = row_vectors(_local(one, keys, frame))
    return local if parent is None else local @ row_vectors(parent.matrix_world)


def _local(one: bpy.types.Object, keys: Slotted, frame: int) -> Matrix:
    curves = {(curve.data_path, curve.array_index): curve for curve in fcurves(*keys)}

    def channel(path: str) -> list[float]:
        present = enumerate(getattr(one, path))
        return [
            curves[path, index].evaluate(frame) if (path, index) in curves else value
            for index, value in present
        ]

    turned = _rotation(channel(_turning(one)), one.rotation_mode)
    return one.matrix_parent_inverse @ Matrix.LocRotScale(channel("location"), turned, channel("scale"))


def _turning(one: bpy.types.Object) -> str:
    return ROTATION_CHANNELS.get(one.rotation_mode, "rotation_euler")


def _rotation(values: list[float], mode: str) -> Quaternion | Euler:
    if mode == "QUATERNION":
        return Quaternion(values).normalized()
    if mode == "AXIS_ANGLE":
        return Quaternion(values[1:], values[0])
    return Euler(values, mode)
