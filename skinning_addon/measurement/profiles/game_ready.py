"""A game-ready copy of a character, made and measured: how far off the engine is before and after."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeVar

import bpy
import numpy as np

from ...core.profiles.aspects import influence_limit
from ...core.profiles.profile import Profile
from ...core.text.counts import bones, clips
from ...core.text.errors import UsageError
from ...core.text.length import format_length
from ...core.text.message import Clause, Message, Sentence
from ...core.verdicts.cause_sentence import cause_of
from ...scene.clips.clips import list_clips
from ...scene.clips.playback import Playback, ScenePlayback
from ...scene.identification import identity
from ...scene.matrices import inverse_of_object, row_vectors
from ...scene.objects.animated_settings import modifiers_after_armatures
from ...scene.objects.deformed_meshes import meshes_of_armature
from ...scene.objects.modifier_stack import DEFORMING_TYPES, armature_objects
from ...scene.refit.copied_clips import clips_of_copy
from ...scene.refit.copied_keys import KeyValues
from ...scene.refit.copied_meshes import MAKES_VERTICES
from ...scene.refit.game_ready_copy import armature_of_copy, make_copy, meshes_of_copy, remove_copy
from ...scene.refit.plain_plan import PlainPlan, plain_plan, refuse_other_passes
from ..refit.tangent_frames import NOTHING_TURNED, TangentFrames
from .copy_comparison import CopyDistance, compare_copy
from .copy_parts import CopiedPart, PartsOfMesh, copied_parts, parts_of
from .profile_report import ProfileReport
from .profile_scan import ProfileScan

Result = TypeVar("Result")

LITTLE = 1e-4
"""Metres: less is no reason against a copy."""

MORE = 0.1
"""A copy that is off by so much more, as a part of what its original is off by, may be no help."""


@dataclass(frozen=True)
class GameReadyProgress:
    """text: the current stage. done, total: overall progress; total is 100."""

    text: Message
    done: int
    total: int = 100


@dataclass(frozen=True, eq=False)
class GameReadyCopy:
    """A copy that was made.

    collection: its name. before: metres, how far off the original is in the engine. moved: metres, how far the
    copy is from the original in Blender. after: metres, the most that the copy is off in the engine. parts: the
    same by part of the body. meshes, copies: identities of the originals and of their copies. turned: normals
    and tangents of the copy against the original's, in Blender. keys: values of the moving shape keys in each
    clip, by identity of the original mesh. left: why the copy is off in the engine, and
    what to do about it; None if no cause accounts for half of `after`. uncounted: what `before` leaves out, and
    `after` does not; None if that is nothing.
    """

    collection: str
    plan: PlainPlan
    before: float
    moved: float
    after: float
    parts: tuple[CopiedPart, ...] = ()
    meshes: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    turned: TangentFrames = NOTHING_TURNED
    left: Message | None = None
    uncounted: Message | None = None
    keys: Mapping[str, Sequence[KeyValues]] = field(default_factory=dict)

    @property
    def is_worse(self) -> bool:
        """Whether the copy may be further off in the engine than the original, by more than is worth telling:
        `after` is an upper bound.
        """
        return self.uncounted is None and self.after - self.before > max(LITTLE, MORE * self.before)

    def sentence(self, profile: Profile) -> Message:
        """Say what was made, and what it is worth."""
        lengths = {"before": format_length(self.before), "after": format_length(self.after)}
        if self.is_worse:
            figures = Message(
                "{profile} is off by {before} before and by at most {after} after, so the copy may be no help",
                profile=profile.label,
                **lengths,
            )
        else:
            figures = Message(
                "{profile} is off by {before} before and by at most {after} after",
                profile=profile.label,
                **lengths,
            )
        return Sentence(
            "'{copy}' made with {bones} and {clips}; {figures}",
            copy=self.collection,
            bones=bones(len(self.plan.plan.bones)),
            clips=clips(len(self.plan.plan.clips)),
            figures=figures,
        )


class GameReadyWork:
    """Makes a copy step by step; closing the steps half-way leaves nothing behind.

    result: once all steps are done.
    """

    result: GameReadyCopy

    def __init__(
        self,
        context: bpy.types.Context,
        armature: bpy.types.Object,
        profile: Profile,
        playbacks: Sequence[Playback] | None = None,
        plan: PlainPlan | None = None,
    ) -> None:
        """playbacks: the clips of the copy; all of the armature's, or what the scene plays if it has none, if
        left out. plan: found before, with fitted weights; made here, without a fit, if left out.

        Raises:
            UsageError: the armature deforms no mesh, or one that something else deforms as well.
            BindingError: the armature is scaled to zero.
        """
        self._context, self._armature, self._profile = context, armature, profile
        scene = context.scene
        self._plan = plan
        self._meshes = meshes_to_copy(scene, armature)
        if not self._meshes:
            raise UsageError(
                "'{armature}' deforms no mesh of the scene, so there is nothing to copy.",
                armature=armature.name,
            )
        for one in self._meshes:
            refuse_other_passes(one, armature)
        inverse_of_object(row_vectors(armature.matrix_world), identity(armature))
        self._playbacks = list(clips_of(scene, armature) if playbacks is None else playbacks)

    def steps(self) -> Generator[GameReadyProgress, None, None]:
        """Measure, plan, copy and measure again.

        Raises:
            UsageError: see `plain_plan`, `make_copy` and `compare_copy`.
        """
        scene = self._context.scene
        before: list[ProfileReport] = []
        yield from self._scanned(self._meshes, before, 0, only_distances=True)
        plan = self._plan or (yield from self._planned(scene))
        collection = make_copy(plan.plan, self._context)
        try:
            copy, meshes = armature_of_copy(collection), meshes_of_copy(collection)
            pairs = list(zip(self._meshes, meshes, strict=True))
            told = Message("Comparing the copy with the original. Esc to cancel")
            played = clips_of_copy(plan.plan, copy)
            steps = compare_copy(scene, (self._armature, copy), pairs, self._playbacks, played)
            with closing(steps):
                compared = yield from _within(steps, self._frames(), told, 60)
            after: list[ProfileReport] = []
            yield from self._scanned(meshes, after, 80, clips_of(scene, copy))
        except BaseException:
            remove_copy(collection)
            raise
        unit = scene.unit_settings.scale_length
        moved = compared.distance * unit
        parts = list(self._parts(pairs, before, after, compared, unit))
        at_most = _after(parts, pairs, moved + _worst(after))
        self.result = GameReadyCopy(
            collection.name,
            plan,
            _worst(before),
            moved,
            at_most,
            copied_parts(parts),
            tuple(identity(one) for one in self._meshes),
            tuple(identity(one) for one in meshes),
            compared.turned,
            _left(after, at_most),
            _uncounted(self._meshes),
            compared.keys,
        )

    def _parts(
        self,
        pairs: Sequence[tuple[bpy.types.Object, bpy.types.Object]],
        before: Sequence[ProfileReport],
        after: Sequence[ProfileReport],
        compared: CopyDistance,
        unit: float,
    ) -> Iterator[PartsOfMesh]:
        """Yield the parts of meshes of which every vertex was measured, before and after."""
        measured = {mesh.mesh: mesh.distance for one in (*before, *after) for mesh in one.meshes}
        for original, copy in pairs:
            names, which = parts_of(original, self._armature)
            now, then = measured.get(identity(original)), measured.get(identity(copy))
            if now is None or then is None or not len(which) == len(now) == len(then):
                continue
            moved = compared.by_vertex.get(identity(original), np.zeros(len(which)))
            # Behind modifiers that make vertices, those of the mesh are not known one by one.
            apart = moved if len(moved) == len(which) else np.full(len(which), moved.max(initial=0.0))
            yield PartsOfMesh(names, which, now, then + unit * apart)

    def _frames(self) -> int:
        return sum(int(one.frame_end - one.frame_start) + 2 for one in self._playbacks)

    def _planned(self, scene: bpy.types.Scene) -> Generator[GameReadyProgress, None, PlainPlan]:
        steps = plain_plan(
            scene, self._armature, self._meshes, self._playbacks, influence_limit(self._profile)
        )
        with closing(steps):
            told = Message("Recording how the bones move. Esc to cancel")
            return (yield from _within(steps, self._frames(), told, 40))

    def _scanned(
        self,
        meshes: Sequence[bpy.types.Object],
        reports: list[ProfileReport],
        start: int,
        playbacks: Sequence[Playback] | None = None,
        *,
        only_distances: bool = False,
    ) -> Generator[GameReadyProgress, None, None]:
        """Measure meshes in the engine; add the report. only_distances: see `ProfileScan`."""
        context = self._context
        scan = ProfileScan(
            context.scene,
            context.evaluated_depsgraph_get(),
            meshes,
            [self._profile],
            self._playbacks if playbacks is None else playbacks,
            only_distances=only_distances,
        )
        share = 40 if start == 0 else 20
        told = Message(
            "Measuring '{mesh}' in {profile}. Esc to cancel", mesh=meshes[0].name, profile=self._profile.label
        )
        with closing(scan.steps()) as steps:
            for progress in steps:
                yield GameReadyProgress(told, start + share * progress.done // max(progress.total, 1))
        reports.extend(scan.reports)


def _after(parts: Sequence[PartsOfMesh], meshes: Sequence[object], apart: float) -> float:
    """Return the most that a copy is off in the engine: of the vertex where what it lost in Blender and what it
    loses in the engine are most together. apart: the most of both, whichever vertices that is, which counts
    where not every mesh was measured vertex by vertex.
    """
    if len(parts) < len(meshes):
        return apart
    return min(apart, max((float(one.after.max(initial=0.0)) for one in parts), default=apart))


def _left(reports: Sequence[ProfileReport], after: float) -> Message | None:
    """Say why a copy is off in the engine, if it has one cause for at least half of it."""
    causes = [one.cause for one in reports if one.cause is not None]
    largest = max(causes, key=lambda one: one.deviation or 0.0, default=None)
    if largest is None or 2 * (largest.deviation or 0.0) < after:
        return None
    cause = Clause(cause_of(largest))
    if not largest.fix:
        return Message("Most of what is left: {cause}", cause=cause)
    return Message("Most of what is left: {cause}; {fix}", cause=cause, fix=Clause(largest.fix))


def _uncounted(meshes: Sequence[bpy.types.Object]) -> Message | None:
    """Say that engines are measured against a mesh before the modifiers behind its armature, and a copy against
    the mesh behind them.
    """
    for one in meshes:
        for modifier in modifiers_after_armatures(one):
            if modifier.type in (DEFORMING_TYPES - MAKES_VERTICES) | {"NODES"}:
                return Message(
                    "Before does not count what '{modifier}' does to '{mesh}' behind the armature, which no "
                    "engine has; after does",
                    modifier=modifier.name,
                    mesh=one.name,
                )
    return None


def clips_of(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[Playback]:
    """Return an armature's clips, or what the scene plays if it has none."""
    clips: list[Playback] = list(list_clips(scene, [armature]))
    return clips or [ScenePlayback(scene.frame_start, max(scene.frame_start, scene.frame_end))]


def meshes_to_copy(scene: bpy.types.Scene, armature: bpy.types.Object) -> list[bpy.types.Object]:
    """List the meshes that an armature deforms, and those that hang on its bones."""
    meshes = meshes_of_armature(scene, armature)
    carried = (one for one in scene.objects if one.type == "MESH" and one.parent == armature)
    return meshes + [one for one in carried if one not in meshes and armature in armature_objects(one)]


def _within(
    steps: Generator[object, None, Result], total: int, told: Message, start: int
) -> Generator[GameReadyProgress, None, Result]:
    """Show other steps, each a frame, as a fifth of all progress."""
    done = 0
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            return finished.value
        done += 1
        yield GameReadyProgress(told, start + min(20 * done // max(total, 1), 20))


def _worst(reports: Sequence[ProfileReport]) -> float:
    return max((mesh.worst.max for one in reports for mesh in one.meshes), default=0.0)
