"""An object's data by its real type.

To the type checker `Object.data` is any of fifteen kinds. These functions say which it is, where the caller
knows.
"""

from __future__ import annotations

from typing import cast

import bpy


def mesh_of(mesh_object: bpy.types.Object) -> bpy.types.Mesh:
    """Return the data of an object of type MESH."""
    return cast("bpy.types.Mesh", mesh_object.data)


def armature_of(armature: bpy.types.Object) -> bpy.types.Armature:
    """Return the data of an object of type ARMATURE."""
    return cast("bpy.types.Armature", armature.data)
