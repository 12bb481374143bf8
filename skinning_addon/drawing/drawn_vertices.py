"""The vertices that a drawing sends to the GPU. Numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.mesh import DrawMesh, SourceMesh


@dataclass(frozen=True, eq=False)
class DrawnVertices:
    """One vertex buffer for both the surface and the edges.

    source_vertex: (N,) int32. normals: (N, 3) float32, updated along with positions. attributes: by name, (N,
    components) each, everything that does not change when vertices move. triangles: (T, 3), sorted by
    material. edges: (E, 2).
    material_starts: (M + 1,), material m has the triangles material_starts[m] to material_starts[m + 1].
    """

    source_vertex: NDArray[np.int32]
    normals: NDArray[np.float32]
    attributes: Mapping[str, NDArray[np.generic]]
    triangles: NDArray[np.int32]
    edges: NDArray[np.int32]
    material_starts: NDArray[np.intp]


def drawn_vertices(mesh: SourceMesh, draw_mesh: DrawMesh) -> DrawnVertices:
    """Gather the vertices of `draw_mesh`, then those that only loose edges of `mesh` need.

    An edge connects any drawn vertex at each end, since a source vertex's drawn vertices coincide.
    """
    drawn = np.full(mesh.vertex_count, -1, dtype=np.int32)
    drawn[draw_mesh.source_vertex] = np.arange(len(draw_mesh.source_vertex), dtype=np.int32)
    at_edges = np.unique(mesh.edges)
    loose = at_edges[drawn[at_edges] < 0]
    drawn[loose] = len(draw_mesh.source_vertex) + np.arange(len(loose), dtype=np.int32)
    source_vertex = np.concatenate((draw_mesh.source_vertex, loose)).astype(np.int32)
    attributes = {
        "meshUv": np.concatenate((draw_mesh.uv, np.zeros((len(loose), 2), dtype=np.float32))),
        "sourceVertex": source_vertex.astype(np.uint32)[:, None],
    }
    triangles, material_starts = _by_material(draw_mesh)
    normals = np.concatenate((draw_mesh.normals, mesh.normals[loose]))
    return DrawnVertices(source_vertex, normals, attributes, triangles, drawn[mesh.edges], material_starts)


def _by_material(draw_mesh: DrawMesh) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    if draw_mesh.material is None:
        return draw_mesh.triangles, np.array((0, len(draw_mesh.triangles)))
    order = np.argsort(draw_mesh.material, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(draw_mesh.material))))
    return draw_mesh.triangles[order], starts
