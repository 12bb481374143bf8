"""What is kept of a mesh at one frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.maths.arrays import set_field
from .kept_pose import KeptPose


@dataclass(frozen=True, eq=False)
class StoredFrame:
    """mesh_to_world: (4, 4) float64, row vectors. COLUMNS: what a file has of it, in the order of arguments."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("mesh_to_world",)

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
    """A mesh's pose.

    pose: its rows; or, while Blender plays, what they are computed from once they are asked for.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("mesh_to_world", "rows")

    pose: NDArray[np.float32] | KeptPose

    @property
    def rows(self) -> NDArray[np.float32]:
        """(R, 4) float32, ready for the GPU: its palettes as `palette_rows.packed_rows` lays them out."""
        pose = self.pose
        if isinstance(pose, KeptPose):
            pose = pose.rows()
            set_field(self, "pose", pose)
        return pose

    @property
    def byte_count(self) -> int:
        pose = self.pose
        return self.mesh_to_world.nbytes + (pose.byte_count if isinstance(pose, KeptPose) else pose.nbytes)

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        return (self.rows, self.mesh_to_world)


@dataclass(frozen=True, eq=False)
class StoredVertices(StoredFrame):
    """A mesh's vertices.

    positions: (V, 3) float32, mesh space. normals: (N, 3) float16, unit vectors within 0.03 degrees: of the
    vertices if all their corners share them, otherwise of the face corners.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = ("mesh_to_world", "positions", "normals")

    positions: NDArray[np.float32]
    normals: NDArray[np.float16]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        return (self.positions, self.normals, self.mesh_to_world)
