"""Meshes as skinning and drawing need them.

A *source mesh* is skinned: one entry per vertex. A *draw mesh* is drawn: a vertex is split if its corners
differ in normal or texture coordinate, and each drawn vertex stores the source vertex it came from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..text.errors import InvalidArrayError


@dataclass(frozen=True, eq=False)
class SourceMesh:
    """The mesh that goes into skinning, in mesh space.

    positions, normals: (V, 3) float32. edges: (E, 2) int32. triangles: (T, 3) int32, vertex indices.
    material: (T,) int32, the slot of each triangle's material; None if all use the first.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    edges: NDArray[np.int32]
    triangles: NDArray[np.int32]
    material: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        set_field(self, "positions", read_only("positions", self.positions, np.float32, (None, 3)))
        shape = (len(self.positions), 3)
        set_field(self, "normals", read_only("normals", self.normals, np.float32, shape))
        set_field(self, "edges", read_only("edges", self.edges, np.int32, (None, 2)))
        set_field(self, "triangles", read_only("triangles", self.triangles, np.int32, (None, 3)))
        if self.material is not None:
            material = read_only("material", self.material, np.int32, (len(self.triangles),))
            set_field(self, "material", material)

    @property
    def vertex_count(self) -> int:
        return len(self.positions)

    @cached_property
    def diagonal(self) -> float:
        """Diagonal of the positions' bounding box, in mesh space; 0 for a mesh without vertices."""
        if not len(self.positions):
            return 0.0
        size = self.positions.max(axis=0).astype(np.float64) - self.positions.min(axis=0)
        return float(np.linalg.norm(size))

    @cached_property
    def reach(self) -> float:
        """Largest absolute coordinate, in mesh space, which scales the positions' rounding; 0 without
        vertices.
        """
        return float(np.abs(self.positions).max(initial=0.0))

    @cached_property
    def vertex_areas(self) -> NDArray[np.float64]:
        """(V,) float64, a third of the area of the triangles around each vertex, in mesh space."""
        corners = self.positions[self.triangles].astype(np.float64)
        doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(doubled, axis=1) / 2
        corner_areas = np.repeat(area / 3, 3)
        areas = np.bincount(self.triangles.ravel(), weights=corner_areas, minlength=self.vertex_count)
        # Without triangles bincount returns integers.
        return sealed(np.asarray(areas, dtype=np.float64))

    @cached_property
    def surface_shares(self) -> NDArray[np.float64]:
        """(V,) float64, the share of the surface around each vertex, adding up to 1; zeros without faces."""
        return sealed(self.vertex_areas / max(float(self.vertex_areas.sum()), 1e-30))


@dataclass(frozen=True, eq=False)
class DrawMesh:
    """The mesh that is drawn.

    source_vertex: (D,) int32, the source vertex of each drawn vertex. triangles: (T, 3) int32, drawn vertices.
    normals: (D, 3) float32, rest pose, mesh space. uv: (D, 2) float32, zeros if the mesh has none.
    material: (T,) int32, the number, from 0, of each triangle's material; None if all are 0.
    """

    source_vertex: NDArray[np.int32]
    triangles: NDArray[np.int32]
    normals: NDArray[np.float32]
    uv: NDArray[np.float32]
    material: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        set_field(self, "source_vertex", read_only("source_vertex", self.source_vertex, np.int32, (None,)))
        count = len(self.source_vertex)
        set_field(self, "triangles", read_only("triangles", self.triangles, np.int32, (None, 3)))
        set_field(self, "normals", read_only("normals", self.normals, np.float32, (count, 3)))
        set_field(self, "uv", read_only("uv", self.uv, np.float32, (count, 2)))
        if self.material is not None:
            material = read_only("material", self.material, np.int32, (len(self.triangles),))
            if material.size and int(np.min(material)) < 0:
                raise InvalidArrayError("material must not be negative.")
            set_field(self, "material", material)


def draw_mesh(
    corner_vertex: NDArray[np.int32],
    corner_normals: NDArray[np.float32],
    corner_uv: NDArray[np.float32] | None,
    triangle_corners: NDArray[np.int32],
    triangle_material: NDArray[np.int32] | None = None,
) -> DrawMesh:
    """Merge face corners that look alike into drawn vertices.

    corner_vertex: (C,) the vertex of each corner. corner_normals: (C, 3). corner_uv: (C, 2) or None.
    triangle_corners: (T, 3) corner indices. triangle_material: (T,) or None.
    Corners are merged if vertex, normal and uv are equal bit for bit, so flat faces and seams stay apart and
    a smooth vertex is drawn once.
    """
    if corner_uv is None:
        corner_uv = np.zeros((len(corner_vertex), 2), dtype=np.float32)
    # Adding zero turns -0.0 into 0.0, which looks the same and must not split a vertex.
    looks = np.concatenate((corner_normals, corner_uv), axis=1, dtype=np.float32) + np.float32(0)
    key = np.concatenate((corner_vertex[:, None].astype(np.uint32), looks.view(np.uint32)), axis=1)
    _, first, drawn = np.unique(_row_hash(key), return_index=True, return_inverse=True)
    if not np.array_equal(key[first][drawn.reshape(-1)], key):
        _, first, drawn = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return DrawMesh(
        corner_vertex[first],
        drawn.reshape(-1)[triangle_corners].astype(np.int32).reshape(-1, 3),
        np.asarray(corner_normals)[first],
        np.asarray(corner_uv)[first],
        triangle_material,
    )


def _row_hash(rows: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Hash each row to 64 bits; rows that differ may rarely share a hash.

    Sorting hashes takes a fifth of the time of sorting rows. The vertex index, in the first column, is kept
    whole in the upper half, so only corners of one vertex can ever share one.
    """
    hashed = np.full(len(rows), 0xCBF29CE484222325, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in rows[:, 1:].T:
            hashed = (hashed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            hashed ^= hashed >> np.uint64(29)
    return (rows[:, 0].astype(np.uint64) << np.uint64(32)) | (hashed >> np.uint64(32))
