"""Weights of a character's meshes, fitted to what was recorded, and how well they do on frames held out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.profiles.weight_rules import WeightRule
from ...core.refit.alike import Alike, find_alike
from ...core.refit.candidates import Candidates, candidates
from ...core.refit.fewer_joints import used_joints, with_fewer_joints
from ...core.refit.helper_bones import MOST_HELPER_BONES
from ...core.refit.hierarchy import GameHierarchy
from ...core.refit.judging import (
    Figures,
    Judged,
    better_of,
    cut_to,
    distances,
    figures_by_source,
    joined,
    needs_fit,
)
from ...core.refit.kind import Kind
from ...core.refit.wanted import Wanted
from ...core.refit.weight_fit import Sides, fit_weights
from ...core.refit.worst_frames import fit_worst_frames
from ...core.skinning.skeleton import invert_affine
from ...core.skinning.skin import Skin
from ...core.text.errors import UsageError
from .helper_fit import Helpers, MeshFit, fit_helpers
from .joined_bones import JoinedBones
from .recording import RecordedMesh, Recording

HELD_OUT_BLOCK = 10
"""Frames in the middle of each clip, and of the range of motion, that are held out if no clip is."""

FEWEST_TO_HOLD_OUT_OF = 30
"""Frames of a clip from which a block is held out."""


@dataclass(frozen=True, eq=False)
class RefittedMesh:
    """What became of one mesh. Distances are in the armature's unit along its longest axis, by name
    of the clip.

    before: with the largest weights that the engine keeps, on the copy's bones. after: with fitted weights.
    held_out_before, held_out: the same on frames that the fit has not seen.
    fitted: vertices that their former weights left off. returned: those of them that got former weights back.
    worse: those that lie further off on unseen frames, but not over all. moves_as_object: see `RecordedMesh`;
    such a mesh is not fitted, and its distances are not what weights leave. uncorrected: as `after`, with clip
    bones at rest on their helpers, as in new poses; empty without any.
    """

    mesh_object: str
    before: dict[str, Figures]
    after: dict[str, Figures]
    held_out_before: dict[str, Figures]
    held_out: dict[str, Figures]
    returned: int
    worse: int
    fitted: int
    vertices: int
    moves_as_object: bool = False
    uncorrected: dict[str, Figures] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Fit:
    """A mesh with fitted weights, and what it takes to say how well they do; see `RefittedMesh`.

    skin: over joints, 1 and up the copy's bones in order. chosen: those that vertices may choose from. former:
    with the largest weights. off: (V,) what these leave off. before, after: distances (V, F) with former and
    fitted weights. held_out: (F,) frames that the fit has not seen. alike: vertices that get former weights
    back together. keeps_volume: whether Blender deforms the original with Preserve Volume. moves_as_object: see
    `RecordedMesh`; nothing is off then that counts. uncorrected: distances (V, F) with clip bones at rest, None
    without any.
    """

    mesh_object: str
    edges: NDArray[np.int32]
    wanted: Wanted
    authored: Skin
    chosen: Candidates
    influences: int
    former: Skin
    before: NDArray[np.float32]
    off: NDArray[np.bool_]
    skin: Skin
    after: NDArray[np.float32]
    judged: Judged
    held_out: NDArray[np.bool_]
    alike: Alike
    keeps_volume: bool
    moves_as_object: bool
    uncorrected: NDArray[np.float32] | None = None

    def with_former_where_better(self, rule: Callable[[Skin], Skin]) -> Fit:
        """Return the fit with former weights where `judged` says so."""
        skin = joined(self.skin, self.former, self.judged.returned)
        return replace(self, skin=skin, after=distances(self.wanted, rule(skin)))


@dataclass(frozen=True, eq=False)
class Helped:
    """fits: again, with helpers. rejected: see `Refit`."""

    fits: list[Fit]
    helpers: Helpers
    rejected: int


class Fitting:
    """What is the same for all meshes. clip_bones: whether helpers get some."""

    def __init__(
        self,
        recording: Recording,
        bones: JoinedBones,
        hierarchy: GameHierarchy,
        profile: Profile,
        *,
        hold_out: str,
        kind: Kind,
        clip_bones: bool,
    ) -> None:
        self._recording, self._bones, self._profile = recording, bones, profile
        self._number = np.full(len(bones.names), -1, dtype=np.intp)
        self._number[hierarchy.bones] = np.arange(len(hierarchy.bones))
        self._finals = finals_of(bones, hierarchy, recording.fitted)
        self._sources = recording.sources[recording.fitted]
        self._held_out = _held_out(self._sources, recording, hold_out)
        self._sides = Sides(mirrored_joints(bones, hierarchy))
        self._hierarchy = hierarchy
        self.rule = WeightRule(profile).over_joints
        self._palette = profile.palette.rest_at
        # What is left of baked clips is brought nearer by bones, frame by frame.
        self.fit_skin = fit_worst_frames if kind is Kind.RUNTIME else fit_weights
        self._clip_bones = clip_bones

    def fit(self, number: int, mesh: RecordedMesh, progress: Callable[[float], None]) -> Fit:
        """Fit a mesh without helpers."""
        positions = self._recording.fitted_positions(mesh)
        wanted = self._recording.wanted(mesh, positions, self._finals, self._sources)
        seen = wanted.of_frames(~self._held_out)
        authored = self._over_copy(mesh.skin, self._bones.numbers[number])
        if self._palette is not None:
            authored = with_fewer_joints(authored, seen, self._palette, self._sides.mirrored_joints)
        limit = influence_limit(self._profile) or max(1, authored.largest_count)
        # Authored weights that need no fit stay as they are, to the last bit.
        former = cut_to(authored, limit)
        before = distances(wanted, self.rule(former))
        chosen = candidates(authored, mesh.edges)
        alike = find_alike(wanted, chosen, self._sides.mirrored_joints)
        off = alike.most(needs_fit(wanted, before))
        if mesh.moves_as_object:
            # No weights make up for that. Fitted to it, they would be off in all else as well.
            off[:] = False
        fitted = self.fit_skin(
            seen, authored, mesh.edges, limit, only=off, sides=self._sides, chosen=chosen, progress=progress
        )
        skin = joined(fitted, former, ~off)
        after = distances(wanted, self.rule(skin))
        judged = better_of(before, after, self._held_out, wanted.clips, wanted.size, alike=alike)
        return Fit(
            mesh.mesh_object,
            mesh.edges,
            wanted,
            authored,
            chosen,
            limit,
            former,
            before,
            off,
            skin,
            after,
            judged,
            self._held_out,
            alike,
            mesh.keeps_volume,
            mesh.moves_as_object,
        ).with_former_where_better(self.rule)

    def room_for_helpers(self, fits: Sequence[Fit]) -> int:
        """Return how many helpers a palette has room for beside the joints of the mesh that uses most."""
        used = max((len(used_joints(one.skin)) for one in fits), default=0)
        return MOST_HELPER_BONES if self._palette is None else max(0, self._palette - used)

    def helped(self, fits: Sequence[Fit], count: int, progress: Callable[[float], None]) -> Helped:
        """Fit meshes again with up to `count` helper bones."""
        found = fit_helpers(
            [
                MeshFit(
                    one.wanted,
                    one.edges,
                    one.authored,
                    one.chosen,
                    one.skin,
                    one.after,
                    one.alike,
                    one.influences,
                    one.keeps_volume,
                )
                for one in fits
            ],
            self._hierarchy,
            self._bones.authored.rest_to_root[self._hierarchy.bones],
            self._recording.fitted,
            self._held_out,
            count=count,
            sides=self._sides,
            rule=self.rule,
            last_fit=self.fit_skin,
            clip_bones=self._clip_bones,
            progress=progress,
        )
        again: list[Fit] = []
        for one, skin, wanted in zip(fits, found.skins, found.wanted, strict=True):
            after = distances(wanted, self.rule(skin))
            judged = better_of(one.before, after, self._held_out, wanted.clips, wanted.size, alike=one.alike)
            helped = replace(one, wanted=wanted, skin=skin, after=after, judged=judged)
            again.append(helped.with_former_where_better(self.rule))
        return Helped(again, found.helpers, found.rejected)

    def _over_copy(self, skin: Skin, bones: NDArray[np.intp]) -> Skin:
        """Return a mesh's authored skin over the copy's bones; joint 0 stays."""
        table = np.where(bones >= 0, self._number[np.maximum(bones, 0)] + 1, 0)
        return Skin(skin.starts, table[skin.joints].astype(np.int32), skin.weights)


def refitted(fit: Fit) -> RefittedMesh:
    """Sum up what became of a mesh."""
    return RefittedMesh(
        fit.mesh_object,
        figures_by_source(fit.wanted, fit.before),
        figures_by_source(fit.wanted, fit.after),
        figures_by_source(fit.wanted, fit.before, fit.held_out),
        figures_by_source(fit.wanted, fit.after, fit.held_out),
        int(fit.judged.returned.sum()),
        int(fit.judged.worse.sum()),
        int(fit.off.sum()),
        fit.wanted.vertex_count,
        fit.moves_as_object,
        {} if fit.uncorrected is None else figures_by_source(fit.wanted, fit.uncorrected),
    )


def finals_of(
    bones: JoinedBones, hierarchy: GameHierarchy, frames: NDArray[np.intp] | slice
) -> NDArray[np.float64]:
    """Return finals (n, J, 4, 4) of a copy's joints at some frames; joint 0 moves nothing."""
    rest, _ = invert_affine(bones.authored.rest_to_root[hierarchy.bones])
    moved = rest @ hierarchy.to_root[frames]
    return np.concatenate([np.tile(np.eye(4), (len(moved), 1, 1, 1)), moved], axis=1)


