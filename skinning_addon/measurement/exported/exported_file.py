"""An exported file, the same for every reader: its meshes, its clips, and positions at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FileMesh:
    """A mesh of a file. It has N vertices; exporters split them along seams.

    name: of its object; data_name: of its mesh. rest: (N, 3), before skinning, in Blender's axes. normals:
    (N, 3), uv: (N, 2); None if the file has none. source: (N,) the number that each vertex had in Blender, -1
    where unknown; None if the file does not say.
    """

    name: str
    data_name: str
    rest: NDArray[np.float64]
    normals: NDArray[np.float64] | None = None
    uv: NDArray[np.float64] | None = None
    source: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class FileClip:
    """An animation. start, end: of its first and last key, in seconds. moves: numbers of the meshes whose
    joints it moves; none where that is not known.
    """

    name: str
    start: float
    end: float
    moves: frozenset[int] = frozenset()


class ExportedFile(Protocol):
    """An exported file that has been read. reader: what read it, in words."""

    @property
    def path(self) -> str: ...

    @property
    def reader(self) -> str: ...

    @property
    def meshes(self) -> tuple[FileMesh, ...]: ...

    @property
    def clips(self) -> tuple[FileClip, ...]: ...

    def positions(self, clips: Sequence[int], seconds: Sequence[float]) -> list[NDArray[np.float64]]:
        """Return (F, N, 3) world positions of each mesh, in Blender's axes, while the clips play together."""
        ...
