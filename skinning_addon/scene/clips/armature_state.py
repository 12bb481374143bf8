"""The state of an armature that animation changes, stored so that every clip starts from the scene's own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import bpy
import numpy as np
from numpy.typing import NDArray

from ..object_data import armature_of
from .actions import fcurves

REST_CHANNELS = {
    "location": (0, 0, 0),
    "rotation_quaternion": (1, 0, 0, 0),
    "rotation_euler": (0, 0, 0),
    "rotation_axis_angle": (0, 0, 1, 0),
    "scale": (1, 1, 1),
    "bbone_curveinx": (0,),
    "bbone_curveinz": (0,),
    "bbone_curveoutx": (0,),
    "bbone_curveoutz": (0,),
    "bbone_rollin": (0,),
    "bbone_rollout": (0,),
    "bbone_scalein": (1, 1, 1),
    "bbone_scaleout": (1, 1, 1),
    "bbone_easein": (0,),
    "bbone_easeout": (0,),
}
"""A pose bone's values in the rest pose. All three rotations, since each bone has its own rotation mode."""


AT_REST = 1e-6
"""How far rounding may move a channel's values from rest."""


PoseChannels = Mapping[str, NDArray[np.float32]]
"""Values of each of `REST_CHANNELS` of all pose bones, flat."""


@dataclass(frozen=True, eq=False)
class ArmatureState:
    """channels: each of `REST_CHANNELS` of all pose bones, flat. others: by data path, everything else that an
    action of this file animates: custom properties, influences, the object's own transform.
    tracks: of each NLA track, whether it is muted and alone. pose_position: of the armature's data.
    """

    channels: PoseChannels
    others: Mapping[str, Any]
    action: bpy.types.Action | None
    slot: object
    use_nla: bool
    tweaks: bool
    tracks: tuple[tuple[bool, bool], ...]
    pose_position: str

    @classmethod
    def of(cls, armature: bpy.types.Object) -> ArmatureState:
        """Read an armature object's state."""
        data = armature.animation_data
        return cls(
            channels=pose_channels(armature),
            others=_values(armature, _animated_paths(bpy.data.actions)),
            action=data.action if data is not None else None,
            slot=getattr(data, "action_slot", None),
            use_nla=data is not None and data.use_nla,
            tweaks=data is not None and data.use_tweak_mode,
            tracks=tuple((one.mute, one.is_solo) for one in data.nla_tracks) if data is not None else (),
            pose_position=armature_of(armature).pose_position,
        )

    def restore(self, armature: bpy.types.Object) -> None:
        """Bring the armature back to this state."""
        data = armature.animation_data
        if data is not None and not (self.tweaks and data.use_tweak_mode):
            data.use_tweak_mode = False
            for track, (mute, solo) in zip(data.nla_tracks, self.tracks, strict=True):
                track.mute = mute
                if track.is_solo != solo:
                    track.is_solo = solo
            data.action = self.action
            if self.slot is not None:
                # The type checker knows only one Blender; before 4.4 there are no slots.
                cast("Any", data).action_slot = self.slot
            data.use_nla = self.use_nla
        for path, value in self.others.items():
            _write(armature, path, value)
        if armature_of(armature).pose_position != self.pose_position:
            armature_of(armature).pose_position = cast("Any", self.pose_position)
        set_pose_channels(armature, self.channels)

    def posed_bones(
        self, armature: bpy.types.Object, keyed: Collection[tuple[str, str, int]]
    ) -> tuple[str, ...]:
        """Return the bones that this state moves from rest by channels that are not keyed.

        keyed: a bone's name, a channel and a component; a curve of a rotation may be missing or muted.
        """
        found: dict[str, None] = {}
        for channel, values in self.channels.items():
            rest = np.array(REST_CHANNELS[channel], dtype=np.float32)
            rows = values.reshape(-1, len(rest))
            for number, component in np.argwhere(np.abs(rows - rest) > AT_REST).tolist():
                bone = armature.pose.bones[number]
                if (bone.name, channel, component) not in keyed and channel in _in_use(bone):
                    found[bone.name] = None
        return tuple(found)


def _in_use(bone: bpy.types.PoseBone) -> tuple[str, ...]:
    """List the channels that pose a bone, without bendy settings, which no file holds."""
    rotation = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
    return "location", rotation.get(bone.rotation_mode, "rotation_euler"), "scale"


def pose_channels(armature: bpy.types.Object) -> dict[str, NDArray[np.float32]]:
    """Read `REST_CHANNELS` of all pose bones, each flat; empty if there are no bones."""
    if armature.pose is None or not armature.pose.bones:
        return {}
    result: dict[str, NDArray[np.float32]] = {}
    for channel, rest in REST_CHANNELS.items():
        values = np.empty(len(rest) * len(armature.pose.bones), dtype=np.float32)
        armature.pose.bones.foreach_get(channel, values)
        result[channel] = values
    return result


def set_pose_channels(armature: bpy.types.Object, channels: PoseChannels) -> None:
    """Set channels of all pose bones, as `pose_channels` reads them."""
    for channel, values in channels.items():
        armature.pose.bones.foreach_set(channel, values)
    # Blender doesn't notice values set in bulk otherwise.
    armature.update_tag()


def put_back_by_matrices(armature: bpy.types.Object) -> None:
    """Pose each bone by its own matrix, as the FBX exporter does between actions: mirrored scales become
    rotations and scales that are all negative, which shows once some of a bone's channels are keyed.
    """
    for bone in armature.pose.bones if armature.pose is not None else ():
        bone.matrix_basis = bone.matrix_basis.copy()


def reset_pose(armature: bpy.types.Object) -> None:
    """Put every pose bone into the rest pose; custom properties stay as they are."""
    if armature.pose is None or not armature.pose.bones:
        return
    count = len(armature.pose.bones)
    for channel, rest in REST_CHANNELS.items():
        armature.pose.bones.foreach_set(channel, np.tile(np.array(rest, dtype=np.float32), count))
    armature.update_tag()


def _animated_paths(actions: Iterable[bpy.types.Action]) -> list[str]:
    """List what actions animate besides `REST_CHANNELS` of pose bones."""
    paths = dict.fromkeys(curve.data_path for action in actions for curve in fcurves(action))
    return [
        one
        for one in paths
        if not (one.startswith("pose.bones[") and one.rpartition("].")[2] in REST_CHANNELS)
    ]


def _values(armature: bpy.types.Object, paths: Iterable[str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for path in paths:
        try:
            value = armature.path_resolve(path)
        except ValueError:
            # Another object's property.
            continue
        if isinstance(value, bool | int | float):
            result[path] = value
        elif hasattr(value, "__len__") and not isinstance(value, str):
            result[path] = tuple(cast("Any", value))
    return result


def _write(armature: bpy.types.Object, path: str, value: object) -> None:
    owner, dot, name = path.rpartition(".")
    if path.endswith("]") and "[" in path:
        # A custom property: its owner ends where its own brackets start.
        start = path.rindex('["')
        holder: Any = armature.path_resolve(path[:start]) if start else armature
        holder[bpy.utils.unescape_identifier(path[start + 2 : -2])] = value
        return
    setattr(armature.path_resolve(owner) if dot else armature, name, value)
