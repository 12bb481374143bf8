"""Which parts of a 3D view show our result and which show Blender's."""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..choices.settings import BlenderMesh, PreviewSettings

GHOST_OPACITY = 0.35

PAINT_MODES = frozenset({"WEIGHT_PAINT", "VERTEX_PAINT", "TEXTURE_PAINT", "SCULPT"})

Matrices = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""World to view, view to clip and mesh to world, (4, 4) each, for row vectors: how `SkinnedDrawing.draw` takes
them."""


@dataclass(frozen=True)
class Extent:
    """Where and how a mesh is drawn. from_column, to_column: pixels of the region. opacity: 1 hides
    everything behind.
    """

    from_column: float = 0.0
    to_column: float = math.inf
    opacity: float = 1.0


@dataclass(frozen=True)
class Comparison:
    """What we draw of the two results; None for nothing. We draw Blender's if its own mesh is hidden."""

    ours: Extent | None
    blenders: Extent | None


def comparison(
    settings: PreviewSettings, region_width: float, swapped: bool, *, painted: bool = False
) -> Comparison:
    """Decide what is drawn where. swapped: the two trade places for now, as when flickering.

    painted: whether Blender shows the mesh in a paint mode. Nothing of ours covers it then, but beside it or
    on our side of the line: users look at what they paint.
    """
    whole = Extent()
    if painted:
        ours = comparison(settings, region_width, swapped=False).ours
        return Comparison(None if settings.split is None and settings.is_in_place else ours, None)
    if settings.split is not None:
        line = split_column(settings.split, region_width)
        left, right = Extent(to_column=line), Extent(from_column=line)
        return Comparison(left, right) if swapped else Comparison(right, left)
    ghost = Extent(opacity=GHOST_OPACITY) if settings.blender_mesh is BlenderMesh.GHOST else None
    return Comparison(ghost, whole) if swapped else Comparison(whole, ghost)


def is_painted(mesh_object: bpy.types.Object) -> bool:
    """Whether Blender shows an object in one of its paint modes."""
    return mesh_object.mode in PAINT_MODES


def split_column(split: float, region_width: float) -> float:
    """Return the splitting line's pixel column, the same for the meshes and for the line itself."""
    return float(round(split * region_width))
