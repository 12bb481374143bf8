"""A 3D view, and drawing a mesh wherever it is shown there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...drawing.display_settings import DisplaySettings
from ...drawing.skinned_drawing import SkinnedDrawing
from ...scene.binding.frame import Frame
from ..choices.settings import PreviewSettings
from .comparing import Extent, Matrices


@dataclass(frozen=True, eq=False)
class View:
    """A 3D view.

    world_to_view, view_to_clip: (4, 4) float64, row vectors. width: of its region, in pixels.
    swapped: whether ours and Blender's trade places for now.
    """

    world_to_view: NDArray[np.float64]
    view_to_clip: NDArray[np.float64]
    width: float
    swapped: bool = False


def drawn_to_world(
    frame: Frame, settings: PreviewSettings, place: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the (4, 4) matrix from mesh space to where the mesh is drawn, which may be beside its object.

    place: mesh to world, (4, 4), of an instance of the object.
    """
    mesh_to_world = (frame.mesh_to_world if place is None else place).copy()
    mesh_to_world[3, :3] += settings.offset
    return mesh_to_world


def drawn_matrices(
    view: View, frame: Frame, settings: PreviewSettings, place: NDArray[np.float64] | None
) -> Matrices:
    """Return the matrices that a mesh is drawn with in a view."""
    return view.world_to_view, view.view_to_clip, drawn_to_world(frame, settings, place)


def draw_everywhere(
    drawing: SkinnedDrawing,
    display: str,
    everywhere: Iterable[Matrices],
    look: DisplaySettings,
    extent: Extent,
) -> None:
    """Draw a mesh, as it was posed last, at each of its places. everywhere: the matrices of each."""
    for matrices in everywhere:
        drawing.draw(
            display,
            *matrices,
            look,
            from_column=extent.from_column,
            to_column=extent.to_column,
            opacity=extent.opacity,
        )
