"""Makes a game-ready copy from a plan, whole or not at all."""

from __future__ import annotations

import bpy

from ..identification import object_of
from .copied_armature import copy_armature, game_ready_name
from .copied_clips import copy_clips
from .copied_meshes import copy_meshes
from .plan import CopyPlan

NOTE = "skinscope_game_ready"
"""Custom property of a copy's collection and armature object that holds the plan's note."""


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
        collection = bpy.data.collections.new(game_ready_name(original))
        made.append(collection)
        armature = copy_armature(plan, original, made.append)
        meshes = copy_meshes(plan, original, armature, made.append)
        for one in (armature, *meshes):
            collection.objects.link(one)
        copy_clips(plan, original, armature, made.append)
        collection[NOTE] = armature[NOTE] = plan.note
        context.scene.collection.children.link(collection)
    except BaseException:
        bpy.data.batch_remove(made)
        raise
    return collection
