"""Building an armature's own action from another: picking curves, shifting them in time, keying from values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import bpy
import numpy as np
from mathutils import Euler, Quaternion
from numpy.typing import NDArray

from ...animation.local_pose import LocalPose
from .actions import fcurves

LINEAR = 1
"""Blender's value for linear interpolation between keys."""

ROTATION_CHANNELS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
"""Rotation channel by rotation mode; all other modes are Euler orders."""

TRANSFORMS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


class OwnAction:
    """An action with curves for one object, and a single slot where Blender has slots.

    action: the data-block. slot: None before Blender 4.4.
    """

    def __init__(self, action: bpy.types.Action, slot: bpy.types.ActionSlot | None) -> None:
        self.action, self.slot = action, slot

    @classmethod
    def new(cls, owner: str, kind: str = "OBJECT") -> OwnAction:
        """Create an empty action. owner: the data-block's name. kind: its type, as slots have it."""
        action = bpy.data.actions.new(owner)
        if not hasattr(action, "slots"):
            return cls(action, None)
        any_action = cast("Any", action)
        slot = any_action.slots.new(id_type=kind, name=owner)
        any_action.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
        return cls(action, slot)

    @classmethod
    def copy_of(cls, source: bpy.types.Action, slot: str | None, owner: str) -> OwnAction:
        """Copy one slot of an action; Blender gives the copy any free name."""
        action = source.copy()
        if slot is None:
            return cls(action, None)
        any_action = cast("Any", action)
        for other in [one for one in any_action.slots if one.identifier != slot]:
            any_action.slots.remove(other)
        kept = any_action.slots[0]
        kept.name_display = owner
        return cls(action, kept)

    @classmethod
    def of(cls, action: bpy.types.Action, slot: str | None) -> OwnAction:
        """Wrap one slot of an action that may have others."""
        return cls(action, None if slot is None else cast("Any", action).slots[slot])

    def curves(self) -> list[bpy.types.FCurve]:
        """List its curves."""
        return list(fcurves(self.action, self.slot))

    def remove(self, curves: Iterable[bpy.types.FCurve]) -> None:
        """Remove some of its curves."""
        collection = self._collection()
        for one in curves:
            collection.remove(one)

    def stretch(self, ratio: float) -> None:
        """Scale the times of all keys and markers by `ratio`, to keep their timing at another frame rate."""
        for curve in self.curves():
            points = curve.keyframe_points
            for name in ("co", "handle_left", "handle_right"):
                coordinates = np.empty(2 * len(points), dtype=np.float32)
                points.foreach_get(name, coordinates)
                coordinates[::2] *= ratio
                points.foreach_set(name, coordinates)
            curve.update()
        for marker in self.action.pose_markers:
            marker.frame = round(marker.frame * ratio)
        if self.action.use_frame_range:
            start, end = self.action.frame_start, self.action.frame_end
            self.action.frame_start, self.action.frame_end = start * ratio, end * ratio

    def key_bone(
        self,
        bone: bpy.types.PoseBone,
        frames: NDArray[np.float64],
        pose: LocalPose,
        kinds: Iterable[str],
        *,
        to_the_end: bool = False,
    ) -> None:
        """Key a bone at frames (F,). pose: (D, F), relative to rest. kinds: the components to key. to_the_end:
        whether values that never change are keyed at the last frame as well, so that the action is as long.
        """
        for kind in kinds:
            values = pose.component(kind)
            path, rows = kind, values
            if kind == "translation":
                path = "location"
            elif kind == "rotation":
                path, rows = _rotation_rows(bone.rotation_mode, values)
            for index, row in enumerate(rows):
                keyed = slice(None)
                if (row == row[:1]).all():
                    keyed = [0, -1] if to_the_end and len(frames) > 1 else [0]
                self._key(f"{bone.path_from_id()}.{path}", index, frames[keyed], row[keyed])

    def key_object(self, frames: NDArray[np.float64], pose: LocalPose, kinds: Iterable[str]) -> None:
        """Key the object itself at frames (F,), by quaternions. pose: (D, F). kinds: the components to key."""
        paths = {"translation": "location", "rotation": "rotation_quaternion"}
        for kind in kinds:
            for index, row in enumerate(pose.component(kind)):
                self._key(paths.get(kind, kind), index, frames, row)

    def key_number(self, path: str, frames: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Key a property that is one number at frames (F,). values: (F,)."""
        self._key(path, 0, frames, values)

    def hold(self, path: str, index: int, frame: float, value: float, *, group: str) -> None:
        """Key one component of a channel that has no keys, at one frame alone. An empty curve of it is
        replaced. group: of curves, which the dope sheet shows together; made if it is new.
        """
        self.remove([one for one in self.curves() if (one.data_path, one.array_index) == (path, index)])
        owner = self._owner_of_curves()
        curve = owner.fcurves.new(path, index=index)
        curve.group = owner.groups.get(group) or owner.groups.new(group)
        curve.keyframe_points.insert(frame, value, options={"FAST"})
        curve.update()

    def _key(
        self, path: str, index: int, frames: NDArray[np.float64], values: NDArray[np.floating[Any]]
    ) -> None:
        curve = self._collection().new(path, index=index)
        count = len(frames)
        points = np.empty((count, 2), dtype=np.float32)
        points[:, 0], points[:, 1] = frames, values
        curve.keyframe_points.add(count)
        curve.keyframe_points.foreach_set("co", points.reshape(-1))
        curve.keyframe_points.foreach_set("interpolation", [LINEAR] * count)
        curve.update()

    def _collection(self) -> Any:
        return self._owner_of_curves().fcurves

    def _owner_of_curves(self) -> Any:
        any_action = cast("Any", self.action)
        if self.slot is None:
            return any_action
        return any_action.layers[0].strips[0].channelbag(self.slot, ensure=True)


def played_action(animated: bpy.types.Object) -> OwnAction:
    """Return the action that is assigned to an object; if there is none, a new one that it then plays."""
    data = animated.animation_data or animated.animation_data_create()
    slot = getattr(data, "action_slot", None)
    if data.action is not None:
        return OwnAction.of(data.action, slot.identifier if slot is not None else None)
    own = OwnAction.new(animated.name)
    own.action.name = f"{animated.name} baked"
    data.action = own.action
    if own.slot is not None:
        any_data = cast("Any", data)
        any_data.action_slot = own.slot
    return own


def _rotation_rows(mode: str, rotation: NDArray[np.floating[Any]]) -> tuple[str, NDArray[np.floating[Any]]]:
    """Convert quaternions (4, F) to a rotation mode: the channel's name and one row of values per component."""
    channel = ROTATION_CHANNELS.get(mode, "rotation_euler")
    if mode == "QUATERNION":
        return channel, rotation
    if mode == "AXIS_ANGLE":
        # Blender's own conversion uses arccos, which loses half the digits of small angles.
        sine = np.linalg.norm(rotation[1:], axis=0)
        axis = np.where(sine > 0, rotation[1:] / np.where(sine > 0, sine, 1), [[0.0], [1.0], [0.0]])
        return channel, np.stack((2 * np.arctan2(sine, rotation[0]), *axis))
    turns = [Quaternion(one) for one in rotation.T.tolist()]
    angles: list[Euler] = []
    for one in turns:
        # Stay close to the previous one: going from 1 degree to 359 would turn all the way around.
        order = cast("Any", mode)
        angles.append(one.to_euler(order, angles[-1]) if angles else one.to_euler(order))
    return channel, np.array([(one.x, one.y, one.z) for one in angles]).T
