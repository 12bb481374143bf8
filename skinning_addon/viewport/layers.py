"""View layers by keys that survive undo: a scene's session_uid and the layer's name."""

from __future__ import annotations

import bpy

from .character.preview import LayerKey


def depsgraph_of(layer: LayerKey) -> bpy.types.Depsgraph | None:
    """Return the evaluated state of a view layer, None if it is gone."""
    scene = scene_of(layer)
    view_layer = scene.view_layers.get(layer[1]) if scene else None
    return view_layer.depsgraph if view_layer else None


def scene_of(layer: LayerKey) -> bpy.types.Scene | None:
    """Return the scene of a view layer, None if it is gone."""
    return next((one for one in bpy.data.scenes if one.session_uid == layer[0]), None)


def layer_key(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> LayerKey:
    """Return a key for a view layer that survives undo."""
    return scene.session_uid, view_layer.name
