"""Shape keys that move: an engine plays them beside the skin, so a fit must not see them."""

from __future__ import annotations

import bpy

from ...scene.object_data import mesh_of
from ...scene.objects.animated_settings import animated_paths


def mute_animated_keys(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Switch off the shape keys whose values are animated or driven, and return their names: they stay on a
    copy, as they are. For files opened to be measured.
    """
    keys = mesh_of(mesh_object).shape_keys
    if keys is None:
        return frozenset()
    paths = animated_paths(keys)
    moving = [one for one in keys.key_blocks if one.path_from_id("value") in paths]
    for one in moving:
        one.mute = True
    return frozenset(one.name for one in moving)
