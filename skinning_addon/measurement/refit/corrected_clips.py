"""Clip bones for a copy's helper bones, and weights with them, in turn.

Weights see only the frames that are fitted and not held out; what clip bones do is found at every frame of
every clip, as it has to be for a clip that is to be played. Authored bones and helpers keep their motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.refit.baked_motion import SkinnedTarget, urgency
from ...core.refit.clip_bones import ClipBones, corrected
from ...core.refit.hierarchy import GameHierarchy
from ...core.refit.judging import better_of, distances, figures, furthest
from ...core.refit.progress import part
from ...core.refit.weight_fit import Sides
from ...core.skinning.skin import Skin
from .fitting import Fit, finals_of, mirrored_joints
from .helped_weights import FitsWeights, MeshFit, Rule, helped_weights
from .helper_names import with_clip_bones
from .joined_bones import JoinedBones
from .recording import Recording, held_out_frames

ROUNDS = 3
"""How often motion is found; weights are in between."""

WORTH_CORRECTING = 1.5e-4
"""Weights are fitted again where vertices are off by more than this part of the mesh's diagonal in clips, a
quarter of a millimetre on a human."""


@dataclass(frozen=True, eq=False)
class CorrectedClips:
    """fits: again, with `uncorrected`. bones, hierarchy: with clip bones as the last. clip_bones: the name of
    each by its helper's; none if clips come no nearer by them.
    """

    fits: Sequence[Fit]
    bones: JoinedBones
    hierarchy: GameHierarchy
    clip_bones: Mapping[str, str]


class ClipCorrection:
    """Finds clip bones, and weights with them."""

    def __init__(
        self,
        recording: Recording,
        fits: Sequence[Fit],
        bones: JoinedBones,
        hierarchy: GameHierarchy,
        *,
        helpers: int,
        rule: Rule,
        fit_skin: FitsWeights,
    ) -> None:
        """recording: with meshes at every frame. fits: of its meshes, in order. bones, hierarchy: with
        `helpers` helpers as the last. rule: what the engine makes of weights.
        """
        self._recording, self._fits, self._rule, self._fit_skin = recording, fits, rule, fit_skin
        self._bones, self._hierarchy = bones, hierarchy
        self._driven = finals_of(bones, hierarchy, slice(None))
        self._joints = self._driven.shape[1]
        self._helpers = np.arange(self._joints - helpers, self._joints)
        self._sides = Sides(mirrored_joints(bones, hierarchy))
        self._clips = np.arange(len(recording.sources))[recording.of_clips]
        held_out = held_out_frames(recording, fits[0].held_out)
        self._unseen = np.ones(len(recording.sources), dtype=np.bool_)
        self._unseen[recording.fitted[~held_out[recording.fitted]]] = False
        # Clip bones stand in the place of their helpers while they are looked for.
        self._finals = self._driven.copy()
        self._wanted = [
            recording.wanted(mesh, mesh.positions, self._finals, recording.sources)
            for mesh in recording.meshes
        ]
        self._skins = [one.skin for one in fits]

    def found(self, progress: Callable[[float], None]) -> CorrectedClips:
        """Find motion and weights in turn. progress: called with the finished fraction; it may raise."""
        for number in range(ROUNDS - 1):
            progress(number / ROUNDS)
            self._move()
            self._weigh(lambda done, number=number: progress((number + 0.3 + 0.7 * done) / ROUNDS))
        found = self._move()
        again = self._fitted(found)
        if not _nearer(again, self._fits):
            return CorrectedClips(self._fits, self._bones, self._hierarchy, {})
        bones, hierarchy, names = with_clip_bones(
            self._bones, self._hierarchy, found, self._recording.of_clips
        )
        return CorrectedClips(again, bones, hierarchy, names)

    def _move(self) -> ClipBones:
        """Find the motion of clip bones, with the weights held."""
        targets = []
        for fit, wanted, skin in zip(self._fits, self._wanted, self._skins, strict=True):
            if not fit.moves_as_object:
                in_clips, played = wanted.of_frames(self._clips), self._rule(skin)
                targets.append(SkinnedTarget(in_clips, played, urgency(distances(in_clips, played))))
        found = corrected(targets, self._driven[self._clips], self._helpers)
        self._finals[np.ix_(self._clips, found.helpers)] = found.finals
        return found

    def _weigh(self, progress: Callable[[float], None]) -> None:
        """Fit weights again where vertices are off in clips, with the motion held."""
        helpers = self._finals[:, self._helpers]
        for number, (fit, wanted) in enumerate(zip(self._fits, self._wanted, strict=True)):
            skin = self._skins[number]
            off = distances(wanted, self._rule(skin))
            largest = fit.alike.most(furthest(off, ~self._unseen & wanted.in_clips))
            only = (largest > WORTH_CORRECTING * wanted.size) & (not fit.moves_as_object)
            mesh = MeshFit(
                replace(wanted, finals=self._finals[:, : self._helpers[0]]),
                fit.edges,
                fit.authored,
                fit.chosen,
                skin,
                off,
                fit.alike,
                fit.influences,
                fit.keeps_volume,
            )
            self._skins[number] = helped_weights(
                mesh,
                helpers,
                self._unseen,
                self._sides,
                fit_skin=self._fit_skin,
                only=only,
                progress=part(progress, number, len(self._fits)),
            )

    def _fitted(self, found: ClipBones) -> list[Fit]:
        """Return the fits with clip bones as joints of their own behind all others."""
        own = np.arange(self._joints, dtype=np.int32)
        own[found.helpers] = self._joints + np.arange(len(found.helpers))
        fitted = self._recording.fitted
        with_clip_bones = np.concatenate([self._driven, self._finals[:, found.helpers]], axis=1)[fitted]
        at_rest = np.concatenate([self._driven, self._driven[:, found.helpers]], axis=1)[fitted]
        result: list[Fit] = []
        for fit, fitted_skin in zip(self._fits, self._skins, strict=True):
            skin = Skin(fitted_skin.starts, own[fitted_skin.joints], fitted_skin.weights)
            wanted = replace(fit.wanted, finals=with_clip_bones)
            after = distances(wanted, self._rule(skin))
            judged = better_of(fit.before, after, fit.held_out, wanted.clips, wanted.size, alike=fit.alike)
            again = replace(fit, wanted=wanted, skin=skin, after=after, judged=judged)
            again = again.with_former_where_better(self._rule)
            without = distances(replace(wanted, finals=at_rest), self._rule(again.skin))
            result.append(replace(again, uncorrected=without))
        return result


def _nearer(fits: Sequence[Fit], before: Sequence[Fit]) -> bool:
    """Tell whether clips come nearer, in the mean square over frames that weights have not seen."""

    def left(some: Sequence[Fit]) -> float:
        found = 0.0
        for one in some:
            unseen = one.held_out & one.wanted.in_clips
            of_clips = figures(one.after, unseen if unseen.any() else one.wanted.in_clips)
            found += of_clips.root_mean_square**2
        return found

    return left(fits) < left(before)
