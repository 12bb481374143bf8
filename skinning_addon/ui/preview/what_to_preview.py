"""Which meshes a selection means when a preview is started."""

from __future__ import annotations

import bpy

from ...core.text.message import Message
from ...scene.binding.rigid_parts import rigid_parts
from ...scene.objects.deformed_meshes import meshes_of_armature
from ...scene.objects.instanced_meshes import instanced_meshes

WHAT_TO_SELECT = Message("Select a mesh with an armature, or make the armature active")


def may_be_previewed(context: bpy.types.Context) -> bool:
    """Whether anything is selected that could be previewed; cheap, for polls."""
    active = context.active_object
    if active is not None and active.type == "ARMATURE":
        return True
    return any(
        one.type in {"MESH", "ARMATURE"} or one.instance_collection is not None
        for one in context.selected_objects
    )


def meshes_to_preview(context: bpy.types.Context) -> list[bpy.types.Object]:
    """List the meshes to preview, by name: the selected ones, or all that the active armature moves.

    Selected armatures count if no mesh is selected. Hidden meshes are left out. If selected objects instance
    collections, as linked characters often are, all characters in those count.
    """
    selected = context.selected_objects
    meshes = [one for one in selected if one.type == "MESH"]
    active = context.active_object
    armatures = [] if meshes else [one for one in selected if one.type == "ARMATURE"]
    if active is not None and active.type == "ARMATURE":
        armatures.append(active)
    for armature in dict.fromkeys(armatures):
        meshes += meshes_moved_by(context.scene, armature)
    for one in selected:
        meshes += instanced_meshes(one)
    return sorted(dict.fromkeys(meshes), key=lambda one: one.name)


def meshes_moved_by(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the visible meshes that an armature deforms or carries along."""
    moved = (*meshes_of_armature(scene, armature), *rigid_parts(scene, armature))
    return [one for one in moved if one.visible_get()]
