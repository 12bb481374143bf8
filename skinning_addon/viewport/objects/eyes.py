"""The eyes of objects in the Outliner: of two characters at one place, only one can be looked at."""

from __future__ import annotations

from collections.abc import Iterable

import bpy


def hide(objects: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer) -> None:
    """Close the eyes of those objects that a view layer has."""
    _set_eyes(objects, view_layer, closed=True)


def show(objects: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer) -> None:
    """Open the eyes of those objects that a view layer has."""
    _set_eyes(objects, view_layer, closed=False)


def hide_where_shown(mesh_object: bpy.types.Object, other: bpy.types.Object) -> None:
    """Close an object's eye in every view layer that shows another one."""
    for scene in mesh_object.users_scene:
        for layer in scene.view_layers:
            if other.visible_get(view_layer=layer):
                hide([mesh_object], layer)


def _set_eyes(objects: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer, *, closed: bool) -> None:
    there = set(view_layer.objects)
    for one in objects:
        if one in there:
            one.hide_set(closed, view_layer=view_layer)
