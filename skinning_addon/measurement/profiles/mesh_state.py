"""How a mesh is bound under each profile of a scan, and what each cause alone does to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.aspects import HIDDEN_BY, aspects_of
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.mesh import SourceMesh
from ...core.verdicts.deviation_track import WorstMoment, lengths
from ...core.verdicts.finding import REMAINDER
from ...scene.staging.clip_recording import Segments
from ..frame.attribution import Effects, may_differ
from .profile_variant import ProfileVariant, VariantDifference
from .recorded_poses import PosesUnderProfiles


class Causes:
    """One profile of a mesh: the whole, each cause alone, and the remainder.

    whole, alone: the difference that the profile makes, and each cause, by rule, that makes any; no cause if
    only the whole is wanted. effects: what has been recorded of them.
    """

    def __init__(
        self,
        exact: ProfileVariant,
        variant_of: Callable[[Profile], ProfileVariant],
        profile: Profile,
        effects: Effects,
        *,
        only_whole: bool,
    ) -> None:
        self.profile = profile
        self.variant = variant_of(profile)
        self.whole = VariantDifference(exact, self.variant)
        self.effects, self._only_whole = effects, only_whole
        self.alone: dict[str, VariantDifference] = {} if only_whole else self._each_alone(exact, variant_of)

    def _each_alone(
        self, exact: ProfileVariant, variant_of: Callable[[Profile], ProfileVariant]
    ) -> dict[str, VariantDifference]:
        alone = {
            aspect.rule: VariantDifference(
                exact,
                exact.posed_under(aspect.alone) if aspect.poses_only else variant_of(aspect.alone),
            )
            for aspect in aspects_of(self.profile)
            if may_differ(aspect.rule, exact.binding)
        }
        alone = {rule: one for rule, one in alone.items() if not one.nothing}
        return {rule: one for rule, one in alone.items() if HIDDEN_BY.get(rule) not in alone}

    def take(
        self,
        whole: NDArray[np.float32],
        poses: PosesUnderProfiles,
        wanted: Segments,
        to_metres: NDArray[np.float64],
        *,
        worst: WorstMoment | None,
    ) -> None:
        """Record what each cause alone does in recorded frames, and what remains.

        whole: (V, F, 3), metres, the profile's offsets; overwritten. worst: the mesh's worst moment, if that is
            one of these frames.
        """
        if self._only_whole:
            return
        recorded = poses.recorded
        at = None if worst is None else recorded.frames.index(worst.frame)
        vertex = None if worst is None else int(np.argmax(lengths(worst.offsets)))
        at_worst: dict[str, float] = {}
        for rule, one in self.alone.items():
            moved = turned(one.offsets(poses, wanted), to_metres)
            distances = lengths(moved)
            among = one.vertices, len(whole)
            self.effects.keep(rule, distances, recorded.clip, recorded.frames, among)
            whole[one.vertices] -= moved
            if at is not None:
                own = np.arange(len(whole))[one.vertices] == vertex
                at_worst[rule] = float(distances[own, at].max(initial=0.0))
        if at is not None:
            self.effects.keep_at_worst(at_worst)
        self.effects.keep(REMAINDER, lengths(whole), recorded.clip, recorded.frames)


class MeshState:
    """How a mesh is bound over some frames, under each profile. Immutable: another thread may be skinning
    with it.
    """

    def __init__(
        self,
        variant_of: Callable[[Profile], ProfileVariant],
        profiles: Sequence[Profile],
        effects: Sequence[Effects],
        *,
        only_whole: bool = False,
    ) -> None:
        """only_whole: whether causes are left out."""
        self._variants: dict[object, ProfileVariant] = {}

        def known(profile: Profile) -> ProfileVariant:
            if profile.stages not in self._variants:
                self._variants[profile.stages] = variant_of(profile)
            return self._variants[profile.stages]

        self._profiles, self._effects, self._only_whole = profiles, effects, only_whole
        self.exact = known(BLENDER)
        self.causes = [
            Causes(self.exact, known, profile, kept, only_whole=only_whole)
            for profile, kept in zip(profiles, effects, strict=True)
        ]

    @property
    def depends_on_positions(self) -> bool:
        """Whether weights depend on the vertices' positions."""
        passes = (one for variant in self._variants.values() for one in variant.binding.passes)
        return any(one.positional for one in passes)

    def moved_to(self, mesh: SourceMesh) -> MeshState:
        """Return the state of a mesh with other rest positions and the same binding."""
        return MeshState(
            lambda profile: self._variants[profile.stages].moved_to(mesh),
            self._profiles,
            self._effects,
            only_whole=self._only_whole,
        )

    def differences(self) -> Iterator[VariantDifference]:
        for causes in self.causes:
            yield causes.whole
            yield from causes.alone.values()


def turned(offsets: NDArray[np.float32], linear: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return offsets (V, F, 3) in mesh space, rotated by each frame's (F, 3, 3) matrix."""
    if (linear == linear[0]).all():
        first = linear[0].astype(np.float32)
        if (first == np.eye(3, dtype=np.float32) * first[0, 0]).all():
            return offsets if first[0, 0] == 1 else offsets * first[0, 0]
        return (offsets.reshape(-1, 3) @ first).reshape(offsets.shape)
    return np.einsum("vfc,fcd->vfd", offsets, linear.astype(np.float32))
