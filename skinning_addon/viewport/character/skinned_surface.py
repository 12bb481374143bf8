"""A preview's mesh skinned on the CPU, for picking: the GPU only draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.blending.software_skinning import SoftwareSkinner
from ...core.profiles.binding import Binding
from ...scene.binding.frame import Frame


@dataclass(frozen=True, eq=False)
class PickableSurface:
    """The drawn surface of a mesh, for ray casting.

    positions: (P, 3) float32, mesh space. triangles: (T, 3). source_vertex: (P,), the bound mesh's vertices.
    """

    positions: NDArray[np.float32]
    triangles: NDArray[np.int32]
    source_vertex: NDArray[np.int32]

    def copy_of(self, vertex: int, copy: int) -> NDArray[np.float64] | None:
        """Return where a vertex of the bound mesh lies, (3,) mesh space; None if no face has it.

        copy: which one, if the mesh is split and several are drawn; the last if there are fewer.
        """
        copies = np.flatnonzero(self.source_vertex == vertex)
        return self.positions[copies[min(copy, len(copies) - 1)]].astype(np.float64) if len(copies) else None

    def as_copy(self, drawn: int) -> tuple[int, int]:
        """Return a drawn vertex's index in the bound mesh, and which copy it is."""
        vertex = int(self.source_vertex[drawn])
        return vertex, int(np.count_nonzero(self.source_vertex[:drawn] == vertex))


class SkinnedSurface:
    """Skins one bound mesh, a frame at a time, and only on request."""

    def __init__(self, binding: Binding) -> None:
        self._mesh = binding.mesh
        self._skinner: SoftwareSkinner | None = None
        self._frame: Frame | None = None
        self._positions = binding.mesh.positions

    def positions(self, frame: Frame) -> NDArray[np.float32]:
        """Return the skinned positions (V, 3), mesh space; those of the same frame are kept."""
        if frame is self._frame:
            return self._positions
        if self._skinner is None or self._frame is None or frame.chain is not self._frame.chain:
            self._skinner = SoftwareSkinner(frame.chain, self._mesh)
        self._positions = self._skinner.skin_positions(frame.palettes)
        self._frame = frame
        return self._positions

    def free(self) -> None:
        """Free the memory, about 100 bytes per vertex; it is allocated again when needed."""
        self._skinner = self._frame = None
        self._positions = self._mesh.positions