def _held_out(sources: NDArray[np.intp], recording: Recording, hold_out: str) -> NDArray[np.bool_]:
    """Mark the fitted frames (n,) that the fit may not see: at least one, and not all.

    Raises:
        UsageError: nothing is left to fit to.
    """
    marked = np.zeros(len(sources), dtype=np.bool_)
    for number, name in enumerate(recording.names):
        of_source = np.flatnonzero(sources == number)
        if name == hold_out and number < len(recording.playbacks):
            marked[of_source] = True
        elif not hold_out and len(of_source) >= FEWEST_TO_HOLD_OUT_OF:
            first = (len(of_source) - HELD_OUT_BLOCK) // 2
            marked[of_source[first : first + HELD_OUT_BLOCK]] = True
    if not marked.any():
        marked[len(marked) // 2] = True
    if marked.all():
        raise UsageError(
            "'{armature}' has no pose to fit to besides those that are held out; add a clip, or hold out "
            "another one.",
            armature=recording.armature,
        )
    return marked


def mirrored_joints(bones: JoinedBones, hierarchy: GameHierarchy) -> NDArray[np.intp]:
    """Return the joint on the other side for each joint of the copy, see `find_twins`."""
    number = {int(bone): 1 + index for index, bone in enumerate(hierarchy.bones)}
    other = bones.authored.mirrored[hierarchy.bones]
    return np.array([0, *(number.get(int(bone), -1) for bone in other)], dtype=np.intp)
