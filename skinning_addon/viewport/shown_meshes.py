"""The previewed meshes that a 3D view shows, and where in it their previews are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..scene.matrices import row_vectors
from .character.mesh_in_layer import MeshInLayer
from .character.preview import LayerKey, Preview
from .character.view import View
from .choices.settings import PreviewSettings
from .layers import layer_key
from .objects.beside import Bounds, beside, seen_across
from .objects.instances import Instance
from .objects.visibility import shown_instances
from .overlay.view_text import FreeArea, free_area
from .session import ViewportSession

SMALLEST_COVER = 0.01
"""Share of the characters' diagonal by which an inexact preview in place is drawn nearer than Blender's mesh:
figures are a moment old while it plays."""

COVER_OF_DEVIATION = 1.5
"""The same, as a multiple of the largest deviation."""

COVER_OF_CUT_STACK = 0.05
"""Share of the diagonal if Blender's mesh has modifiers that the preview is without, such as Subdivision."""


@dataclass(frozen=True, eq=False)
class ShownMesh:
    """A preview's mesh in one 3D view. mesh_object: None if it is gone. instances: none if it isn't shown."""

    preview: Preview
    mesh_object: bpy.types.Object | None
    instances: Sequence[Instance]

    @property
    def is_hidden(self) -> bool:
        """Whether the mesh is there, but not shown."""
        return self.mesh_object is not None and not self.instances


def shown_mesh(
    session: ViewportSession, preview: Preview, context: bpy.types.Context, layer: LayerKey
) -> ShownMesh:
    """Find where the context's 3D view shows a preview's mesh."""
    mesh_object = session.objects.find(preview.uid)
    if mesh_object is None:
        return ShownMesh(preview, None, ())
    view_layer = context.view_layer
    instances = shown_instances(
        session.instances,
        session.objects,
        mesh_object,
        layer,
        view_layer=view_layer,
        space=context.space_data,
    )
    return ShownMesh(preview, mesh_object, instances)


def placed(
    session: ViewportSession,
    settings: PreviewSettings,
    shown: Sequence[ShownMesh],
    view: View,
    context: bpy.types.Context,
) -> PreviewSettings:
    """Return the settings with previews beside Blender's meshes in this view, or in front of them, as chosen.

    In place they are drawn so much nearer to the viewer that the two never cut through one another, unless
    they are the same or Blender's is hidden.
    """
    visible = [one for one in shown if one.mesh_object is not None and one.instances]
    layer = layer_key(context.scene, context.view_layer)
    covers = settings.is_in_place and (session.pictures.being_made or _shows_blenders(settings, visible))
    inexact = [live for one in visible if (live := one.preview.mesh_in_layer(layer)) and live.differs]
    if not visible or not (settings.beside or (covers and inexact)):
        return settings
    corners = _corners(visible, context.view_layer.depsgraph)
    bounds = session.places.bounds(layer, corners)
    nearer, offset = _cover(inexact, bounds) if covers else 0.0, settings.offset
    if settings.beside:
        free = session.reader.known(FreeArea, lambda: free_area(context, context.region))
        found = beside(bounds, view.world_to_view, view.view_to_clip, _across(free, context.region.width))
        x, y, z = found.offset.tolist()
        offset = (x, y, z)
        nearer = bounds.diagonal if found.overlaps else 0.0
        to_right = view.world_to_view[:3, 0]
        seen = seen_across(corners + found.offset, view.world_to_view, view.view_to_clip)
        touches = found.overlaps and abs(float(found.offset @ to_right)) < float(np.ptp(corners @ to_right))
        session.places.put(context.region, found, seen, overlaps=touches)
    return _placed(settings, offset, nearer)


_last_placed: list[tuple[PreviewSettings, tuple[float, float, float], float, PreviewSettings]] = []
"""What settings were placed last, where, and how much nearer; and what came of it."""


def _placed(settings: PreviewSettings, offset: tuple[float, float, float], nearer: float) -> PreviewSettings:
    """Return the settings with these two; the same object as before if they are the same, as in place they are
    at nearly every frame: making another takes as long as finding the two.
    """
    for one, *with_these, made in _last_placed:
        if one is settings and with_these == [offset, nearer]:
            return made
    made = replace(settings, offset=offset, drawing=replace(settings.drawing, toward_viewer=nearer))
    _last_placed[:] = [(settings, offset, nearer, made)]
    return made


def _shows_blenders(settings: PreviewSettings, shown: Sequence[ShownMesh]) -> bool:
    """Whether Blender draws any of the meshes: it does in other modes than Object Mode, whatever is chosen."""
    if not settings.hides_blenders_mesh:
        return True
    return any(one.mesh_object is not None and one.mesh_object.mode != "OBJECT" for one in shown)


def _cover(inexact: Sequence[MeshInLayer], bounds: Bounds) -> float:
    """Return how much nearer than Blender's all previews are drawn: alike, so that a shirt stays over the
    body.
    """
    apart = [one.apart for one in inexact]
    if not all(math.isfinite(one) for one in apart):
        return bounds.diagonal
    deviation, diagonal = COVER_OF_DEVIATION * max(apart), bounds.diagonal
    cut = any(one.figures is not None and one.figures.before for one in inexact)
    share = COVER_OF_CUT_STACK if cut else SMALLEST_COVER
    return min(max(deviation, share * diagonal), diagonal)


def _corners(shown: Sequence[ShownMesh], depsgraph: bpy.types.Depsgraph) -> NDArray[np.float64]:
    """Return the corners (N, 3), world space, of the boxes that Blender knows around its own meshes."""
    found = []
    for one in shown:
        if one.mesh_object is None:
            continue
        evaluated = one.mesh_object.evaluated_get(depsgraph)
        box = np.array([corner[:] for corner in evaluated.bound_box])
        for instance in one.instances:
            to_world = (
                row_vectors(evaluated.matrix_world)
                if instance.mesh_to_world is None
                else instance.mesh_to_world
            )
            found.append(box @ to_world[:3, :3] + to_world[3, :3])
    return found[0] if len(found) == 1 else np.concatenate(found)


def _across(free: FreeArea, width: int) -> tuple[float, float]:
    """Return the left and right end of a free area in a region of this width, -1 to 1."""
    width = max(1, width)
    return 2 * free.left / width - 1, 2 * free.right / width - 1
