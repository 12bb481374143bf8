"""Random settings for anything that Blender describes, from the ranges, enums and pointers that its RNA
declares.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import bpy
import numpy as np

PointerChoice = Callable[[bpy.types.Property], "bpy.types.ID | None"]
StringChoice = Callable[[bpy.types.Property], "str | None"]

HOUSEKEEPING = frozenset(
    {
        "name",
        "type",
        "rna_type",
        "is_active",
        "is_override_data",
        "persistent_uid",
        "show_viewport",
        "show_render",
        "show_in_editmode",
        "show_on_cage",
        "show_expanded",
        "use_apply_on_spline",
        "use_pin_to_last",
        "mute",
        "enabled",
        "filepath",
        "use_render_subdivision",
    }
)
"""Properties that don't affect behavior, or that other features cover."""

LARGEST = {
    "levels": 1,
    "render_levels": 1,
    "sculpt_levels": 1,
    "resolution": 3,
    "viewport_resolution": 3,
    "resolution_max": 8,
    "octree_depth": 3,
    "count": 3,
    "segments": 2,
    "steps": 4,
    "render_steps": 4,
    "quality": 2,
    "iterations": 3,
    "shrink_subsurf_levels": 1,
    "subsurf_levels": 1,
    "precision": 3,
}
"""Values that would take long or create many vertices are kept small."""

MOST_INT = 6
MOST_FLOAT = 2.0


def randomise(
    owner: bpy.types.bpy_struct,
    random: np.random.Generator,
    *,
    pointer: PointerChoice,
    string: StringChoice,
    share: float = 0.4,
    leave: Collection[str] = (),
) -> None:
    """Set about `share` of the settable properties of `owner` to random values; pointers always.

    leave: properties that keep their values.
    """
    for one in owner.bl_rna.properties:
        if one.identifier in HOUSEKEEPING or one.identifier in leave or one.is_readonly or one.is_hidden:
            continue
        chosen = random.random()
        if one.type != "POINTER" and chosen > share:
            continue
        value = _value(one, random, pointer, string)
        if value is None:
            continue
        try:
            setattr(owner, one.identifier, value)
        except (TypeError, ValueError, AttributeError, RuntimeError):
            # Blender's own refusals: a pointer that its poll rejects, an enum that depends on other settings.
            continue


def _value(
    one: bpy.types.Property,
    random: np.random.Generator,
    pointer: PointerChoice,
    string: StringChoice,
) -> object:
    length = getattr(one, "array_length", 0)
    match one.type:
        case "BOOLEAN":
            return (
                [bool(bit) for bit in random.integers(0, 2, length)]
                if length
                else bool(random.integers(0, 2))
            )
        case "INT":
            values = [_int(one, random) for _ in range(max(length, 1))]
            return values if length else values[0]
        case "FLOAT":
            values = [_float(one, random) for _ in range(max(length, 1))]
            return values if length else values[0]
        case "ENUM":
            items = [item.identifier for item in one.enum_items]
            if not items:
                return None
            if one.is_enum_flag:
                return {item for item in items if random.random() < 0.5} or {items[0]}
            return str(random.choice(items))
        case "STRING":
            return string(one)
        case "POINTER":
            return pointer(one)
        case _:
            return None


def _int(one: bpy.types.Property, random: np.random.Generator) -> int:
    assert isinstance(one, bpy.types.IntProperty)
    most = LARGEST.get(one.identifier, MOST_INT)
    low = max(one.soft_min, -most)
    high = max(low, min(one.soft_max, low + most if low > 0 else most))
    return int(random.integers(low, high + 1))


def _float(one: bpy.types.Property, random: np.random.Generator) -> float:
    assert isinstance(one, bpy.types.FloatProperty)
    low, high = max(one.soft_min, -MOST_FLOAT), min(one.soft_max, MOST_FLOAT)
    if low >= high:
        return float(one.default)
    kind = random.random()
    if kind < 0.1:
        return float(low)
    if kind < 0.2:
        return float(high)
    return float(random.uniform(low, high))
