"""Everything that is set on a data-block, as one number: whatever Blender's RNA has, so that nothing can be
forgotten. What animation sets at each frame is left out, and what Blender only computes from the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import blake2b
from typing import Any

import bpy
import numpy as np

from ..clips.actions import fcurves
from ..clips.strip_times import is_plain, playing_strips

Channel = tuple[str, int]
"""A data path, and the index in an array."""

_PASSED_OVER: dict[type[Any], frozenset[str]] = {
    bpy.types.ID: frozenset(
        {"asset_data", "is_evaluated", "is_missing", "library_weak_reference", "preview", "tag", "users"}
    ),
    bpy.types.Object: frozenset(
        {
            "active_material_index",
            "animation_visualization",
            "bound_box",
            "children",
            "color",
            "dimensions",
            "material_slots",
            "matrix_basis",
            "matrix_local",
            "matrix_world",
            "mode",
            "motion_path",
        }
    ),
    bpy.types.Pose: frozenset({"animation_visualization"}),
    bpy.types.PoseBone: frozenset(
        {
            "center",
            "color",
            "custom_shape",
            "custom_shape_rotation_euler",
            "custom_shape_scale_xyz",
            "custom_shape_transform",
            "custom_shape_translation",
            "head",
            "hide",
            "is_in_ik_chain",
            "length",
            "matrix",
            "matrix_basis",
            "matrix_channel",
            "motion_path",
            "select",
            "tail",
        }
    ),
    bpy.types.Armature: frozenset({"collections", "collections_all", "edit_bones", "is_editmode"}),
    bpy.types.Bone: frozenset(
        {"children", "collections", "color", "hide", "select", "select_head", "select_tail"}
    ),
    bpy.types.Constraint: frozenset(
        {"active", "error_location", "error_rotation", "is_valid", "show_expanded"}
    ),
    bpy.types.Modifier: frozenset({"execution_time", "is_active", "show_expanded"}),
    bpy.types.FCurve: frozenset({"color", "hide", "select"}),
    bpy.types.NlaTrack: frozenset({"active", "lock", "select"}),
    bpy.types.NlaStrip: frozenset({"active", "action_suitable_slots", "select"}),
}
"""What Blender computes from the rest, and what is only about the interface, by the type that has it."""

_NAMED = frozenset({"Bone", "PoseBone", "FCurve", "ActionGroup", "ActionSlot", "BoneCollection"})
"""Structures to which others only point; they are read where they are listed."""

_WITH_CUSTOM = frozenset({"NodesModifier"})
"""Structures with custom properties, besides data-blocks and bones."""

_Properties = tuple[tuple[tuple[str, bool], ...], tuple[tuple[str, bool], ...]]

_PRIMITIVE = frozenset({"BOOLEAN", "INT", "FLOAT", "STRING", "ENUM"})

_TYPES = {"BOOLEAN": np.bool_, "INT": np.int32, "FLOAT": np.float64}


class UnknownAnimationError(Exception):
    """A data-block is animated in a way of which it can't be told which frames it decides."""


def animated_channels(block: bpy.types.ID) -> frozenset[Channel]:
    """Return what the block's own action and drivers set at every frame.

    Raises:
        UnknownAnimationError: it plays strips of the NLA of which it can't be told.
    """
    animation: Any = getattr(block, "animation_data", None)
    if animation is None:
        return frozenset()
    if not is_plain(animation):
        raise UnknownAnimationError
    keyed = _channels_of(animation)
    for strip in playing_strips(animation):
        keyed |= _channels_of(strip)
    if len(animation.nla_tracks) and any(path.endswith("]") for path, _ in keyed):
        # Where no strip sets a custom property, it has the default of its own settings.
        raise UnknownAnimationError
    return frozenset(keyed | {(one.data_path, one.array_index) for one in animation.drivers if _drives(one)})


def _channels_of(player: Any) -> set[Channel]:
    """Return what the action of an `AnimData` or of a strip sets; strips also do at frames without them."""
    action, slot = player.action, getattr(player, "action_slot", None)
    if action is None or (slot is None and hasattr(player, "action_slot")):
        return set()
    return {(one.data_path, one.array_index) for one in fcurves(action, slot) if _plays(one)}


def _drives(curve: bpy.types.FCurve) -> bool:
    return not curve.mute and curve.is_valid and curve.driver is not None and curve.driver.is_valid


def _plays(curve: bpy.types.FCurve) -> bool:
    is_muted = curve.mute or (curve.group is not None and curve.group.mute)
    return not is_muted and curve.is_valid and len(curve.keyframe_points) > 0


def settings_digest(block: bpy.types.ID) -> bytes:
    """Summarize all settings of a data-block. Costs some 20 milliseconds for a rig of a thousand bones.

    Raises:
        UnknownAnimationError: see `animated_channels`, or its constraints play an action.
    """
    walk = _Walk(block, animated_channels(block))
    walk.struct(block, "")
    digest = blake2b(digest_size=16)
    digest.update(repr(sorted(walk.channels)).encode())
    for part in walk.parts:
        digest.update(part)
    return digest.digest()


