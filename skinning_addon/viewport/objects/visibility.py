"""Which objects a 3D view shows, and where."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from .instances import ITSELF, Instance, Instances, LayerKey
from .object_lookup import ObjectLookup


def is_shown(
    mesh_object: bpy.types.Object, view_layer: bpy.types.ViewLayer, space: bpy.types.SpaceView3D
) -> bool:
    """Whether a 3D view shows the object. The first call accounts for other view layers, the second for local
    view.
    """
    return mesh_object.visible_get(
        view_layer=view_layer, viewport=space
    ) and mesh_object.visible_in_viewport_get(space)


def shown_instances(
    instances: Instances,
    objects: ObjectLookup,
    mesh_object: bpy.types.Object,
    layer: LayerKey,
    *,
    view_layer: bpy.types.ViewLayer,
    space: bpy.types.SpaceView3D,
) -> list[Instance]:
    """List where a view shows a previewed object: itself, and the instances that
    `Instances.follow` found.
    """
    shown = [ITSELF] if is_shown(mesh_object, view_layer, space) else []
    for instance in instances.of(mesh_object.session_uid, layer):
        instancer = objects.find(instance.instancer)
        if instancer is not None and is_shown(instancer, view_layer, space):
            shown.append(instance)
    return shown


def hidden_objects(
    uids: Iterable[int],
    instances: Instances,
    objects: ObjectLookup,
    context: bpy.types.Context,
    layer: LayerKey,
) -> frozenset[int]:
    """List which of these objects the context's 3D view doesn't show, by session_uid: hidden, or left out by
    local view.

    layer: the context's view layer. Outside of a 3D view nothing is hidden.
    """
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceView3D):
        return frozenset()
    return frozenset(
        uid
        for uid in uids
        if (mesh_object := objects.find(uid)) is not None
        and not shown_instances(
            instances, objects, mesh_object, layer, view_layer=context.view_layer, space=space
        )
    )
