"""Makes a game-ready copy from a plan, whole or not at all, and takes it away again."""

from __future__ import annotations

import bpy

from ..clips.actions import GAME_READY
from ..identification import object_of
from .copied_animation import actions_of, animated_blocks
from .copied_armature import copy_armature, game_ready_name
from .copied_clips import copy_clips
from .copied_meshes import copy_meshes
from .plan import CopyPlan


def make_copy(plan: CopyPlan, context: bpy.types.Context) -> bpy.types.Collection:
    """Make the copy in a new collection of the scene, and return that. The originals stay as they are.

    If this fails, or is interrupted, nothing is left behind.

    Raises:
        UsageError: the armature or a mesh is being edited, or has changed since it was planned.
        KeyError: an object of the plan is gone.
    """
    original = object_of(plan.armature)
    made: list[bpy.types.ID] = []
    try:
        collection = bpy.data.collections.new(game_ready_name(original.name))
        made.append(collection)
        armature = copy_armature(plan, original, made.append)
        meshes = copy_meshes(plan, original, armature, made.append)
        for one in (armature, *meshes):
            collection.objects.link(one)
        copy_clips(plan, original, armature, made.append)
        collection[GAME_READY] = armature[GAME_READY] = plan.note
        context.scene.collection.children.link(collection)
    except BaseException:
        bpy.data.batch_remove(made)
        raise
    return collection


def remove_copy(collection: bpy.types.Collection) -> None:
    """Take a copy away again, with all that was made for it."""
    made: set[bpy.types.ID] = {collection}
    for one in collection.objects:
        blocks = animated_blocks(one) if one.type == "MESH" else [one]
        made |= {one, *([one.data] if one.data is not None else [])}
        made |= {action for block in blocks for action in actions_of(block)}
    bpy.data.batch_remove(tuple(made))


def armature_of_copy(collection: bpy.types.Collection) -> bpy.types.Object:
    """Return the armature object of a copy."""
    return next(one for one in collection.objects if one.type == "ARMATURE")


def meshes_of_copy(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """Return the mesh objects of a copy, in the plan's order."""
    return [one for one in collection.objects if one.type == "MESH"]
