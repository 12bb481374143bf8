"""The weights of one mesh whose vertices may follow helper bones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.refit.alike import Alike
from ...core.refit.candidates import Candidates, with_more
from ...core.refit.judging import furthest, joined
from ...core.refit.wanted import Wanted
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.skinning.skin import Skin

WORTH_A_HELPER = 3e-4
"""Vertices that are off by more than this part of the mesh's diagonal, half a millimetre on a human, may follow
helpers."""

MORE_THAN_FOLLOWED = 2
"""A vertex may choose from so many more helpers than it may follow, those that alone come nearest."""

Rule = Callable[[Skin], Skin]

FitsWeights = Callable[..., Skin]
"""As `fit_weights`."""


@dataclass(frozen=True, eq=False)
class MeshFit:
    """A mesh whose weights are fitted without helpers.

    wanted: at the fitted frames. chosen: the joints that vertices may choose from. skin: over joints, 1 and up
    the copy's bones in order; the engine plays `rule(skin)`. after: its distances (V, F). alike: vertices that
    are decided on together. influences: at most. keeps_volume: whether Blender deforms the original with
    Preserve Volume.
    """

    wanted: Wanted
    edges: NDArray[np.int32]
    authored: Skin
    chosen: Candidates
    skin: Skin
    after: NDArray[np.float32]
    alike: Alike
    influences: int
    keeps_volume: bool

    def off(self, held_out: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return how far off vertices are on frames that are fitted, 0 where that is not worth a helper. What
        is decided on together is as far off as the furthest of it: one hand may close, and the other not.
        """
        largest = self.alike.most(furthest(self.after, ~held_out))
        return np.where(largest > WORTH_A_HELPER * self.wanted.size, largest, 0.0).astype(np.float32)

    def wanted_with(self, finals: NDArray[np.float64]) -> Wanted:
        """Return what the mesh is to reach, with helpers among the joints. finals: (F, H, 4, 4), theirs."""
        return replace(self.wanted, finals=np.concatenate([self.wanted.finals, finals], axis=1))


def helped_weights(
    fit: MeshFit,
    finals: NDArray[np.float64],
    held_out: NDArray[np.bool_],
    sides: Sides,
    *,
    fit_skin: FitsWeights = fit_weights,
    only: NDArray[np.bool_] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Skin:
    """Fit the weights of vertices that may follow helpers; the others keep theirs.

    finals: (F, H, 4, 4), of the helpers at the fitted frames, of which held_out (F,) may not be seen. sides: of
    the joints, then of the helpers. only: (V,) the vertices; those that are off by what is worth a helper, if
    left out.
    """
    only = fit.off(held_out) > 0 if only is None else only
    joints = fit.wanted.finals.shape[1] + np.arange(finals.shape[1])
    if not only.any() or not len(joints):
        return fit.skin
    seen = fit.wanted_with(finals).of_frames(~held_out)
    chosen = with_more(fit.chosen, seen, joints, fit.influences + MORE_THAN_FOLLOWED, only)
    found = fit_skin(
        seen,
        fit.authored,
        fit.edges,
        fit.influences,
        only=only,
        sides=sides,
        chosen=chosen,
        progress=progress,
    )
    return joined(found, fit.skin, ~only)
