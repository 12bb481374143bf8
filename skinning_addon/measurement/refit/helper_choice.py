"""Which helper bones to have for the meshes of a character: more for those that are further off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...core.refit.candidates import candidates
from ...core.refit.helper_bones import Blends
from ...core.refit.helper_search import find_blends
from ...core.refit.judging import distances
from ...core.refit.mirroring import find_twins
from ...core.refit.progress import part
from ...core.refit.volume_blend import joint_motions
from ...core.refit.volume_search import STEPS, VolumeSearch, frames_looked_at, importance
from ...core.refit.weight_fit import Sides, fit_weights
from .helped_weights import MeshFit, Rule, helped_weights

CANDIDATES = 20
"""Joints that a vertex may choose from while helpers are searched for."""

_ROUGHLY = partial(fit_weights, thorough=False)


class HelperChoice:
    """What is the same for all meshes. rest_to_root: (J, 4, 4), of the joints. See `fit_helpers`."""

    def __init__(
        self, held_out: NDArray[np.bool_], sides: Sides, rest_to_root: NDArray[np.float64], rule: Rule
    ) -> None:
        self._held_out, self._sides, self._rest_to_root = held_out, sides, rest_to_root
        self._rule = rule

    def found(self, fits: Sequence[MeshFit], count: int, progress: Callable[[float], None]) -> Blends:
        """Search up to `count` helpers."""
        off = [one.off(self._held_out) for one in fits]
        parts = np.array([np.square(one, dtype=np.float64).sum() for one in off])
        found = Blends.none(len(self._rest_to_root))
        for place, number in enumerate(np.argsort(-parts, kind="stable").tolist()):
            room = count - len(found)
            own = min(room, round(count * parts[number] / parts.sum())) if parts[number] > 0 else 0
            if own:
                fit = fits[number]
                # Blender's constraint keeps volume in the world. What an uneven scale of the armature has
                # sheared there is not what keeps volume on the mesh, so such helpers are means as well.
                keeping = fit.keeps_volume and fit.wanted.stretch is None
                search = self._keeping_volume if keeping else self._of_means
                found = found.plus(search(fit, off[number], own, part(progress, place, len(fits))))
        return found

    def _of_means(
        self, fit: MeshFit, off: NDArray[np.float32], count: int, progress: Callable[[float], None]
    ) -> Blends:
        chosen = candidates(fit.authored, fit.edges, CANDIDATES)
        mirrored = self._sides.mirrored_joints
        return find_blends(
            fit.wanted.of_frames(~self._held_out),
            chosen,
            off,
            fit.influences,
            count,
            twins=find_twins(fit.wanted.rest, fit.wanted.size, chosen, mirrored),
            mirrored_joints=mirrored,
            progress=progress,
        )

    def _keeping_volume(
        self, fit: MeshFit, off: NDArray[np.float32], count: int, progress: Callable[[float], None]
    ) -> Blends:
        seen = fit.wanted.of_frames(~self._held_out)
        seen = seen.of_frames(frames_looked_at(seen))
        mirrored = self._sides.mirrored_joints
        reached = distances(seen, self._rule(fit.skin))
        left = np.where(off > 0, (reached * importance(seen)).max(axis=1), 0.0)
        motions = joint_motions(seen.finals, self._rest_to_root)
        search = VolumeSearch(seen, motions, fit.authored, left, mirrored)
        looked_at = replace(fit, wanted=seen)
        every = np.zeros(len(seen.finals), dtype=np.bool_)
        skin, wanted = fit.skin, seen
        for step in range(STEPS):
            search.place(self._rule(skin), wanted, -(-count * (step + 1) // STEPS) - len(search.blends))
            blends = search.blends
            if step < STEPS - 1 and len(blends):
                finals = blends.finals(seen.finals, self._rest_to_root)
                sides = Sides(np.concatenate([mirrored, len(mirrored) + blends.mirrored]))
                # What they are while helpers are still to come need not be the very best.
                skin = helped_weights(looked_at, finals, every, sides, fit_skin=_ROUGHLY, only=off > 0)
                wanted = looked_at.wanted_with(finals)
            progress((step + 1) / STEPS)
        return search.blends
