"""Which objects a 3D view shows, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .instances import OWN_PLACE, LayerKey, Place

if TYPE_CHECKING:
    from .session import ViewportSession


def is_shown(
    mesh_object: bpy.types.Object, view_layer: bpy.types.ViewLayer, space: bpy.types.SpaceView3D
) -> bool:
    """Tell whether a 3D view shows the object. The first call knows of other view layers, the second of local view."""
    return mesh_object.visible_get(
        view_layer=view_layer, viewport=space
    ) and mesh_object.visible_in_viewport_get(space)


def shown_places(
    session: ViewportSession,
    mesh_object: bpy.types.Object,
    layer: LayerKey,
    view_layer: bpy.types.ViewLayer,
    space: bpy.types.SpaceView3D,
) -> list[Place]:
    """List where a view shows a previewed object: in its own place, and where `Instances.follow` found its instances."""
    places = [OWN_PLACE] if is_shown(mesh_object, view_layer, space) else []
    for place in session.instances.of(mesh_object.session_uid, layer):
        instancer = session.objects.find(place.instancer)
        if instancer is not None and is_shown(instancer, view_layer, space):
            places.append(place)
    return places


def hidden_previews(session: ViewportSession, context: bpy.types.Context, layer: LayerKey) -> frozenset[int]:
    """List the previewed objects that the context's 3D view shows nowhere, by session_uid: hidden, or left out by local view.

    layer: the context's view layer. Outside of a 3D view nothing is hidden.
    """
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D):
        return frozenset()
    return frozenset(
        preview.uid
        for preview in session.previews
        if (mesh_object := session.objects.find(preview.uid)) is not None
        and not shown_places(session, mesh_object, layer, context.view_layer, space)
    )
