"""Shape keys that move: an engine plays them beside the skin, so a fit must not see them."""

from __future__ import annotations

import bpy

from ...scene.object_data import mesh_of
from ...scene.refit.copied_keys import moving_keys


def mute_animated_keys(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Switch off the shape keys whose values are animated or driven, and return their names: they stay on a
    copy, as they are. For files opened to be measured.
    """
    moving = frozenset(moving_keys(mesh_object))
    keys = mesh_of(mesh_object).shape_keys
    for one in keys.key_blocks if keys is not None else ():
        if one.name in moving:
            one.mute = True
    return moving
