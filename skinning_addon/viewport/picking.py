"""Picking: which vertex a pixel of a 3D view shows."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ..core.inspection.ray_casting import Ray, first_hit, nearest_corner
from ..scene.binding.frame import Frame
from ..scene.matrices import row_vectors
from .character.mesh_in_layer import MeshInLayer
from .character.preview import LayerKey, Preview
from .character.view import drawn_to_world
from .objects.instances import Instance
from .objects.visibility import shown_instances
from .overlay.inspection import Target
from .session import ViewportSession


def pick(
    session: ViewportSession,
    context: bpy.types.Context,
    layer: LayerKey,
    region: bpy.types.Region,
    pixel: tuple[float, float],
) -> Target | None:
    """Find the vertex drawn nearest to a pixel of a 3D view, on the nearest surface the pixel shows.

    context: of the view's window and space. layer: the view layer that it shows. pixel: the pixel, from the
    region's lower left corner.
    """
    view, size = region.data, (region.width, region.height)
    if view is None:
        return None
    world_to_clip = row_vectors(view.view_matrix) @ row_vectors(view.window_matrix)
    ray = Ray.through_pixel(pixel, size, world_to_clip)
    settings = session.settings_in(region, context.scene)
    if ray is None or not settings.shown:
        return None
    nearest, found = np.inf, None
    for preview, live, frame, shown_at in _drawn(session, context, layer):
        to_world = drawn_to_world(frame, settings, shown_at.mesh_to_world)
        inside = ray.seen_from(to_world)
        surface = live.pickable(frame)
        positions, triangles = surface.positions, surface.triangles
        hit = first_hit(inside, positions, triangles) if inside else None
        if hit is not None and hit.t < nearest:
            nearest = hit.t
            corner = nearest_corner(triangles[hit.triangle], positions, to_world @ world_to_clip, pixel, size)
            vertex, copy = surface.as_copy(corner)
            found = Target(preview.uid, vertex, shown_at.instancer, copy)
    return found


def _drawn(
    session: ViewportSession, context: bpy.types.Context, layer: LayerKey
) -> Iterator[tuple[Preview, MeshInLayer, Frame, Instance]]:
    """List what a view shows, every instance separately."""
    for preview in session.previews:
        live = preview.mesh_in_layer(layer)
        mesh_object = session.objects.find(preview.uid) if live and live.frame else None
        if preview.error or preview.paused or live is None or live.frame is None or mesh_object is None:
            continue
        for instance in shown_instances(
            session.instances,
            session.objects,
            mesh_object,
            layer,
            view_layer=context.view_layer,
            space=context.space_data,
        ):
            yield preview, live, live.frame, instance
