"""How far each cause moves each vertex: a mesh skinned once for each thing that a profile does differently.

Each cause is applied alone and compared with the exactly skinned mesh. Whatever they don't explain together,
because causes interact, is the remainder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.blending.clip_skinning import joint_keys
from ...core.profiles.aspects import HIDDEN_BY, aspects_of, without_aspects
from ...core.profiles.binding import Binding
from ...core.profiles.profile import Profile
from ...core.skinning.passes import Blend, Pass
from ...core.verdicts.finding import REMAINDER
from ...core.verdicts.rules import RULES
from ...scene.binding.armature_poses import PosesOverTime
from ...scene.binding.instant import Instant
from ...scene.objects.animated_settings import deformation_is_animated
from .cause_measurement import CauseMeasurement, CauseMeasurements
from .sample import SampleRun


@dataclass(frozen=True, eq=False)
class Effect:
    """One cause's effect at the frame where it is largest.

    distance: (V,) float64, metres. clip, frame: where. at_worst: metres, its effect where the mesh is
    furthest off.
    """

    rule: str
    distance: NDArray[np.float64]
    clip: str
    frame: float
    at_worst: float | None = None

    @property
    def max(self) -> float:
        return float(self.distance.max(initial=0.0))


class Effects:
    """Keeps, for each cause, the frame with the largest effect."""

    def __init__(self) -> None:
        self._worst: dict[str, Effect] = {}
        self._at_worst: dict[str, float] = {}

    def keep(
        self,
        rule: str,
        distances: NDArray[np.floating],
        clip: str,
        frames: Sequence[float],
        among: tuple[NDArray[np.intp] | slice, int] | None = None,
    ) -> None:
        """Take a cause's effect at some frames into account.

        distances: (V, F), metres. among: the vertices they belong to, and the total count; None if they are
        all of them.
        """
        most = distances.max(axis=0, initial=0.0)
        at = int(np.argmax(most))
        if rule not in self._worst or most[at] > self._worst[rule].max:
            vertices, count = among or (slice(None), len(distances))
            distance = np.zeros(count)
            distance[vertices] = distances[:, at]
            self._worst[rule] = Effect(rule, distance, clip, frames[at])

    def then(self, later: Effects) -> Effects:
        """Return the effects of these frames and later ones; those at the worst vertex stay these."""
        both = Effects()
        both._worst = dict(self._worst)
        for rule, effect in later._worst.items():
            if rule not in both._worst or effect.max > both._worst[rule].max:
                both._worst[rule] = effect
        both._at_worst = self._at_worst
        return both

    def keep_at_worst(self, metres: Mapping[str, float]) -> None:
        """Record each cause's effect at the vertex that is furthest off so far, in that frame."""
        self._at_worst = dict(metres)

    @property
    def at_worst(self) -> Mapping[str, float]:
        """Each cause's effect at the vertex that is furthest off, in metres."""
        return self._at_worst

    def sorted(self) -> tuple[Effect, ...]:
        """Return the causes, the largest first, then the remainder."""
        effects = (replace(effect, at_worst=self._at_worst.get(rule)) for rule, effect in self._worst.items())
        return tuple(sorted(effects, key=lambda one: (one.rule == REMAINDER, -one.max)))


@dataclass(frozen=True, eq=False)
class Attributed:
    """What came of following causes over some frames. most: how far off the mesh was, in scene units; None
    without frames.
    """

    effects: Effects
    most: float | None

    def then(self, later: Attributed) -> Attributed:
        """Return what comes of these frames and later ones."""
        both = self.effects.then(later.effects)
        if later.most is None or (self.most is not None and later.most <= self.most):
            return Attributed(both, self.most)
        both.keep_at_worst(later.effects.at_worst)
        return Attributed(both, later.most)


