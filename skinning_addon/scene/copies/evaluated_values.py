"""Giving a copy, which has no animation, the animated values that a depsgraph evaluates.

Originals have these values only if it is a window's depsgraph, and the last of these to be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..clips.armature_state import REST_CHANNELS
from ..objects.animated_settings import animated_paths

_ABOUT_OTHERS = ("modifiers[", "pose.bones[")
"""Animated properties of an object that affect more than its transform, which is taken from its matrix."""


def take_evaluated_values(
    copy: bpy.types.Object, original: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> None:
    """Set a copy's animated properties to the depsgraph's values, including its data and shape keys.

    copy: with its own data. Costs about a microsecond for each of the original's F-curves and drivers, plus
    setting the values.
    """
    evaluated = original.evaluated_get(depsgraph)
    if not evaluated.is_evaluated:
        return
    if copy.pose and evaluated.pose and len(copy.pose.bones) == len(evaluated.pose.bones):
        _take_pose(copy.pose.bones, evaluated.pose.bones)
    for path in animated_paths(original):
        if path.startswith(_ABOUT_OTHERS) and not _is_pose_channel(path):
            _take(copy, evaluated, path)
    for own, block in _data_blocks(copy, original):
        source = block.evaluated_get(depsgraph)
        for path in animated_paths(block):
            _take(own, source, path)


def _data_blocks(
    copy: bpy.types.Object, original: bpy.types.Object
) -> Iterator[tuple[bpy.types.ID, bpy.types.ID]]:
    for own, block in (
        (copy.data, original.data),
        (getattr(copy.data, "shape_keys", None), getattr(original.data, "shape_keys", None)),
    ):
        if own is not None and block is not None:
            yield own, block


def _take_pose(bones: bpy.types.bpy_prop_collection, evaluated: bpy.types.bpy_prop_collection) -> None:
    for channel, rest in REST_CHANNELS.items():
        # Blender stores float32; with any other type, the calls are many times slower.
        values = np.empty(len(bones) * len(rest), dtype=np.float32)
        evaluated.foreach_get(channel, values)
        bones.foreach_set(channel, values)


def _is_pose_channel(path: str) -> bool:
    return path.startswith("pose.bones[") and path.rpartition('"].')[2] in REST_CHANNELS


def _take(copy: bpy.types.ID, evaluated: bpy.types.ID, path: str) -> None:
    """Set one property; arrays as a whole. Skips paths that the original no longer has or the copy lacks."""
    owner, dot, name = path.rpartition(".")
    if path.endswith("]"):
        owner, dot, name = path.rpartition("[")
    try:
        source: Any = evaluated.path_resolve(owner) if dot and owner else evaluated
        target: Any = copy.path_resolve(owner) if dot and owner else copy
    except ValueError:
        return
    if path.endswith("]"):
        key = name.strip("\"']")
        if key in source:
            target[key] = source[key]
    elif hasattr(source, name):
        setattr(target, name, getattr(source, name))
