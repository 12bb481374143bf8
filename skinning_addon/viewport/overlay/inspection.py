"""The inspected vertex: under the mouse while the tool runs, and pinned by a click until released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.inspection.vertex_trace import VertexTrace, trace_vertex
from ...scene.binding.frame import Frame
from ...scene.matrices import row_vectors
from ..character.preview import LayerKey, Preview
from ..choices.settings import PreviewSettings
from ..objects.instances import Instances


@dataclass(frozen=True)
class Target:
    """A vertex of a previewed object.

    uid: the object's session_uid. instancer: session_uid of the object that instances it where it was picked,
    0 for the object itself. copy: which copy of the vertex, if the mesh is drawn in parts and has several.
    """

    uid: int
    vertex: int
    instancer: int = 0
    copy: int = 0


@dataclass(frozen=True, eq=False)
class InspectedVertex:
    """A target as it is currently drawn.

    trace: its way through skinning. mesh_to_world: (4, 4), of its object or the instance. in_world: (3,),
    where the skinned vertex is; offset if previews are drawn aside. stepped: (3,) mesh space, where it is
    drawn while skinning is stopped on its way; None if the result is drawn. blender: (3,) mesh space, the
    vertex it is compared with; None if there is none or it is from another moment.
    """

    preview: Preview
    trace: VertexTrace
    mesh_to_world: NDArray[np.float64]
    blender: NDArray[np.float64] | None
    stepped: NDArray[np.float64] | None = None

    @property
    def drawn(self) -> NDArray[np.float64]:
        """(3,) world space, where the vertex is drawn, without the offset aside."""
        return self.in_world if self.stepped is None else self.to_world(self.stepped)

    @property
    def in_world(self) -> NDArray[np.float64]:
        """(3,) world space, the skinned vertex."""
        return self.to_world(self.trace.result)

    @property
    def difference(self) -> NDArray[np.float64] | None:
        """(3,) world space, from Blender's vertex to the skinned one."""
        return None if self.blender is None else self.in_world - self.to_world(self.blender)

    def to_world(self, position: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transform a position from mesh space to world space."""
        return position @ self.mesh_to_world[:3, :3] + self.mesh_to_world[3, :3]


class Inspection:
    """What is inspected in all 3D views. Keeps no Blender object.

    active: whether the tool runs. hovered: the vertex under the mouse. pinned: the vertex that was clicked
    last.
    """

    def __init__(self) -> None:
        self.active = False
        self.hovered: Target | None = None
        self.pinned: Target | None = None
        self._traces: dict[Target, tuple[Frame, VertexTrace]] = {}

    @property
    def shown(self) -> Target | None:
        """The vertex the panel shows: the one under the mouse, else the pinned one."""
        return self.hovered or self.pinned

    def clear(self) -> None:
        """Release all vertices."""
        self.hovered = self.pinned = None
        self._traces.clear()

    def end(self) -> None:
        """Release the vertex under the mouse; the pinned one stays."""
        self.active = False
        self.hovered = None

    def look_at(
        self, target: Target | None, previews: Sequence[Preview], instances: Instances, layer: LayerKey
    ) -> InspectedVertex | None:
        """Return a target as it is drawn in a view layer; None if it isn't, or is gone."""
        preview = next((one for one in previews if target and one.uid == target.uid), None)
        live = preview.mesh_in_layer(layer) if preview and not preview.error and not preview.paused else None
        frame = live.frame if live else None
        if target is None or preview is None or live is None or frame is None:
            return None
        if target.vertex >= live.binding.mesh.vertex_count:
            return None
        known = self._traces.get(target)
        if known is None or known[0] is not frame:
            self._traces = {
                one: kept for one, kept in self._traces.items() if one in {self.hovered, self.pinned}
            }
            known = (
                frame,
                trace_vertex(live.binding, frame.chain, frame.passes, frame.palettes, target.vertex),
            )
            self._traces[target] = known
        own_instances = instances.of(target.uid, layer) if target.instancer else ()
        instance_to_world = next(
            (one.mesh_to_world for one in own_instances if one.instancer == target.instancer), None
        )
        return InspectedVertex(
            preview,
            known[1],
            frame.mesh_to_world if instance_to_world is None else instance_to_world,
            live.blender_vertex(target.vertex),
            live.stepped_vertex(target.vertex, target.copy),
        )


def position_in_region(
    position: NDArray[np.float64],
    view: bpy.types.RegionView3D,
    size: tuple[int, int],
    settings: PreviewSettings,
) -> tuple[float, float] | None:
    """Project a vertex in world space to where it is drawn in a region, in pixels; None behind the viewer."""
    drawn = np.append(position + settings.offset, 1.0)
    clip = drawn @ row_vectors(view.view_matrix) @ row_vectors(view.window_matrix)
    if clip[3] <= 0:
        return None
    x, y = (clip[:2] / clip[3] + 1) * size / 2
    return float(x), float(y)
