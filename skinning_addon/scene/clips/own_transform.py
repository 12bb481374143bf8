"""An armature object's own location, rotation and scale while a clip plays in a .glb.

The exporter puts bones that an action doesn't key at rest, but never the object. Its node in the file stands
where the object is at the exporter's own frame. An action animates those of location, rotation and scale of
which it keys a component, an NLA track those that change; components that it doesn't key are as what was
exported before left them.

Read in Blender's io_scene_gltf2 (exp/animation/sampled/armature/channels.py); `tests/engines/random_exports.py`
compares the files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import bpy

from ...core.profiles.gltf_curves import CHANNELS, LOCATION, ROTATION, SCALE
from .actions import fcurves

ALL = frozenset(CHANNELS)
"""The channels of a node."""

REST: Mapping[str, tuple[float, ...]] = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
    "delta_location": (0.0, 0.0, 0.0),
    "delta_rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "delta_rotation_euler": (0.0, 0.0, 0.0),
    "delta_scale": (1.0, 1.0, 1.0),
}
"""An object's own properties, where Blender's NLA puts them if no strip that plays keys them."""

_PROPERTIES = {
    "location": LOCATION,
    "rotation_quaternion": ROTATION,
    "rotation_euler": ROTATION,
    "rotation_axis_angle": ROTATION,
    "scale": SCALE,
    "delta_location": LOCATION,
    "delta_rotation_quaternion": ROTATION,
    "delta_rotation_euler": ROTATION,
    "delta_scale": SCALE,
}
"""An object's own properties, and the channel of a node that each is part of."""

STILL = 1e-4
"""A channel whose values stay within this is left out of an NLA track's animation."""

OwnTransform = Mapping[str, tuple[float, ...]]
"""An object's own properties, by name."""


def keyed_of_object(action: bpy.types.Action, slot: bpy.types.ActionSlot | None = None) -> frozenset[str]:
    """Return the channels of a node that an action, or one of its slots, keys for an object as a whole."""
    return frozenset(_PROPERTIES[one.data_path] for one in _own_curves(action, slot))


def keyed_properties(
    action: bpy.types.Action, slot: bpy.types.ActionSlot | None = None
) -> set[tuple[str, int]]:
    """Return the own properties of an object that an action, or one of its slots, keys, with the component."""
    return {(one.data_path, one.array_index) for one in _own_curves(action, slot)}


def changed_by_track(armature: bpy.types.Object, track: bpy.types.NlaTrack) -> frozenset[str]:
    """Return the channels of an armature's node that change while an NLA track plays: the exporter leaves out
    the others.
    """
    if len(armature.constraints):
        return ALL
    return frozenset(
        _PROPERTIES[one.data_path]
        for strip in track.strips
        if strip.action is not None
        for one in _own_curves(strip.action, getattr(strip, "action_slot", None))
        if _changes(one)
    )


def _own_curves(action: bpy.types.Action, slot: bpy.types.ActionSlot | None) -> Iterator[bpy.types.FCurve]:
    return (one for one in fcurves(action, slot) if one.data_path in _PROPERTIES)


def _changes(curve: bpy.types.FCurve) -> bool:
    values = [point.co.y for point in curve.keyframe_points]
    return len(curve.modifiers) > 0 or max(values, default=0.0) - min(values, default=0.0) >= STILL


def own_transform(one: bpy.types.Object) -> OwnTransform:
    """Read an object's own properties, as the scene shows them."""
    any_object: Any = one
    return {name: tuple(getattr(any_object, name)) for name in _PROPERTIES}


def set_own_transform(one: bpy.types.Object, values: OwnTransform) -> None:
    """Set an object's own properties."""
    for name, value in values.items():
        setattr(one, name, value)


def in_file(node: OwnTransform, left: OwnTransform, animated: Collection[str]) -> OwnTransform:
    """Combine an object's properties at the exporter's own frame with those that earlier animations leave, by
    the channels that the clip animates.
    """
    return {name: (left if _PROPERTIES[name] in animated else node)[name] for name in node}
