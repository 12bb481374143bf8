"""Measurements of a previewed mesh as it is drawn, and the bone behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import cast

import bpy

from ...core.profiles.binding import Binding, Reason
from ...core.profiles.profile import BLENDER, Profile
from ...core.skinning.deviation import EXACT_RELATIVE, Deviation
from ...core.skinning.passes import Pass
from ...core.verdicts.dominant_bone import dominant_bone
from ...core.verdicts.verdict import HEIGHT_OF_THRESHOLDS, Level, judge
from ...measurement.frame.body_parts import BodyParts, body_parts
from ...measurement.frame.character_height import height_scales
from ...measurement.frame.frame_measurement import FrameMeasurement
from ...scene.binding.frame import Frame
from ...scene.binding.pose_reasons import reasons_of_deviation
from ...scene.identification import identity
from .blender_reference import NEVER, BlenderReference
from .drawing_by_technique import DrawingByTechnique
from .other_thread import OtherThread
from .pace import Pace

SECONDS_BETWEEN_FIGURES = 0.25
"""Reading vertices back makes the CPU wait for the GPU; four times a second is as fast as people read."""


@dataclass(frozen=True, eq=False)
class Figures:
    """The last measurement.

    deviation: None if there is nothing to compare with; then `problem` says why. frame: of the scene. before:
    the modifier before which Blender's stack was cut for it, '' if it is whole. find_bone: finds the worst
    vertex's dominant bone, "" if none; most of the time nobody asks. reasons: why it is not exact, as far as
    the deviation itself tells. profile: the engine profile it was skinned with. level: how bad the deviation
    is, by the check's thresholds; None without a deviation. height: metres, of the character; 0 if not known.
    """

    deviation: Deviation | None
    problem: str
    frame: float
    before: str = ""
    find_bone: Callable[[], str] = str
    reasons: tuple[Reason, ...] = ()
    profile: Profile = BLENDER
    level: Level | None = None
    height: float = 0.0

    @cached_property
    def bone(self) -> str:
        """The worst vertex's dominant bone, "" if none."""
        return self.find_bone()

    @property
    def rounding(self) -> bool:
        """Whether the difference is only rounding."""
        return self.deviation is not None and self.deviation.relative <= EXACT_RELATIVE

    @property
    def fine(self) -> bool:
        """Whether the deviation is nothing to look at, as a check judges it."""
        return self.rounding or (self.level is not None and self.level <= Level.GOOD)


@dataclass(frozen=True, eq=False)
class _Moment:
    """What is compared. frame: as we pose it. revision, scene_frame, before, problem: of the reference."""

    frame: Frame
    revision: int
    scene_frame: float
    before: str
    problem: str


_Compared = tuple[Deviation, Level | None]
"""How far a mesh is off; and how bad that is, None if that remains to be judged."""


