"""Comparing a copied modifier or constraint with its original, property by property.

Assigning one property may reset others: a hook's object resets its inverse matrix. There may also be properties
that Blender doesn't copy. Both show in RNA for any type, so that types of future Blenders are covered, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import bpy

OWN_TO_EACH = frozenset(
    {"rna_type", "name", "execution_time", "persistent_uid", "is_active", "is_override_data", "show_expanded"}
)
"""Properties that differ even between equivalent modifiers."""

DEPTH = 4
"""How deeply nested structs are compared."""

MOST_ITEMS = 256
"""The longest collection whose items are compared; of longer ones, only the lengths."""


def restore(copy: bpy.types.bpy_struct, original: bpy.types.bpy_struct) -> None:
    """Restore writable values that assignments have changed in a copy; pointers stay unchanged."""
    for owner, name, value in _differences(copy, original, DEPTH):
        if not owner.is_property_readonly(name):
            setattr(owner, name, value)


def restore_matrices(copy: bpy.types.bpy_struct, original: bpy.types.bpy_struct) -> None:
    """Restore only matrices such as inverses, unlike `restore`: fast enough for every constraint of a rig."""
    for name in _matrices(type(copy)):
        if getattr(copy, name) != getattr(original, name):
            setattr(copy, name, getattr(original, name))


@cache
def _matrices(owner: type[bpy.types.bpy_struct]) -> tuple[str, ...]:
    return tuple(
        one.identifier
        for one in owner.bl_rna.properties
        if isinstance(one, bpy.types.FloatProperty) and one.array_length == 16 and not one.is_readonly
    )


@cache
def _compared(owner: type[bpy.types.bpy_struct]) -> tuple[bpy.types.Property, ...]:
    return tuple(one for one in owner.bl_rna.properties if one.identifier not in OWN_TO_EACH)


def _differences(
    copy: bpy.types.bpy_struct, original: bpy.types.bpy_struct, depth: int
) -> Iterator[tuple[bpy.types.bpy_struct, str, Any]]:
    for one in _compared(type(original)):
        name = one.identifier
        here: Any = getattr(copy, name, None)
        there: Any = getattr(original, name, None)
        if isinstance(one, bpy.types.PointerProperty):
            if (here is None) != (there is None):
                yield copy, name, there
            elif here is not None and not isinstance(there, bpy.types.ID) and depth:
                yield from _differences(here, there, depth - 1)
        elif isinstance(one, bpy.types.CollectionProperty):
            if len(here) != len(there):
                yield copy, name, there
            elif len(there) <= MOST_ITEMS and depth:
                for mine, theirs in zip(here, there, strict=True):
                    if not isinstance(theirs, bpy.types.ID):
                        yield from _differences(mine, theirs, depth - 1)
        elif _plain(here) != _plain(there):
            yield copy, name, there


def _plain(value: Any) -> Any:
    """Convert arrays to lists, which compare by value."""
    if isinstance(value, (bool, int, float, str, set, type(None))):
        return value
    return [_plain(each) for each in value]
