"""A recorded character, fitted: its bones, their parents and motion, and the weights of its meshes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.profiles.profile import Profile
from ...core.refit.anchored_bones import anchored_bones
from ...core.refit.free_bones import USUAL_DRIFT, DriftLimit
from ...core.refit.helper_bones import MOST_HELPER_BONES
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.refit.judging import Figures
from ...core.refit.kind import Kind
from ...core.refit.progress import part
from ...scene.refit.plan import Drivers
from .baked_fit import Baking
from .bone_drift import BoneDrift
from .corrected_clips import ClipCorrection
from .fitting import Fit, Fitting, refitted
from .helper_names import with_helpers
from .joined_bones import JoinedBones
from .recording import VARIED, Recording
from .refit_options import RefitOptions

FEWEST_MORE = 4
"""Helper bones that are tried first where a tolerance asks for any."""

WORTH_MORE_BONES = 0.98
"""More helper bones that leave more than this part of what fewer leave, of the furthest and in the mean square,
are not worth having.
"""

NOTICED = 1e-5
"""A loss of shear below this part of the rig's size is rounding."""


@dataclass(frozen=True, eq=False)
class FittedBones:
    """fits: of each mesh. bones: all that there are. hierarchy: of the copy, its first frames those of clips.
    drivers: of helper bones, by name. helpers: how many there are. clip_bones: names of those that carry a
    helper's vertices, by its name. The others: see `Refit`.
    """

    fits: Sequence[Fit]
    bones: JoinedBones
    hierarchy: GameHierarchy
    drivers: Mapping[str, Drivers]
    sheared: tuple[tuple[str, float], ...]
    rejected: int = 0
    helpers: int = 0
    drifts: tuple[BoneDrift, ...] = ()
    anchored: tuple[str, ...] = ()
    clip_bones: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """Parts of a work, of known shares in all of it."""

    progress: Callable[[float, str], None]
    shares: tuple[float, ...]

    def of(self, number: int, doing: str) -> Callable[[float], None]:
        """Return what is called with the finished fraction of a part."""
        first, share = sum(self.shares[:number]), self.shares[number]
        return lambda done: self.progress(first + share * done, doing)

    def of_try(self, number: int, first: int) -> Parts:
        """Return the parts for a try, nobody knows of how many: of the parts from `first` on, it gets half of
        what tries before it have left.
        """
        left = 0.5**number
        later = self.shares[first:]
        before = sum(self.shares[:first]) + (1 - left) * sum(later)
        return Parts(self.progress, (before, *(0.0,) * (first - 1), *(0.5 * left * one for one in later)))


def fitted_to(
    recording: Recording,
    bones: JoinedBones,
    profile: Profile,
    options: RefitOptions,
    *,
    sockets: Collection[str],
    parts: Parts,
) -> FittedBones:
    """Fit what was recorded to an engine, with more helper bones than asked for if a tolerance needs them: as
    many as bring `furthest_unseen` within it, or as help at all. sockets: names of bones that carry other
    objects.

    Raises:
        UsageError: nothing is left to fit to.
    """
    work = _Fitter(recording, bones, profile, options, sockets=sockets, parts=parts)
    if not options.tolerance:
        return work.with_helpers(options.helper_bones, parts)
    tried: list[FittedBones] = []
    for number, count in enumerate(_counts(options.helper_bones)):
        found = work.with_helpers(count, parts.of_try(number, 2))
        tried.append(found)
        if furthest_unseen(found.fits) <= options.tolerance or not _worth_more(tried):
            break
    return min(tried, key=lambda one: (furthest_unseen(one.fits), one.helpers))


def _worth_more(tried: Sequence[FittedBones]) -> bool:
    """Whether the last number of helpers was worth having, so that more may be."""
    if len(tried) == 1:
        return True
    before, now = tried[-2:]
    return any(
        measured(now.fits) <= WORTH_MORE_BONES * measured(before.fits)
        for measured in (furthest_unseen, _mean_unseen)
    )


def furthest_unseen(fits: Sequence[Fit]) -> float:
    """Return what 99.9% of vertices and frames that weights have not seen are within, of the worst mesh and
    clip; of poses beside them only where there is no clip.
    """
    return max((one.nearly_all for one in _unseen(fits)), default=0.0)


def _mean_unseen(fits: Sequence[Fit]) -> float:
    return max((one.root_mean_square for one in _unseen(fits)), default=0.0)


