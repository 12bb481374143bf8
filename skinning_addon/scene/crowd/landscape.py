"""The scene around a crowd, as triangles: what it walks on, and what stands in its way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.fixed_point import MICROMETRES, micrometres
from ...animation.crowd.ground import Ground
from ...animation.crowd.settings import CrowdSettings
from ...animation.crowd.terrain import STEEPEST, Walker, ground_of
from ...core.text.errors import CrowdError
from ..identification import identity
from ..matrices import row_vectors
from ..object_data import mesh_of

SLOPE = 35.0
"""Degrees that a crowd climbs at most, unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """surface, obstacles: (T, 3, 3) float64, world space, metres. slope: degrees that are climbed at most.
    objects: the identities of those that all of it was read from.
    """

    surface: NDArray[np.float64]
    obstacles: NDArray[np.float64]
    slope: float = SLOPE
    objects: tuple[str, ...] = ()

    def ground(self, settings: CrowdSettings, half: NDArray[np.int64], height: float) -> Ground:
        """Return the ground of an area around the origin. half: (2,) micrometres. height: metres.

        Raises:
            CrowdError: no part of it is walkable, or the slope limit is out of range.
        """
        if not 0 < self.slope <= STEEPEST:
            raise CrowdError(
                "A slope of {slope:g} degrees can't be the limit; choose more than 0 and at most {most:g}.",
                slope=self.slope,
                most=STEEPEST,
            )
        rise = round(math.tan(math.radians(self.slope)) * MICROMETRES)
        return ground_of(
            self.surface, self.obstacles, half, Walker(settings.widest, micrometres(height), rise)
        )


def read_landscape(
    scene: bpy.types.Scene,
    ground: bpy.types.Object,
    obstacles: Iterable[bpy.types.Object],
    slope: float = SLOPE,
    besides: Sequence[bpy.types.Object] = (),
) -> Landscape:
    """Read the meshes as they are evaluated now. besides: what is no obstacle, such as the character's meshes.

    Raises:
        CrowdError: the ground is no mesh, or has no faces.
    """
    if ground.type != "MESH":
        raise CrowdError("'{ground}' is no mesh; choose a mesh to walk on.", ground=identity(ground))
    depsgraph = bpy.context.evaluated_depsgraph_get()
    metres = scene.unit_settings.scale_length
    surface = _triangles(ground, depsgraph, metres)
    if not len(surface):
        raise CrowdError("'{ground}' has no faces; choose a mesh that has.", ground=identity(ground))
    # Each once, and only those that the view layer has: others are not evaluated.
    others = {one.session_uid: one for one in obstacles if one.type == "MESH" and one.visible_get()}
    for one in (ground, *besides):
        others.pop(one.session_uid, None)
    standing = [_triangles(one, depsgraph, metres) for one in others.values()]
    names = tuple(identity(one) for one in (ground, *others.values()))
    return Landscape(surface, np.concatenate((np.zeros((0, 3, 3)), *standing)), slope, names)


def _triangles(
    mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, metres: float
) -> NDArray[np.float64]:
    """Return an object's triangles (T, 3, 3), world space, metres."""
    evaluated = mesh_object.evaluated_get(depsgraph)
    mesh = mesh_of(evaluated)
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    flat = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", flat)
    x, y, z = flat.reshape(-1, 3).astype(np.float64).T
    to_world = row_vectors(evaluated.matrix_world)
    # Written out: a matrix product may add up in another order on another machine.
    world = [
        (x * to_world[0, axis] + y * to_world[1, axis] + z * to_world[2, axis] + to_world[3, axis]) * metres
        for axis in range(3)
    ]
    return np.stack(world, axis=-1)[corners].reshape(-1, 3, 3)
