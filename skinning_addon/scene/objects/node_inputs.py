"""The input values that a Geometry Nodes modifier passes to its node group, in any Blender version.

Up to 5.1, inputs are custom properties of the modifier, along with flags and names of attributes; from 5.2 on,
they are structs below `modifier.properties`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy

ATTRIBUTE_NAME = "_attribute_name"
"""Suffix of the custom property that names an input's or output's attribute."""


def data_blocks(modifier: bpy.types.NodesModifier) -> Iterator[tuple[str, bpy.types.ID]]:
    """Yield the data-blocks passed as inputs, each with the identifier of its input."""
    for identifier, value in _values(modifier):
        if isinstance(value, bpy.types.ID):
            yield identifier, value


def hand_in(modifier: bpy.types.NodesModifier, identifier: str, value: bpy.types.ID) -> None:
    """Set the input with that identifier."""
    properties = _properties(modifier)
    if properties is None:
        modifier[identifier] = value
    else:
        getattr(properties.inputs, identifier).value = value


def texts(modifier: bpy.types.NodesModifier) -> Iterator[str]:
    """Yield every string passed as an input, and the names of all attributes that are read or written."""
    yield from (value for _, value in _values(modifier) if isinstance(value, str))
    properties = _properties(modifier)
    if properties is None:
        names = (key for key in modifier.keys() if key.endswith(ATTRIBUTE_NAME))  # noqa: SIM118
        yield from (modifier[key] for key in names)
        return
    for part in (properties.inputs, properties.outputs):
        for _, slot in _slots(part):
            yield getattr(slot, "attribute_name", "")


def _values(modifier: bpy.types.NodesModifier) -> Iterator[tuple[str, object]]:
    properties = _properties(modifier)
    if properties is not None:
        for identifier, slot in _slots(properties.inputs):
            yield identifier, getattr(slot, "value", None)
        return
    for key in modifier.keys():  # noqa: SIM118
        if not key.endswith(ATTRIBUTE_NAME):
            yield key, modifier[key]


def _properties(modifier: bpy.types.NodesModifier) -> Any:
    # The stubs are for one Blender version, and Blender creates the inputs' types for each node group.
    return getattr(modifier, "properties", None)


def _slots(part: bpy.types.bpy_struct) -> Iterator[tuple[str, bpy.types.bpy_struct]]:
    for one in part.bl_rna.properties:
        # A group that was never evaluated has types for its inputs, but no values yet.
        slot = getattr(part, one.identifier, None)
        if one.identifier != "rna_type" and isinstance(slot, bpy.types.bpy_struct):
            yield one.identifier, slot
