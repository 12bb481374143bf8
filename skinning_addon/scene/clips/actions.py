"""The bones that an action keys, and assigning it to an object, for every Blender since 4.2.

Up to Blender 4.3, an action is a list of F-curves for any object. From 4.4 on, its curves are grouped into
*slots*, one for each data-block that it animates, and to play it a slot has to be chosen. Actions in older
files get a single slot when loaded, of unspecified type if Blender can't tell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import bpy

BROUGHT_FROM = "skinscope_brought_from"
"""Custom property of an action that was brought from another file; it holds the file's path."""

GAME_READY = "skinscope_game_ready"
"""Custom property of the actions, the armature and the collection of a game-ready copy. Such an action is no
clip of the original, although it has its bones.
"""

POSE_BONE_PATH = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
"""Start of the data path of a pose bone's F-curve; the bone's name is escaped."""


@dataclass(frozen=True)
class Fit:
    """An action's playback on one armature.

    slot: identifier of the slot to assign, None if actions have no slots. bones: how many of the armature's
    bones are keyed.
    """

    slot: str | None
    bones: int


def keyed_bones(action: bpy.types.Action) -> dict[str | None, frozenset[str]]:
    """List the bones that an action keys, by identifier of each slot that can be assigned to an object.

    Before Blender 4.4, there is one entry with the key None.
    """
    return {slot: _bones_of(curves) for slot, curves in _curves_of_objects(action)}


def keys_bones(action: bpy.types.Action) -> dict[str | None, bool]:
    """Tell whether an action keys any bone, by slot as in `keyed_bones`, and much faster."""
    return {
        slot: any(POSE_BONE_PATH.match(one.data_path) for one in curves)
        for slot, curves in _curves_of_objects(action)
    }


def _curves_of_objects(
    action: bpy.types.Action,
) -> Iterator[tuple[str | None, Iterator[bpy.types.FCurve]]]:
    """Yield the identifier of each slot that can be assigned to an object, with its F-curves."""
    if not hasattr(action, "slots"):
        yield None, fcurves(action)
        return
    for slot in action.slots:
        if slot.target_id_type in {"OBJECT", "UNSPECIFIED"}:
            yield slot.identifier, fcurves(action, slot)


def fcurves(action: bpy.types.Action, slot: bpy.types.ActionSlot | None = None) -> Iterator[bpy.types.FCurve]:
    """List the F-curves of an action, or of one of its slots."""
    # The type checker knows only one Blender, in which half of this doesn't exist.
    any_action = cast("Any", action)
    if not hasattr(action, "slots"):
        yield from any_action.fcurves
        return
    for layer in any_action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags if strip.type == "KEYFRAME" else ():
                if slot is None or bag.slot_handle == slot.handle:
                    yield from bag.fcurves


def keyed_channels(
    action: bpy.types.Action, slot: bpy.types.ActionSlot | None = None
) -> set[tuple[str, str, int]]:
    """Return the bones that an action, or one of its slots, keys, each with the channel and its component.
    Muted curves key nothing.
    """
    found = ((POSE_BONE_PATH.match(one.data_path), one) for one in fcurves(action, slot))
    return {
        (bpy.utils.unescape_identifier(match[1]), one.data_path.rpartition(".")[2], one.array_index)
        for match, one in found
        if match and not one.mute and not (one.group and one.group.mute)
    }


def _bones_of(fcurves: Iterable[bpy.types.FCurve]) -> frozenset[str]:
    matches = (POSE_BONE_PATH.match(fcurve.data_path) for fcurve in fcurves)
    return frozenset(bpy.utils.unescape_identifier(match[1]) for match in matches if match)


def fit(keyed: Mapping[str | None, frozenset[str]], object_name: str, bones: Collection[str]) -> Fit | None:
    """Choose the slot that plays an action on an armature; None if it keys none of its bones.

    keyed: as returned by `keyed_bones`. The slot made for this object comes first, then the one that keys the
    most of its bones: a second character with the same rig may play the first one's animation.
    """
    fits = [Fit(slot, len(names & set(bones))) for slot, names in keyed.items()]
    fits = [one for one in fits if one.bones]
    # Blender prefixes the identifiers of object slots with "OB".
    return max(fits, key=lambda one: (one.slot == f"OB{object_name}", one.bones), default=None)


def assign(animated: bpy.types.Object, action: bpy.types.Action, slot: str | None) -> None:
    """Animate an object with `action` only, turning off its NLA stack.

    slot: an identifier, None if actions have no slots.
    """
    data = animated.animation_data or animated.animation_data_create()
    # The action can't be changed while a strip is being tweaked.
    data.use_tweak_mode = False
    data.use_nla = False
    data.action = action
    if slot is not None:
        data.action_slot = action.slots[slot]
