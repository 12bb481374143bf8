"""Runs inside Blender: records everything in the file, property by property, except add-ons' own data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

IGNORED = {
    # Numbers that Blender assigns again, counts of what is drawn, and the tool settings, of which Blender 4.3
    # does not survive the reading.
    "tool_settings",
    "session_uid", "rna_type", "bl_rna", "original", "depsgraph", "is_evaluated", "tag", "is_runtime_data", "preview",
    "cycles", "eevee", "asset_data", "library_weak_reference", "name_full", "filepath", "stats", "bound_box", "dimensions",
}  # fmt: skip

COLLECTIONS = (
    "objects",
    "meshes",
    "armatures",
    "actions",
    "scenes",
    "collections",
    "shape_keys",
    "materials",
)


def written_down() -> dict[str, list[str]]:
    """Return the lines of each data-block, by type and name."""
    blocks = {f"{kind}/{one.name}": one for kind in COLLECTIONS for one in getattr(bpy.data, kind)}
    return {name: list(lines(block)) for name, block in blocks.items()}


def lines(block: bpy.types.ID) -> Iterator[str]:
    """Record a data-block, one property per line."""
    yield from walk(block, "", 0)
    # Custom properties; add-ons' own settings are groups.
    for name, value in block.items():
        if isinstance(value, str | int | float):
            yield f" [{name!r}] = {value!r}"
    if isinstance(block, bpy.types.Mesh):
        for attribute in block.attributes:
            kind = f"{attribute.domain} {attribute.data_type}"
            yield f" attribute {attribute.name} {kind} = {values(attribute.data)}"
        weights = [[(one.group, one.weight) for one in vertex.groups] for vertex in block.vertices]
        yield f" weights = {weights}"


def values(data: Any) -> str:
    if not len(data):
        return ""
    name = next((one for one in ("vector", "value", "color") if hasattr(data[0], one)), None)
    if name is None:
        return str(len(data))
    first = getattr(data[0], name)
    width = len(first) if hasattr(first, "__len__") else 1
    array = np.empty(len(data) * width, np.float32)
    data.foreach_get(name, array)
    return hashlib.sha256(array.tobytes()).hexdigest()


def keys(points: Any) -> str:
    """Record keys with their handles at once: property by property, a baked clip takes seconds."""
    array = np.empty(2 * len(points), np.float32)
    digest = hashlib.sha256()
    for name in ("co", "handle_left", "handle_right"):
        points.foreach_get(name, array)
        digest.update(array.tobytes())
    return digest.hexdigest()


def walk(owner: Any, path: str, depth: int) -> Iterator[str]:
    """Record an owner's properties and, recursively, theirs, but not the extension's, which exist
    only with it.
    """
    for prop in owner.bl_rna.properties:
        name = prop.identifier
        if name in IGNORED or name.startswith("skinscope"):
            continue
        if isinstance(owner, bpy.types.Mesh) and prop.type == "COLLECTION":
            continue
        value = getattr(owner, name, None)
        here = f"{path}.{name}"
        if prop.type == "POINTER":
            if isinstance(value, bpy.types.ID):
                yield f"{here} -> {value.name}"
            elif value is not None and depth < 4 and not isinstance(value, bpy.types.Depsgraph):
                yield from walk(value, here, depth + 1)
        elif name == "keyframe_points":
            yield f"{here} = {keys(value)}"
        elif name == "channels" and isinstance(owner, bpy.types.ActionGroup):
            # The action has these curves, and each leads back to its group: once more for each pair of them.
            yield f"{here} = {[(one.data_path, one.array_index) for one in value]}"
        elif prop.type == "COLLECTION":
            if depth < 4:
                for number, item in enumerate(value):
                    if isinstance(item, bpy.types.ID):
                        yield f"{here}[{number}] -> {item.name}"
                    else:
                        yield from walk(item, f"{here}[{number}]", depth + 1)
        elif getattr(prop, "is_array", False):
            yield f"{here} = {flat(value)}"
        else:
            yield f"{here} = {sorted(value) if isinstance(value, set) else value!r}"


def flat(value: Any) -> list[Any]:
    return [flat(one) if hasattr(one, "__len__") else one for one in value]