class Attribution:
    """Follows one mesh under one profile through a scan."""

    def __init__(
        self,
        mesh_object: bpy.types.Object,
        instant: Instant,
        profile: Profile,
        measurements: CauseMeasurements,
    ) -> None:
        """measurements: of the mesh, shared by all profiles."""
        self._exact = measurements.of(without_aspects(profile), mesh_object, instant)
        exact = self._exact.binding
        self._alone: dict[str, CauseMeasurement] = {}
        # Something missing at this instant may exist at the next.
        animated = deformation_is_animated(mesh_object)
        for aspect in aspects_of(profile):
            if HIDDEN_BY.get(aspect.rule) in self._alone or not (animated or may_differ(aspect.rule, exact)):
                continue
            held = any(
                instant.held_place(aspect.alone, exact.mesh_object, one) is not None
                for one in exact.armatures
            )
            poses_alike = not animated and aspect.alone.poses_as_blender and not held
            alone = measurements.of(aspect.alone, mesh_object, instant)
            if not (poses_alike and same_passes(alone.binding, exact)):
                self._alone[aspect.rule] = alone
        self._effects = Effects()
        self._most: float | None = None

    def read(self, mesh_object: bpy.types.Object, instant: Instant, moment: int) -> None:
        """Read the mesh for each cause at an instant that `add` will tell of. moment: its number.

        Raises:
            BindingError: it can't be skinned at this instant.
        """
        for one in self.causes:
            one.read(mesh_object, instant, moment)

    @property
    def causes(self) -> tuple[CauseMeasurement, ...]:
        """All that is read of the mesh."""
        return (self._exact, *self._alone.values())

    def add(self, run: SampleRun, poses: PosesOverTime) -> None:
        """Skin the mesh for each cause. run: under the whole profile. poses: at its instants, of which all are
        read at which anything else is new.
        """
        whole = run.measured
        exact = self._exact.positions(run.moments, poses)
        left = whole.skinned.positions.astype(np.float64) - exact
        by_rule: dict[str, NDArray[np.float64]] = {}
        for rule, alone in self._alone.items():
            moved = alone.positions(run.moments, poses).astype(np.float64) - exact
            left -= moved
            by_rule[rule] = self._keep(rule, moved, run)
        self._keep(REMAINDER, left, run)
        at = furthest(whole.deviations.largest, self._most)
        if at is None:
            return
        self._most = nan_is_most(whole.deviations.largest[at])
        vertices = whole.deviations.worst_vertices if exact.shape[1] else None
        self._effects.keep_at_worst(
            {} if vertices is None else {rule: float(one[vertices[at], at]) for rule, one in by_rule.items()}
        )

    def take(self) -> Attributed:
        """Return what came of the samples so far, and begin anew."""
        taken = Attributed(self._effects, self._most)
        self._effects, self._most = Effects(), None
        return taken

    def put(self, attributed: Attributed) -> None:
        """Go on from what came of other samples."""
        self._effects, self._most = attributed.effects, attributed.most

    def effects(self) -> tuple[Effect, ...]:
        """Return the causes, the largest first, then the remainder."""
        return self._effects.sorted()

    def _keep(self, rule: str, moved: NDArray[np.float64], run: SampleRun) -> NDArray[np.float64]:
        """Take what a cause does, (F, V, 3) in mesh space, into account; return it in metres, (V, F)."""
        whole = run.measured
        in_world = moved @ whole.mesh_to_world[:, :3, :3] * whole.deviations.metres_per_unit
        distances = np.linalg.norm(in_world, axis=2).T
        self._effects.keep(rule, distances, run.playback.name, run.frames)
        return distances


def furthest(largest: Sequence[float], before: float | None) -> int | None:
    """Return the first frame at which a mesh is furthest off, and further than before; None if there is none.
    NaN is further off than anything, and stays so.
    """
    ranked = list(map(nan_is_most, largest))
    most = max(ranked)
    return ranked.index(most) if before is None or most > before else None


def nan_is_most(measured: float) -> float:
    """Return a measure, NaN as infinity."""
    return math.inf if math.isnan(measured) else measured


def may_differ(rule: str, binding: Binding) -> bool:
    """Whether a cause can affect a mesh at all, judging by its binding under Blender's profile: saves binding
    it again.
    """
    present = RULES[rule].present
    return present is None or present(binding)


def same_passes(one: Binding, other: Binding) -> bool:
    """Whether two bindings of a mesh skin it identically in every pose."""
    return len(one.passes) == len(other.passes) and all(
        _same_pass(a, b) for a, b in zip(one.passes, other.passes, strict=True)
    )


def _same_pass(one: Pass, other: Pass) -> bool:
    if one.blend is not other.blend or (one.amount is None) != (other.amount is None):
        return False
    # Dual quaternions depend on the order of a vertex's influences; a sum does not.
    in_order = one.blend is not Blend.LINEAR
    if one.armature == other.armature and one.skin is other.skin and one.joints is other.joints:
        return True
    skin, other_skin = one.skin.normalised(), other.skin.normalised()
    if one.armature != other.armature or not np.array_equal(skin.starts, other_skin.starts):
        return False
    keys, weights = _by_key(one, in_order=in_order)
    other_keys, other_weights = _by_key(other, in_order=in_order)
    return np.array_equal(keys, other_keys) and np.allclose(weights, other_weights, rtol=0, atol=1e-6)


def _by_key(one: Pass, *, in_order: bool) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the influences' joints, as numbers that don't depend on what else is in the palette, and their
    normalised weights; (N,) each.
    """
    skin = one.skin.normalised()
    keys = joint_keys(one.joints)[skin.joints]
    if in_order:
        return keys, skin.weights
    order = np.lexsort((keys, skin.vertex_of_influence))
    return keys[order], skin.weights[order]
