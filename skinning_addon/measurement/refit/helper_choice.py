"""Which helper bones to have for the meshes of a character: more for those that are further off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...core.refit.baked_motion import SkinnedTarget, urgency
from ...core.refit.candidates import candidates
from ...core.refit.clip_bones import corrected
from ...core.refit.helper_bones import Blends
from ...core.refit.helper_search import find_blends
from ...core.refit.judging import distances
from ...core.refit.mirroring import find_twins
from ...core.refit.progress import part
from ...core.refit.volume_blend import joint_motions
from ...core.refit.volume_search import STEPS, VolumeSearch, frames_looked_at, importance
from ...core.refit.wanted import Wanted
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.skinning.skin import Skin
from .helped_weights import MeshFit, Rule, helped_weights

CANDIDATES = 20
"""Joints that a vertex may choose from while helpers are searched for."""

BEFORE_CLIP_BONES = 0.75
"""This part of all helpers is chosen by what they do themselves where they get clip bones; the others for what
these leave."""

STEPS_OF_CLIP_BONES = 2
"""The others are placed in so many steps."""

SWEEPS_OF_SEARCH = 4
"""How often clip bones move while helpers are still to come."""

_ROUGHLY = partial(fit_weights, thorough=False)


class HelperChoice:
    """What is the same for all meshes. rest_to_root: (J, 4, 4), of the joints. See `fit_helpers`."""

    def __init__(
        self,
        held_out: NDArray[np.bool_],
        sides: Sides,
        rest_to_root: NDArray[np.float64],
        rule: Rule,
        *,
        clip_bones: bool,
    ) -> None:
        self._held_out, self._sides, self._rest_to_root = held_out, sides, rest_to_root
        self._rule, self._clip_bones = rule, clip_bones

    def found(self, fits: Sequence[MeshFit], count: int, progress: Callable[[float], None]) -> Blends:
        """Search up to `count` helpers."""
        off = [one.off(self._held_out) for one in fits]
        parts = np.array([np.square(one, dtype=np.float64).sum() for one in off])
        found = Blends.none(len(self._rest_to_root))
        for place, number in enumerate(np.argsort(-parts, kind="stable").tolist()):
            room = count - len(found)
            own = min(room, round(count * parts[number] / parts.sum())) if parts[number] > 0 else 0
            if own:
                done = part(progress, place, len(fits))
                found = found.plus(self._of_mesh(fits[number], off[number], own, done))
        return found

    def _of_mesh(
        self, fit: MeshFit, off: NDArray[np.float32], count: int, progress: Callable[[float], None]
    ) -> Blends:
        # Blender's constraint keeps volume in the world. What an uneven scale of the armature has sheared there
        # is not what keeps volume on the mesh, so such helpers are means as well.
        if not fit.keeps_volume or fit.wanted.stretch is not None:
            return self._of_means(fit, off, count, progress)
        # Where the only clip is held out, there is no frame to see what clip bones leave.
        if not (self._clip_bones and (fit.wanted.in_clips & ~self._held_out).any()):
            return self._keeping_volume(fit, off, count, progress)
        first = round(BEFORE_CLIP_BONES * count)
        found = self._keeping_volume(fit, off, first, part(progress, 0, 2))
        return self._left_by_clip_bones(fit, off, count, found, part(progress, 1, 2))

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
        mesh = _SearchedMesh(fit, off, self._held_out, self._sides, self._rest_to_root)
        seen = mesh.wanted
        left = mesh.left((distances(seen, self._rule(fit.skin)) * importance(seen)).max(axis=1))
        motions = joint_motions(seen.finals, self._rest_to_root)
        search = VolumeSearch(seen, motions, fit.authored, left, self._sides.mirrored_joints)
        skin, wanted = fit.skin, seen
        for step in range(STEPS):
            search.place(self._rule(skin), wanted, -(-count * (step + 1) // STEPS) - len(search.blends))
            if step < STEPS - 1 and len(search.blends):
                skin, wanted = mesh.following(search.blends)
            progress((step + 1) / STEPS)
        return search.blends

    def _left_by_clip_bones(
        self,
        fit: MeshFit,
        off: NDArray[np.float32],
        count: int,
        blends: Blends,
        progress: Callable[[float], None],
    ) -> Blends:
        """Add helpers, up to `count` in all, for what clip bones of the others leave in clips."""
        mesh = _SearchedMesh(fit, off, self._held_out, self._sides, self._rest_to_root)
        clips = np.flatnonzero(mesh.wanted.in_clips)
        in_clips = mesh.wanted.of_frames(clips)
        motions = joint_motions(in_clips.finals, self._rest_to_root)
        for number in range(STEPS_OF_CLIP_BONES if len(blends) else 0):
            progress(number / STEPS_OF_CLIP_BONES)
            skin, wanted = mesh.following(blends)
            skin = self._rule(skin)
            helpers = np.arange(in_clips.finals.shape[1], wanted.finals.shape[1])
            played = _with_clip_bones(wanted.of_frames(clips), skin, helpers)
            left = mesh.left(distances(played, skin).max(axis=1))
            search = VolumeSearch(in_clips, motions, fit.authored, left, self._sides.mirrored_joints)
            search.place(skin, played, (count - len(blends)) // (STEPS_OF_CLIP_BONES - number))
            blends = blends.plus(search.blends)
        return blends


class _SearchedMesh:
    """A mesh at the frames that a search looks at. wanted: at these."""

    def __init__(
        self,
        fit: MeshFit,
        off: NDArray[np.float32],
        held_out: NDArray[np.bool_],
        sides: Sides,
        rest_to_root: NDArray[np.float64],
    ) -> None:
        """off: (V,), see `MeshFit.off`."""
        seen = fit.wanted.of_frames(~held_out)
        self.wanted = seen.of_frames(frames_looked_at(seen))
        self._fit, self._off = replace(fit, wanted=self.wanted), off > 0
        self._mirrored, self._rest_to_root = sides.mirrored_joints, rest_to_root

    def left(self, distance: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return distances (V,), 0 of vertices that need no helper."""
        return np.where(self._off, distance, 0.0)

    def following(self, blends: Blends) -> tuple[Skin, Wanted]:
        """Return weights with helpers, and what is to be reached with them among the joints."""
        finals = blends.finals(self.wanted.finals, self._rest_to_root)
        sides = Sides(np.concatenate([self._mirrored, len(self._mirrored) + blends.mirrored]))
        every = np.zeros(len(finals), dtype=np.bool_)
        # What weights are while helpers are still to come need not be the very best.
        skin = helped_weights(self._fit, finals, every, sides, fit_skin=_ROUGHLY, only=self._off)
        return skin, self._fit.wanted_with(finals)


def _with_clip_bones(wanted: Wanted, skin: Skin, helpers: NDArray[np.intp]) -> Wanted:
    """Return what is to be reached, with clip bones in the place of helpers. wanted: at frames of clips."""
    target = SkinnedTarget(wanted, skin, urgency(distances(wanted, skin)))
    found = corrected([target], wanted.finals, helpers, SWEEPS_OF_SEARCH)
    finals = wanted.finals.copy()
    finals[:, found.helpers] = found.finals
    return replace(wanted, finals=finals)
