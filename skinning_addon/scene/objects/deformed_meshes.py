"""Finding a scene's skins: the mesh objects that armatures deform."""

from __future__ import annotations

import bpy

from ..identification import identity
from .animated_settings import armatures_at_some_frame, stop_hiding


def deformed_meshes(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List the mesh objects of `scene` that an armature deforms at some frame, by name.

    Excludes widgets, which rigs use as custom shapes for their bones.
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
    mesh_object: bpy.types.Object,
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    *,
    at_all_frames: bool = True,
) -> None:
    """Show an object, so that Blender evaluates it: hidden, its "evaluated" mesh is the rest pose.

    at_all_frames: whether keys and drivers no longer hide it either; False for a scene that is saved.

    Changes the scene; for files opened for measuring, not for a user's session.
    """
    if at_all_frames:
        stop_hiding(mesh_object)
    mesh_object.hide_viewport = False
    if mesh_object not in set(view_layer.objects) or not mesh_object.visible_get(view_layer=view_layer):
        # Its collections may be hidden or excluded; the scene's own collection never is.
        if mesh_object not in set(scene.collection.objects):
            scene.collection.objects.link(mesh_object)
        view_layer.update()


def widgets(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """Return the objects that rigs show bones as: custom shapes, and those named like Rigify's."""
    return {one for one in scene.objects if one.name.startswith("WGT-")} | {
        bone.custom_shape
        for one in scene.objects
        if one.type == "ARMATURE" and one.pose is not None
        for bone in one.pose.bones
        if bone.custom_shape is not None
    }