class _Walk:
    """Goes through a data-block's structures, and collects their values in order."""

    def __init__(self, block: bpy.types.ID, channels: Collection[Channel]) -> None:
        self._block = block
        self._seen: set[tuple[str, int]] = set()
        self.channels = channels
        self.parts: list[bytes] = []
        self._of_type: dict[str, _Properties] = {}
        self._owners = {path.rpartition(".")[0] for path, _ in channels}
        self._paths = {path for path, _ in channels}

    def struct(self, one: Any, path: str) -> None:
        """Read a structure at a data path, with all that it owns."""
        kind_of_struct = one.bl_rna.identifier
        numbers, others = self._properties(one)
        moves = path in self._owners
        self._note(
            kind_of_struct,
            [
                self._value(getattr(one, name), _below(path, name), is_array=is_array)
                if moves
                else (_flat if is_array else _plain)(getattr(one, name))
                for name, is_array in numbers
            ],
        )
        for name, is_pointer in others:
            value = getattr(one, name)
            if value is None or (not is_pointer and not len(value)):
                self._note(name)
            else:
                (self._pointer if is_pointer else self._collection)(value, _below(path, name))
        if kind_of_struct in _WITH_CUSTOM or isinstance(one, bpy.types.ID):
            self._custom(one, path)

    def _properties(self, one: Any) -> _Properties:
        """Return the values of a structure, each with whether it is an array, and the rest, each with whether
        it is a pointer.
        """
        known = self._of_type.get(one.bl_rna.identifier)
        if known is None:
            passed_over = {"rna_type"}.union(
                *(names for kind, names in _PASSED_OVER.items() if isinstance(one, kind))
            )
            read = [each for each in one.bl_rna.properties if each.identifier not in passed_over]
            known = (
                tuple(
                    (each.identifier, bool(getattr(each, "array_length", 0)))
                    for each in read
                    if each.type in _PRIMITIVE
                ),
                tuple(
                    (each.identifier, each.type == "POINTER") for each in read if each.type not in _PRIMITIVE
                ),
            )
            self._of_type[one.bl_rna.identifier] = known
        return known

    def _value(self, value: Any, path: str, *, is_array: bool) -> Any:
        if not is_array:
            return None if (path, 0) in self.channels else _plain(value)
        values = _flat(value)
        if path not in self._paths:
            return values
        return [None if (path, index) in self.channels else each for index, each in enumerate(values)]

    def _pointer(self, value: Any, path: str) -> None:
        if isinstance(value, bpy.types.Action):
            if path != "animation_data.action" and not path.startswith("animation_data.nla_tracks["):
                raise UnknownAnimationError
            self._note(value.session_uid)
        elif isinstance(value, bpy.types.ID):
            self._note(value.session_uid)
        elif value.bl_rna.identifier in _NAMED or value.id_data != self._block:
            self._note(getattr(value, "name", "") or getattr(value, "identifier", ""))
        elif (address := (value.bl_rna.identifier, value.as_pointer())) not in self._seen:
            self._seen.add(address)
            self.struct(value, path)

    def _collection(self, items: Any, path: str) -> None:
        self._note(path, len(items))
        first = items[0]
        if isinstance(first, bpy.types.ID):
            self._note([None if one is None else one.session_uid for one in items])
        elif first.bl_rna.identifier in {"PoseBone", "Bone"}:
            self._bones(items, path)
        else:
            for index, one in enumerate(items):
                address = one.bl_rna.identifier, one.as_pointer()
                if address in self._seen:
                    continue
                self._seen.add(address)
                named = getattr(one, "name", None)
                self.struct(one, f"{path}{_key(named) if isinstance(named, str) else f'[{index}]'}")

    def _bones(self, bones: Any, path: str) -> None:
        """Read numbers of all bones at once: there are many."""
        names = [one.name for one in bones]
        self._note(names)
        rows = {f"{path}{_key(name)}": row for row, name in enumerate(names)}
        left_out: dict[str, list[tuple[int, int]]] = {}
        for channel, index in self.channels:
            bone, _, setting = channel.rpartition(".")
            if bone in rows:
                left_out.setdefault(setting, []).append((rows[bone], index))
        texts: list[str] = []
        primitives, others = self._properties(bones[0])
        for name, is_array in primitives:
            kind = bones[0].bl_rna.properties[name].type
            if kind not in _TYPES:
                texts.append(name)
                continue
            count = len(_flat(getattr(bones[0], name))) if is_array else 1
            values = np.empty(len(bones) * count, dtype=_TYPES[kind])
            bones.foreach_get(name, values)
            table = values.reshape(len(bones), -1)
            for row, index in left_out.get(name, ()):
                table[row, index] = 0
            self._note(name)
            self.parts.append(table.tobytes())
        for below, one in zip(rows, bones, strict=True):
            self._note([self._value(getattr(one, name), f"{below}.{name}", is_array=False) for name in texts])
            for name, is_pointer in others:
                value = getattr(one, name)
                if value is not None and (is_pointer or len(value)):
                    self._note(name)
                    (self._pointer if is_pointer else self._collection)(value, f"{below}.{name}")
            self._custom(one, below)

    def _custom(self, one: Any, path: str) -> None:
        for name, value in _custom_of(one):
            self._note(name, self._value(value, f"{path}{_key(name)}", is_array=_is_array(value)))

    def _note(self, *values: Any) -> None:
        self.parts.append(repr(values).encode())


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _key(name: str) -> str:
    return f'["{bpy.utils.escape_identifier(name)}"]'


def _flat(value: Any) -> list[Any]:
    return [each for one in value for each in (_flat(one) if hasattr(one, "__len__") else (one,))]


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else value


def _is_array(value: Any) -> bool:
    return type(value).__name__ == "IDPropertyArray"


def _custom_of(one: Any) -> Iterator[tuple[str, Any]]:
    """Yield custom properties; groups of them as dictionaries."""
    try:
        items = one.items()
    except (TypeError, AttributeError):
        return
    for name, value in items:
        if isinstance(value, bpy.types.ID):
            yield name, value.session_uid
        else:
            yield name, value.to_dict() if hasattr(value, "to_dict") else value
