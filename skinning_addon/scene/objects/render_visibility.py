"""A character's visibility in renders, if it differs from the viewport.

Modifiers and objects have separate switches for the viewport and renders, and Blender does not expose meshes as
rendered. So a scene opened for measuring is changed to show in the viewport what it renders.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def show_as_rendered(scene: bpy.types.Scene) -> bool:
    """Set every modifier's viewport switch and subdivision level to those for renders; tell if any differed.

    Changes the scene; for files opened for measuring, not for a user's session. Switches may be animated: call
    it again at each frame.
    """
    differed = False
    for one in scene.objects:
        for modifier in one.modifiers:
            if modifier.show_viewport != modifier.show_render:
                modifier.show_viewport = modifier.show_render
                differed = True
            if (
                isinstance(modifier, bpy.types.SubsurfModifier | bpy.types.MultiresModifier)
                and modifier.levels != modifier.render_levels
            ):
                modifier.levels = modifier.render_levels
                differed = True
    render = scene.render
    if render.use_simplify and render.simplify_subdivision != render.simplify_subdivision_render:
        render.simplify_subdivision = render.simplify_subdivision_render
        differed = True
    return differed


def rendered_objects(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """Return the objects of `scene` enabled in renders, as is one of their collections."""
    return {
        one
        for collection in _rendered_collections(scene.collection)
        for one in collection.objects
        if not one.hide_render
    }


def _rendered_collections(collection: bpy.types.Collection) -> Iterator[bpy.types.Collection]:
    yield collection
    for child in collection.children:
        if not child.hide_render:
            yield from _rendered_collections(child)