class MeasuredFigures:
    """Measures one mesh as it is drawn against Blender's, a few times a second. Owns GPU objects: free it
    after use.

    While Blender plays, another thread compares, and figures are of a frame that is over by then: they say of
    which. Otherwise they are there at once.

    latest: the last measurement, None if there is none. revision: the state of the scene it belongs to.
    """

    def __init__(
        self,
        binding: Binding,
        drawing: DrawingByTechnique,
        reference: BlenderReference,
        clock: Callable[[], float],
    ) -> None:
        """drawing: whose technique measures. reference: what is measured against."""
        self.latest: Figures | None = None
        self.revision = NEVER
        self._binding = binding
        self._drawing = drawing
        self._reference = reference
        self._measurement = FrameMeasurement(binding, drawing.prober)
        self._measured_by = drawing.choice
        self._body: BodyParts | None = None
        self._pace = Pace(SECONDS_BETWEEN_FIGURES, clock=clock)
        self._awaited: tuple[_Moment, OtherThread[_Compared]] | None = None

    def due(self, revision: int) -> float | None:
        """When to measure the scene's state `revision`; None if that is done, or waits for the shadow."""
        latest = self._reference.revision if self._reference.wanted else revision
        return None if self.revision == latest else self._pace.due

    def discard(self, revision: int) -> bool:
        """Have no figures of the scene's state `revision`; return whether there were any of an earlier one."""
        ended = self.latest is not None
        self.latest, self.revision, self._awaited = None, revision, None
        return ended

    def measure(
        self,
        revision: int,
        frame: Frame,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        *,
        plays: bool = False,
    ) -> bool:
        """Measure a frame, which is of the scene's state `revision`, if it is time; return whether there are
        new figures. plays: whether Blender does, so that they may come with one of the next frames.

        Uses the GPU: call it in a draw callback.
        """
        if self._measured_by is not self._drawing.choice:
            # Measure exactly what is drawn.
            self._measurement.free()
            self._measured_by, self.revision, self._awaited = self._drawing.choice, NEVER, None
        fetched = self._fetch(mesh_object, depsgraph, waits=not plays)
        if self._awaited is not None:
            return False
        return self._measure(revision, frame, mesh_object, depsgraph, plays=plays) or fetched

    def _fetch(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph, *, waits: bool) -> bool:
        """Take over what another thread has compared; return whether there was anything."""
        if self._awaited is None or not (waits or self._awaited[1].done):
            return False
        (moment, thread), self._awaited = self._awaited, None
        self._keep(moment, thread.result(), mesh_object, depsgraph)
        return True

    def _measure(
        self,
        revision: int,
        frame: Frame,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
        *,
        plays: bool,
    ) -> bool:
        if self.due(revision) is None or not self._pace.allows():
            return False
        reference = self._reference
        reference.follow(revision, frame, mesh_object, depsgraph)
        if reference.frame is None or reference.revision == self.revision:
            return False
        moment = _Moment(
            reference.frame, reference.revision, reference.scene_frame, reference.before, reference.problem
        )
        with self._pace:
            if reference.positions is None:
                self._keep(moment, None, mesh_object, depsgraph)
                return True
            unit = depsgraph.scene.unit_settings.scale_length
            compare = self._measurement.comparison(moment.frame, reference.positions, unit)
            work = partial(_compared, compare, self._body)
            if plays:
                self._awaited = moment, OtherThread(work, "figures")
                return False
            self._keep(moment, work(), mesh_object, depsgraph)
        return True

    def _keep(
        self,
        moment: _Moment,
        compared: _Compared | None,
        mesh_object: bpy.types.Object,
        depsgraph: bpy.types.Depsgraph,
    ) -> None:
        """Keep the figures of a moment. compared: None if there is nothing to compare with."""
        deviation, find_bone, reasons, level = None, str, (), None
        if compared is not None:
            deviation, level = compared
            find_bone = partial(bone_of_vertex, self._binding, moment.frame.chain, deviation.worst_vertex)
            if level is None:
                scene = cast("bpy.types.Scene", depsgraph.scene.original)
                height_scale = height_scales(scene, [mesh_object])[identity(mesh_object)]
                self._body = body_parts(self._binding, height_scale)
                level = _level(deviation, self._body)
            if self._binding.profile.is_blender:
                reasons = tuple(reasons_of_deviation(self._binding, moment.frame, mesh_object, deviation))
        self.latest = Figures(
            deviation,
            moment.problem,
            moment.scene_frame,
            moment.before,
            find_bone,
            reasons,
            self._binding.profile,
            level,
            self._body.height_scale * HEIGHT_OF_THRESHOLDS if self._body is not None else 0.0,
        )
        self.revision = moment.revision

    def move(self, binding: Binding) -> None:
        """Switch to a binding that differs only in its vertices' rest positions."""
        # Which bone moves a vertex most does not depend on where the vertex rests.
        self._binding = binding
        self._measurement.move(binding)
        self.revision, self._awaited = NEVER, None

    def free(self) -> None:
        """Free the GPU memory."""
        self._awaited = None
        self._measurement.free()


def _compared(compare: Callable[[], Deviation], body: BodyParts | None) -> _Compared:
    deviation = compare()
    return deviation, _level(deviation, body)


def _level(deviation: Deviation, body: BodyParts | None) -> Level | None:
    """Judge a deviation as a check does. body: None if it is not known yet; then neither is the level, unless
    there is no deviation.
    """
    if deviation.relative <= EXACT_RELATIVE:
        return Level.SAME
    if body is None:
        return None
    distances = deviation.distance * deviation.metres_per_unit
    return judge(distances, deviation.area, body.fine, body.height_scale).level


def bone_of_vertex(binding: Binding, chain: Sequence[Pass], vertex: int) -> str:
    """Return the dominant bone of a vertex of a bound mesh, "" if none moves it."""
    pass_index, bone = dominant_bone(chain, vertex)
    return "" if bone < 0 else binding.skeletons[chain[pass_index].armature].names[bone]
