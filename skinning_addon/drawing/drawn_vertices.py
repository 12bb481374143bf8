"""The vertices that a drawing sends to the GPU. Numpy alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.mesh import DrawMesh, SourceMesh


@dataclass(frozen=True, eq=False)
class DrawnVertices:
    """One vertex buffer for both the surface and the edges.

    source_vertex: (N,) int32. attributes: by name, (N, components) each. triangles: (T, 3). edges: (E, 2).
    """

    source_vertex: NDArray[np.int32]
    attributes: Mapping[str, NDArray[np.generic]]
    triangles: NDArray[np.int32]
    edges: NDArray[np.int32]


def drawn_vertices(mesh: SourceMesh, draw_mesh: DrawMesh) -> DrawnVertices:
    """Gather the vertices of `draw_mesh`, then those that only loose edges of `mesh` need.

    An edge runs between any two drawn vertices of its ends: they lie in the same place.
    """
    drawn = np.full(mesh.vertex_count, -1, dtype=np.int32)
    drawn[draw_mesh.source_vertex] = np.arange(len(draw_mesh.source_vertex), dtype=np.int32)
    at_edges = np.unique(mesh.edges)
    loose = at_edges[drawn[at_edges] < 0]
    drawn[loose] = len(draw_mesh.source_vertex) + np.arange(len(loose), dtype=np.int32)
    source_vertex = np.concatenate((draw_mesh.source_vertex, loose)).astype(np.int32)
    attributes = {
        "meshPosition": mesh.positions[source_vertex],
        "meshNormal": np.concatenate((draw_mesh.normals, mesh.normals[loose])),
        "meshUv": np.concatenate((draw_mesh.uv, np.zeros((len(loose), 2), dtype=np.float32))),
        "sourceVertex": source_vertex.astype(np.uint32)[:, None],
    }
    return DrawnVertices(source_vertex, attributes, draw_mesh.triangles, drawn[mesh.edges])
