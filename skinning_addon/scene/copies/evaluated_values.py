"""Giving a copy, which has no animation, the animated values that a depsgraph evaluates.

Originals have them only if that depsgraph is the one of a window, and was the last of them to be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import bpy
import numpy as np

from ..clips.playback import REST_CHANNELS
from ..objects.animated_settings import animated_paths

_ABOUT_OTHERS = ("modifiers[", "pose.bones[")
"""Animated properties of an object that affect more than its place, which is taken from its matrix."""


def take_evaluated_values(
    copy: bpy.types.Object, original: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> None:
    """Set what is animated in an object, its data and its shape keys to the values at the depsgraph's frame.

    copy: with data of its own. Costs about a microsecond for each of the original's F-curves and drivers, and
    what is set.
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
        # float32 is what Blender stores: any other type, and the calls are many times slower.
        values = np.empty(len(bones) * len(rest), dtype=np.float32)
        evaluated.foreach_get(channel, values)
        bones.foreach_set(channel, values)


def _is_pose_channel(path: str) -> bool:
    return path.startswith("pose.bones[") and path.rpartition('"].')[2] in REST_CHANNELS


def _take(copy: bpy.types.ID, evaluated: bpy.types.ID, path: str) -> None:
    """Set one property, an array as a whole. What a path names may be gone from the original, or left out of
    the copy.
    """
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
