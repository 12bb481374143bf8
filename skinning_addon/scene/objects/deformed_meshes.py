"""Finding the mesh objects of a scene that are characters' skins."""

from __future__ import annotations

import bpy

from ..identification import identity
from .animated_settings import armatures_at_some_frame


def deformed_meshes(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List the mesh objects of `scene` that an armature deforms at some frame, by name.

    Widgets, which rigs use as custom shapes for their bones, stay out.
    """
    shapes = widgets(scene)
    return sorted(
        (
            one
            for one in scene.objects
            if one.type == "MESH" and one not in shapes and armatures_at_some_frame(one)
        ),
        key=identity,
    )


def meshes_of_armature(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the mesh objects of `scene` that `armature` deforms, by name."""
    return [one for one in deformed_meshes(scene) if armature in armatures_at_some_frame(one)]


def make_evaluable(
    mesh_object: bpy.types.Object, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer
) -> None:
    """Show an object so that Blender evaluates it: hidden, its "evaluated" mesh is the rest pose.

    Changes the scene; for files that are opened to be measured, not for a user's session.
    """
    mesh_object.hide_viewport = False
    if mesh_object not in set(view_layer.objects) or not mesh_object.visible_get(view_layer=view_layer):
        # Its collections may be hidden or excluded; the scene's own collection never is.
        if mesh_object not in set(scene.collection.objects):
            scene.collection.objects.link(mesh_object)
        view_layer.update()


def widgets(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """Return what rigs have bones shown as: custom shapes, and what Rigify would make one of."""
    return {one for one in scene.objects if one.name.startswith("WGT-")} | {
        bone.custom_shape
        for one in scene.objects
        if one.type == "ARMATURE" and one.pose is not None
        for bone in one.pose.bones
        if bone.custom_shape is not None
    }
