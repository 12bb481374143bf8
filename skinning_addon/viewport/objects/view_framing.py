"""Moving a 3D view to a vertex."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector
from numpy.typing import NDArray

from ...core.inspection.ray_casting import Ray, first_hit

SHARE_OF_MESH = 0.15
"""Fraction of a mesh's diagonal shown around a vertex: about a hand's length on a person."""

TIMES_DEVIATION = 6.0
"""A vertex that is far off is shown with this many times its deviation around it, so that both positions are
in view.
"""

VIEW_SENSOR = 72.0
"""Millimetres: a 3D view shows this much divided by its lens, times its distance, of the larger side of its
region."""


def frame_vertex(
    space: bpy.types.SpaceView3D,
    positions: NDArray[np.floating],
    triangles: NDArray[np.integer],
    vertex: int,
    deviation: float = 0.0,
) -> None:
    """Put a vertex in the middle of a 3D view, close enough to see it well, from a side where it is visible.

    positions: (V, 3), world space. triangles: (T, 3). deviation: how far the vertex is off, in the same unit.
    The view is turned only if the vertex faces away from it or the mesh hides it.
    """
    position = positions[vertex]
    diagonal = float(np.linalg.norm(np.ptp(positions, axis=0)))
    extent = max(SHARE_OF_MESH * diagonal, TIMES_DEVIATION * deviation)
    for view in tuple(space.region_quadviews) or (space.region_3d,):
        if view.view_perspective == "CAMERA":
            view.view_perspective = "PERSP"
        view.view_location = Vector(position.tolist())
        view.view_distance = max(extent * space.lens / VIEW_SENSOR, 2 * space.clip_start)
        if view.lock_rotation:
            continue
        towards_viewer = np.array(view.view_rotation @ Vector((0, 0, 1)))
        if not is_seen(positions, triangles, vertex, towards_viewer * extent):
            view.view_rotation = (-Vector(outward(positions, triangles, vertex).tolist())).to_track_quat(
                "-Z", "Y"
            )


def is_seen(
    positions: NDArray[np.floating],
    triangles: NDArray[np.integer],
    vertex: int,
    to_viewer: NDArray[np.float64],
) -> bool:
    """Whether a vertex faces a viewer and the mesh doesn't hide it; to_viewer: (3,)."""
    if outward(positions, triangles, vertex) @ to_viewer < 0:
        return False
    ray = Ray(positions[vertex].astype(np.float64), to_viewer)
    return first_hit(ray, positions, triangles, except_vertex=vertex) is None


def outward(
    positions: NDArray[np.floating], triangles: NDArray[np.integer], vertex: int
) -> NDArray[np.float64]:
    """Return the direction (3,) in which the surface around a vertex faces; up if it has no triangles."""
    at = positions[triangles[(triangles == vertex).any(axis=1)]].astype(np.float64)
    normal = np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]).sum(axis=0)
    length = float(np.linalg.norm(normal))
    return normal / length if length > 0 else np.array((0.0, 0.0, 1.0))
