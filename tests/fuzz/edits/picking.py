"""Picks what to edit: at random, but only from the user's data, so that a seed always makes the same edits."""

from __future__ import annotations

import random
from typing import Any, TypeVar

import bpy

Chosen = TypeVar("Chosen")

MOST_OBJECTS = 9
MOST_VERTICES = 3000


class NothingToDoError(LookupError):
    """There is nothing to apply the edit to."""


def one_of(chance: random.Random, named: Any) -> Any:
    """Choose from a Blender collection by name, since its order is up to Blender."""
    ones = sorted(named, key=lambda one: (one.name, one.library.filepath if _library(one) else ""))
    if not ones:
        raise NothingToDoError
    return chance.choice(ones)


def _library(one: Any) -> Any:
    return getattr(one, "library", None)


def pick(chance: random.Random, *types: str) -> bpy.types.Object:
    """Choose one of the view layer's objects of these types."""
    return one_of(chance, [one for one in bpy.context.view_layer.objects if one.type in types])


def pick_mesh(chance: random.Random) -> bpy.types.Object:
    return pick(chance, "MESH")


def pick_mesh_with_modifiers(chance: random.Random, count: int = 1) -> bpy.types.Object:
    """Choose one of the meshes with at least this many modifiers."""
    meshes = [one for one in bpy.context.view_layer.objects if one.type == "MESH"]
    return one_of(chance, [one for one in meshes if len(one.modifiers) >= count])


def pick_rig(chance: random.Random) -> bpy.types.Object:
    return pick(chance, "ARMATURE")


def leave_mode() -> None:
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")


def select_only(*objects: bpy.types.Object) -> None:
    """Select objects in Object Mode; the first becomes the active one."""
    leave_mode()
    for one in bpy.context.view_layer.objects:
        one.select_set(False)
    for one in objects:
        one.hide_set(False)
        one.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]


def refuse_to_grow() -> None:
    """Keep the file small: a sequence is about what changes, not how much data there is."""
    if len(bpy.data.objects) >= MOST_OBJECTS:
        raise NothingToDoError
