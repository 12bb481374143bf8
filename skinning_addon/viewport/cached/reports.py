"""What Blender's reports of updates can mean."""

from __future__ import annotations

import bpy


def is_changed(update: bpy.types.DepsgraphUpdate) -> bool:
    """Whether Blender's report may be that of a change. A key that is inserted is reported without any sign of
    one.
    """
    signs = update.is_updated_geometry, update.is_updated_transform, update.is_updated_shading
    return any(signs) or isinstance(update.id, bpy.types.Action)


def only_selects_bones(depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether Blender's report may be that of bones that were selected: their pose is evaluated again, but the
    armature's data, which is named too, has no change.
    """
    armatures = [one for one in depsgraph.updates if isinstance(one.id, bpy.types.Armature)]
    others = [one for one in depsgraph.updates if not isinstance(one.id, bpy.types.Armature)]
    if not armatures or any(
        one.is_updated_geometry or one.is_updated_transform or one.is_updated_shading for one in armatures
    ):
        return False
    return all(
        isinstance(one.id, bpy.types.Object | bpy.types.Scene)
        and not one.is_updated_transform
        and not one.is_updated_shading
        for one in others
    )