def _unseen(fits: Sequence[Fit]) -> Iterator[Figures]:
    for one in map(refitted, fits):
        if one.moves_as_object:
            continue
        figures = one.held_out or one.after
        yield from [of for name, of in figures.items() if name != VARIED] or figures.values()


def _counts(least: int) -> Iterator[int]:
    """Yield numbers of helper bones to try, each about twice the one before."""
    yield least
    count = FEWEST_MORE
    while count <= MOST_HELPER_BONES:
        if count > least:
            yield count
        count *= 2


class _Fitter:
    """What is the same for any number of helper bones."""

    def __init__(
        self,
        recording: Recording,
        bones: JoinedBones,
        profile: Profile,
        options: RefitOptions,
        *,
        sockets: Collection[str],
        parts: Parts,
    ) -> None:
        self._recording, self._bones = recording, bones
        self._kind = options.kind
        self._clip_bones = options.clip_bones and options.kind is Kind.RUNTIME
        usual = USUAL_DRIFT * bones.authored.size
        self._limit = DriftLimit(usual if options.drift is None else options.drift, options.turn)
        self._hierarchy = choose_hierarchy(bones.authored, bones.to_root)
        self._sheared = _sheared(bones, self._hierarchy)
        self._fitting = Fitting(
            recording,
            bones,
            self._hierarchy,
            profile,
            hold_out=options.hold_out,
            kind=options.kind,
            clip_bones=self._clip_bones,
        )
        self._fits = _fits(self._fitting, recording, parts.of(1, "Fitting"))
        self._anchored = anchored_bones(bones.names, bones.authored, bones.to_root, self._hierarchy, sockets)

    def with_helpers(self, count: int, parts: Parts) -> FittedBones:
        """Fit with up to so many helper bones. parts: the third and the fourth are what is done here."""
        fits, bones, hierarchy = self._fits, self._bones, self._hierarchy
        rejected, drivers = 0, {}
        count = min(count, self._fitting.room_for_helpers(fits))
        if count and fits:
            found = self._fitting.helped(fits, count, parts.of(2, "Fitting helper bones"))
            fits, rejected = found.fits, found.rejected
            bones, hierarchy, drivers = with_helpers(bones, hierarchy, found.helpers)
        if self._kind is Kind.RUNTIME:
            clip_bones: Mapping[str, str] = {}
            if self._clip_bones and drivers:
                correction = ClipCorrection(
                    self._recording,
                    fits,
                    bones,
                    hierarchy,
                    helpers=len(drivers),
                    rule=self._fitting.rule,
                    fit_skin=self._fitting.fit_skin,
                )
                again = correction.found(parts.of(3, "Fitting clip bones"))
                fits, bones, hierarchy, clip_bones = (
                    again.fits,
                    again.bones,
                    again.hierarchy,
                    again.clip_bones,
                )
            return FittedBones(
                fits,
                bones,
                hierarchy,
                drivers,
                self._sheared,
                rejected,
                len(drivers),
                clip_bones=clip_bones,
            )
        anchored = np.zeros(len(bones.names), dtype=np.bool_)
        anchored[: len(self._anchored)] = self._anchored
        baking = Baking(
            self._recording,
            fits,
            bones,
            hierarchy,
            helpers=len(drivers),
            anchored=anchored,
            limit=self._limit,
            rule=self._fitting.rule,
        )
        baked = baking.found(parts.of(3, "Fitting bones"))
        return FittedBones(
            baked.fits,
            baked.bones,
            baked.hierarchy,
            {},
            self._sheared,
            rejected,
            len(drivers),
            baked.drifts,
            tuple(bones.names[bone] for bone in np.flatnonzero(anchored).tolist()),
        )


def _fits(fitting: Fitting, recording: Recording, progress: Callable[[float], None]) -> list[Fit]:
    count = len(recording.meshes)
    progress(0.0)
    return [
        fitting.fit(number, mesh, part(progress, number, count))
        for number, mesh in enumerate(recording.meshes)
    ]


def _sheared(bones: JoinedBones, hierarchy: GameHierarchy) -> tuple[tuple[str, float], ...]:
    found = [
        (bones.names[int(bone)], float(error))
        for bone, error in zip(hierarchy.bones, hierarchy.errors, strict=True)
        if error > NOTICED * bones.authored.size
    ]
    return tuple(sorted(found, key=lambda one: -one[1]))
