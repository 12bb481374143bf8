"""What is kept of a mesh at one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class StoredFrame:
    """A mesh's pose, ready for the GPU.

    rows: (R, 4) float32, its palettes as `palette_rows.packed_rows` lays them out. mesh_to_world: (4, 4)
    float64, row vectors.
    """

    rows: NDArray[np.float32]
    mesh_to_world: NDArray[np.float64]

    @property
    def byte_count(self) -> int:
        """Memory it takes."""
        return self.rows.nbytes + self.mesh_to_world.nbytes

    def same_as(self, other: StoredFrame) -> bool:
        """Whether both show the same, bit for bit."""
        return np.array_equal(self.rows, other.rows) and np.array_equal(
            self.mesh_to_world, other.mesh_to_world
        )
