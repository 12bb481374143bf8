"""What is kept of a mesh at one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StoredFrame:
    """mesh_to_world: (4, 4) float64, row vectors."""

    mesh_to_world: NDArray[np.float64]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """All that is kept."""
        return (self.mesh_to_world,)

    @property
    def byte_count(self) -> int:
        """Memory it takes."""
        return sum(one.nbytes for one in self.arrays)

    def same_as(self, other: StoredFrame) -> bool:
        """Whether both show the same, bit for bit."""
        return all(map(np.array_equal, self.arrays, other.arrays))


@dataclass(frozen=True, eq=False)
class StoredPose(StoredFrame):
    """A mesh's pose, ready for the GPU.

    rows: (R, 4) float32, its palettes as `palette_rows.packed_rows` lays them out.
    """

    rows: NDArray[np.float32]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        return (self.rows, self.mesh_to_world)


@dataclass(frozen=True, eq=False)
class StoredVertices(StoredFrame):
    """A mesh's vertices.

    positions: (V, 3) float32, mesh space. normals: (N, 3) float16, unit vectors within 0.03 degrees: of the
    vertices if all their corners share them, otherwise of the face corners.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float16]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        return (self.positions, self.normals, self.mesh_to_world)
