"""Baked clips: bones that leave their authored motion, clip by clip, where that brings meshes nearer.

Weights and motion are found in turn. Weights see only the frames that are fitted and not held out; motion is
found at every frame of every clip, as it has to be for a clip that is to be played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.refit.baked_motion import SkinnedTarget, moved_freely, urgency
from ...core.refit.candidates import with_more
from ...core.refit.free_bones import DriftLimit, FreeBones, axes_of_followers, free_joints
from ...core.refit.helper_search import NEAREST
from ...core.refit.hierarchy import AuthoredBones, GameHierarchy, choose_hierarchy
from ...core.refit.judging import better_of, distances, furthest, joined
from ...core.refit.progress import part
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.skinning.skin import Skin
from .bone_drift import BoneDrift, drifts
from .fitting import Fit, finals_of, mirrored_joints
from .helped_weights import WORTH_A_HELPER
from .joined_bones import JoinedBones
from .recording import Recording, held_out_frames

ROUNDS = 4
"""How often motion is found; weights are in between."""

Rule = Callable[[Skin], Skin]


@dataclass(frozen=True, eq=False)
class BakedFit:
    """fits: again, over all frames of the clips. bones: with the helpers' axes. hierarchy: of the clips'
    frames. drifts: of authored bones, the most first.
    """

    fits: list[Fit]
    bones: JoinedBones
    hierarchy: GameHierarchy
    drifts: tuple[BoneDrift, ...]


class Baking:
    """Finds the motion of bones in clips, and weights for it."""

    def __init__(
        self,
        recording: Recording,
        fits: Sequence[Fit],
        bones: JoinedBones,
        hierarchy: GameHierarchy,
        *,
        helpers: int,
        anchored: NDArray[np.bool_],
        limit: DriftLimit,
        rule: Rule,
    ) -> None:
        """recording: with meshes at every frame. fits: of its meshes, in order. bones, hierarchy: with
        `helpers` helpers as the last. anchored: (B,) the bones that stay where they were authored. limit: of
        the others. rule: what the engine makes of weights.
        """
        self._recording, self._fits, self._rule, self._limit = recording, fits, rule, limit
        self._bones, self._hierarchy = bones, hierarchy
        self._finals = finals_of(bones, hierarchy, slice(None))
        self._wanted = [
            recording.wanted(mesh, mesh.positions, self._finals, recording.sources)
            for mesh in recording.meshes
        ]
        self._skins = [one.skin for one in fits]
        self._held_out = (
            held_out_frames(recording, fits[0].held_out)
            if fits
            else np.zeros(len(recording.sources), dtype=np.bool_)
        )
        self._learned = recording.fitted[~self._held_out[recording.fitted]]
        self._helper = np.zeros(self._finals.shape[1], dtype=np.bool_)
        self._helper[len(self._helper) - helpers :] = True
        self._off = [self._distances(number) for number in range(len(fits))]
        self._worth = [self._worth_moving(number) for number in range(len(fits))]
        self._free = self._freed(anchored)

    def found(self, progress: Callable[[float], None]) -> BakedFit:
        """Find motion and weights in turn. progress: called with the finished fraction; it may raise."""
        for number in range(ROUNDS if len(self._free.joints) else 0):
            progress(number / ROUNDS)
            self._move()
            if number < ROUNDS - 1:
                self._weigh(lambda done, number=number: progress((number + 0.5 + 0.5 * done) / ROUNDS))
        return self._result()

    def _move(self) -> None:
        """Find the free bones' motion for the weights as they are."""
        targets = [
            SkinnedTarget(wanted, self._rule(skin), urgency(off))
            for fit, wanted, skin, off in zip(self._fits, self._wanted, self._skins, self._off, strict=True)
            if not fit.moves_as_object
        ]
        self._finals = moved_freely(targets, self._finals, self._free)
        self._off = [self._distances(number) for number in range(len(self._fits))]

    def _weigh(self, progress: Callable[[float], None]) -> None:
        """Find the weights of what is off, for the motion as it is."""
        sides = Sides(mirrored_joints(self._bones, self._hierarchy))
        helpers = np.flatnonzero(self._helper)
        for number, fit in enumerate(self._fits):
            only = self._worth[number] | self._worth_moving(number)
            if not only.any():
                continue
            wanted = replace(self._wanted[number], finals=self._finals).of_frames(self._learned)
            chosen = fit.chosen
            if len(helpers):
                chosen = with_more(chosen, wanted, helpers, NEAREST, only)
            found = fit_weights(
                wanted,
                fit.authored,
                fit.edges,
                fit.influences,
                only=only,
                sides=sides,
                chosen=chosen,
                progress=part(progress, number, len(self._fits)),
            )
            self._skins[number] = joined(found, self._skins[number], ~only)
            self._off[number] = self._distances(number)

    def _result(self) -> BakedFit:
        """Hang the bones so that nothing is sheared, and judge the weights on what is then played."""
        rest = self._bones.authored.rest_to_root[self._hierarchy.bones]
        clips = self._recording.of_clips
        to_root = rest @ self._finals[:, 1:]
        found = _rehung(self._bones.authored, self._hierarchy, to_root[clips])
        order = found.bones
        played = to_root[:, order]
        played[clips] = found.to_root
        hierarchy = replace(found, bones=self._hierarchy.bones[order])
        finals = finals_of(self._bones, replace(hierarchy, to_root=played), slice(None))
        number = np.concatenate([[0], 1 + np.argsort(order)]).astype(np.int32)
        fits = [self._judged(index, finals, number) for index in range(len(self._fits))]
        authored = self._hierarchy.to_root[clips][:, order]
        moving = ~self._helper[1:][order]
        return BakedFit(
            fits,
            self._bones,
            hierarchy,
            drifts(
                [self._bones.names[int(bone)] for bone in hierarchy.bones[moving]],
                authored[:, moving],
                found.to_root[:, moving],
            ),
        )

    def _judged(self, number: int, finals: NDArray[np.float64], joints: NDArray[np.int32]) -> Fit:
        """Return a fit over the joints as they are numbered now, and the frames of clips."""
        fit, authored = self._fits[number], self._wanted[number]
        wanted = replace(authored, finals=finals)
        skin, former, own = (
            Skin(one.starts, joints[one.joints], one.weights)
            for one in (self._skins[number], fit.former, fit.authored)
        )
        after = distances(wanted, self._rule(skin))
        with_former = distances(wanted, self._rule(former))
        judged = better_of(with_former, after, self._held_out, wanted.clips, wanted.size, alike=fit.alike)
        skin = joined(skin, former, judged.returned)
        clips = np.arange(len(self._recording.sources))[self._recording.of_clips]
        played = wanted.of_frames(clips)
        return replace(
            fit,
            wanted=played,
            authored=own,
            former=former,
            before=distances(authored.of_frames(clips), self._rule(fit.former)),
            skin=skin,
            after=distances(played, self._rule(skin)),
            judged=judged,
            held_out=self._held_out[clips],
        )

    def _distances(self, number: int) -> NDArray[np.float32]:
        wanted = replace(self._wanted[number], finals=self._finals)
        return distances(wanted, self._rule(self._skins[number]))

    def _worth_moving(self, number: int) -> NDArray[np.bool_]:
        """Mark the vertices (V,) that are off in frames that weights may see, and not as an object."""
        if self._fits[number].moves_as_object:
            return np.zeros(len(self._off[number]), dtype=np.bool_)
        learned = np.isin(np.arange(self._off[number].shape[1]), self._learned)
        largest = furthest(self._off[number], learned)
        return largest > WORTH_A_HELPER * self._wanted[number].size

    def _freed(self, anchored: NDArray[np.bool_]) -> FreeBones:
        """Free the helpers and what moves vertices that are off; helpers get the axes of what follows them."""
        authored, own = self._bones.authored, self._hierarchy.bones
        held = np.concatenate([[True], anchored[own]])
        joints = free_joints(self._skins, self._worth, held, self._helper)
        helper = self._helper[joints]
        bones = own[joints - 1]
        rest = authored.rest_to_root.copy()
        for joint, bone in zip(joints[helper], bones[helper], strict=True):
            found = axes_of_followers(self._skins, [one.rest for one in self._wanted], int(joint))
            if found is not None:
                rest[bone, :3, :3] = found
        self._bones = replace(self._bones, authored=replace(authored, rest_to_root=rest))
        return FreeBones(
            joints,
            helper,
            rest[bones, :3, :3],
            rest[bones, 3, :3],
            np.where(helper, 0.0, authored.lengths[bones] / 2),
            self._finals[:, joints],
            self._limit,
        )


def _rehung(authored: AuthoredBones, hierarchy: GameHierarchy, to_root: NDArray[np.float64]) -> GameHierarchy:
    """Choose parents again for the motion to_root (F, D, 4, 4): a bone's own, or one above that.

    Returns bones by their place in the hierarchy.
    """
    own = hierarchy.bones
    place = np.full(len(authored.parents), -1, dtype=np.int32)
    place[own] = np.arange(len(own))
    mirrored = place[authored.mirrored[own]]
    alone = AuthoredBones(
        hierarchy.parents,
        authored.rest_to_root[own],
        authored.lengths[own],
        np.ones(len(own), dtype=np.bool_),
        np.full(len(own), -1, dtype=np.int32),
        np.where(mirrored < 0, np.arange(len(own)), mirrored).astype(np.int32),
    )
    return choose_hierarchy(alone, to_root)
