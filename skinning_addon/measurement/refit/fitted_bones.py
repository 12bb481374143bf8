"""A recorded character, fitted: its bones, their parents and motion, and the weights of its meshes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.refit.anchored_bones import anchored_bones
from ...core.refit.hierarchy import GameHierarchy, choose_hierarchy
from ...core.refit.kind import Kind
from ...scene.refit.plan import Drivers
from .baked_fit import bake
from .bone_drift import BoneDrift
from .fitting import Fit, Fitting
from .helper_names import with_helpers
from .joined_bones import JoinedBones
from .recording import Recording
from .refit_options import RefitOptions

NOTICED = 1e-5
"""A loss of shear below this part of the rig's size is rounding."""


@dataclass(frozen=True, eq=False)
class FittedBones:
    """fits: of each mesh. bones: all that there are. hierarchy: of the copy, its first frames those of clips.
    drivers: of helper bones, by name. The others: see `Refit`.
    """

    fits: Sequence[Fit]
    bones: JoinedBones
    hierarchy: GameHierarchy
    drivers: Mapping[str, Drivers]
    sheared: tuple[tuple[str, float], ...]
    rejected: int = 0
    drifts: tuple[BoneDrift, ...] = ()
    anchored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parts:
    """Parts of a work, of known shares in all of it."""

    progress: Callable[[float, str], None]
    shares: tuple[float, ...]

    def of(self, number: int, doing: str) -> Callable[[float], None]:
        """Return what is called with the finished fraction of a part."""
        first, share = sum(self.shares[:number]), self.shares[number]
        return lambda done: self.progress(first + share * done, doing)


def fitted_to(
    recording: Recording,
    bones: JoinedBones,
    profile: Profile,
    options: RefitOptions,
    *,
    sockets: Collection[str],
    parts: Parts,
) -> FittedBones:
    """Fit what was recorded to an engine. sockets: names of bones that carry other objects.

    Raises:
        UsageError: nothing is left to fit to.
    """
    hierarchy = choose_hierarchy(bones.authored, bones.to_root)
    sheared = _sheared(bones, hierarchy)
    fitting = Fitting(recording, bones, hierarchy, profile, options.hold_out)
    fits = _fits(fitting, recording, parts.of(1, "Fitting"))
    anchored = anchored_bones(bones.names, bones.authored, bones.to_root, hierarchy, sockets)
    rejected, drivers = 0, {}
    if options.helper_bones and fits:
        found = fitting.helped(fits, options.helper_bones, parts.of(2, "Fitting helper bones"))
        fits, rejected = found.fits, found.rejected
        bones, hierarchy, drivers = with_helpers(bones, hierarchy, found.helpers)
    if options.kind is Kind.RUNTIME:
        return FittedBones(fits, bones, hierarchy, drivers, sheared, rejected)
    of_all = np.zeros(len(bones.names), dtype=np.bool_)
    of_all[: len(anchored)] = anchored
    baked = bake(
        recording,
        fits,
        bones,
        hierarchy,
        helpers=len(drivers),
        anchored=of_all,
        rule=fitting.rule,
        progress=parts.of(3, "Fitting bones"),
    )
    return FittedBones(
        baked.fits,
        baked.bones,
        baked.hierarchy,
        {},
        sheared,
        rejected,
        baked.drifts,
        _names(bones, of_all),
    )


def _fits(fitting: Fitting, recording: Recording, progress: Callable[[float], None]) -> list[Fit]:
    count = len(recording.meshes)
    progress(0.0)
    return [
        fitting.fit(number, mesh, lambda part, number=number: progress((number + part) / count))
        for number, mesh in enumerate(recording.meshes)
    ]


def _sheared(bones: JoinedBones, hierarchy: GameHierarchy) -> tuple[tuple[str, float], ...]:
    found = [
        (bones.names[int(bone)], float(error))
        for bone, error in zip(hierarchy.bones, hierarchy.errors, strict=True)
        if error > NOTICED * bones.authored.size
    ]
    return tuple(sorted(found, key=lambda one: -one[1]))


def _names(bones: JoinedBones, marked: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(bones.names[bone] for bone in np.flatnonzero(marked).tolist())
