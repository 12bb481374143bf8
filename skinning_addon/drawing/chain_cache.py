"""What is costly to compute from a chain of passes: its weight gradient, and the groups a mesh is cut into."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.groups.draw_groups import DrawGroups, draw_groups
from ..core.skinning.mesh import SourceMesh
from ..core.skinning.passes import Pass
from ..core.surface.weight_gradient import WeightGradient, weight_gradient
from .normal_policy import NormalPolicy, best_policy

MOST_KEPT = 2
"""Groups by limit: those drawn, and those being prepared to replace them."""


@dataclass(frozen=True, eq=False)
class _Cut:
    """Groups, and the mesh that they were cut from."""

    mesh: SourceMesh
    groups: DrawGroups


class ChainCache:
    """Computes for one chain what drawing and measuring share, once each, and keeps it as long as it lives:
    it belongs to the object that keeps the chain's binding.

    passes: the chain.
    """

    def __init__(self, passes: tuple[Pass, ...]) -> None:
        self.passes = passes
        self._gradient: tuple[SourceMesh, WeightGradient] | None = None
        self._cuts: dict[int, _Cut] = {}

    def gradient(self, mesh: SourceMesh) -> WeightGradient | None:
        """Return the weight gradient on a mesh; None if the chain's normals don't need one.

        Call it when binding: computing it takes half a second for 100,000 vertices, too slow inside a draw
        callback.
        """
        if best_policy(self.passes) is not NormalPolicy.WEIGHT_GRADIENT:
            return None
        if self._gradient is None or self._gradient[0] is not mesh:
            self._gradient = mesh, weight_gradient(self.passes, mesh)
        return self._gradient[1]

    def groups(self, mesh: SourceMesh, limit: int) -> DrawGroups:
        """Return the groups of at most `limit` joints that a mesh is cut into.

        Cutting up 100,000 triangles takes one to four seconds; if only vertex positions change it takes a
        twentieth of that. Thread-safe.

        Raises:
            BindingError: the passes can't be cut up; see `draw_groups`.
        """
        known = self._cut_of(mesh, limit)
        if known is not None and known.mesh is mesh:
            return known.groups
        groups = draw_groups(self.passes, mesh, limit, known.groups.partition if known else None)
        kept = dict(self._cuts)
        kept.pop(limit, None)
        kept[limit] = _Cut(mesh, groups)
        while len(kept) > MOST_KEPT:
            del kept[next(iter(kept))]
        self._cuts = kept
        return groups

    def has_cut(self, mesh: SourceMesh, limit: int) -> bool:
        """Tell whether the slow part of `groups` is done."""
        return self._cut_of(mesh, limit) is not None

    def _cut_of(self, mesh: SourceMesh, limit: int) -> _Cut | None:
        known = self._cuts.get(limit)
        if known is None or not _is_same(known.mesh.triangles, mesh.triangles):
            return None
        return known if _is_same(known.mesh.material, mesh.material) else None


def _is_same(before: NDArray[np.int32] | None, now: NDArray[np.int32] | None) -> bool:
    if before is now:
        return True
    return before is not None and now is not None and np.array_equal(before, now)
