"""The reference that a drawing is compared with: positions and normals of every vertex."""

from __future__ import annotations

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.skinning.mesh import SourceMesh
from .displays import NORMALS, POSITIONS
from .source_texture import VectorTexture


class Reference:
    """Owns the reference on the GPU."""

    def __init__(self, mesh: SourceMesh) -> None:
        self._vertex_count = mesh.vertex_count
        self._triangles = mesh.triangles
        self._textures = {
            POSITIONS: VectorTexture("referencePositions", mesh.vertex_count),
            NORMALS: VectorTexture("referenceNormals", mesh.vertex_count),
        }
        self._lacks_normals = False

    def set(self, positions: NDArray[np.float32], normals: NDArray[np.float32] | None) -> None:
        """Send (V, 3) float32 positions and normals, mesh space; see `SkinnedDrawing.set_reference`."""
        for name, values in ((POSITIONS, positions), (NORMALS, normals)):
            if values is None:
                continue
            if values.shape != (self._vertex_count, 3):
                raise ValueError(f"reference {name} {values.shape} for {self._vertex_count} vertices")
            self._textures[name].fill(values)
        self._lacks_normals = normals is None

    def bind(self, shader: gpu.types.GPUShader, what: str) -> bool:
        """Give POSITIONS or NORMALS to `shader`, which must be bound; False if nothing was set."""
        if what == NORMALS and self._lacks_normals:
            self._textures[NORMALS].fill(vertex_normals(self._textures[POSITIONS].values, self._triangles))
            self._lacks_normals = False
        texture = self._textures[what]
        if not texture.is_filled:
            return False
        texture.bind(shader)
        return True

    def free(self) -> None:
        """Give the GPU's memory back."""
        for texture in self._textures.values():
            texture.free()


def vertex_normals(positions: NDArray[np.floating], triangles: NDArray[np.integer]) -> NDArray[np.float64]:
    """Average the normals of the triangles around each vertex by their angles there, as Blender does with
    faces.

    Returns (V, 3), zero for vertices without a triangle of non-zero area.
    """
    at = positions[triangles].astype(np.float64)
    across = np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
    size = np.linalg.norm(across, axis=1)
    normal = across / np.where(size > 0, size, 1)[:, None]
    sums = np.zeros((len(positions), 3))
    for corner in range(3):
        to_next, to_last = at[:, corner - 2] - at[:, corner], at[:, corner - 1] - at[:, corner]
        angle = np.arctan2(size, np.einsum("tc,tc->t", to_next, to_last))
        for axis in range(3):
            shares = np.where(size > 0, angle * normal[:, axis], 0.0)
            sums[:, axis] += np.bincount(triangles[:, corner], shares, minlength=len(positions))
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(length > 0, length, 1)
