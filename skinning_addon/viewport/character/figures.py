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


class MeasuredFigures:
    """Measures one mesh as it is drawn against Blender's, a few times a second. Owns GPU objects: free it
    after use.

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

    def due(self, revision: int) -> float | None:
        """When to measure the scene's state `revision`; None if that is done, or waits for the shadow."""
        latest = self._reference.revision if self._reference.wanted else revision
        return None if self.revision == latest else self._pace.due

    def discard(self, revision: int) -> bool:
        """Have no figures of the scene's state `revision`; return whether there were any of an earlier one."""
        ended = self.latest is not None
        self.latest, self.revision = None, revision
        return ended

    def measure(
        self, revision: int, frame: Frame, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> bool:
        """Measure a frame, which is of the scene's state `revision`, if it is time; return whether there are
        new figures.

        Uses the GPU: call it in a draw callback.
        """
        if self._measured_by is not self._drawing.choice:
            # Measure exactly what is drawn.
            self._measurement.free()
            self._measured_by, self.revision = self._drawing.choice, NEVER
        if self.due(revision) is None or not self._pace.allows():
            return False
        reference = self._reference
        reference.follow(revision, frame, mesh_object, depsgraph)
        if reference.frame is None or reference.revision == self.revision:
            return False
        with self._pace:
            self.latest = self._figures(reference.frame, mesh_object, depsgraph)
            self.revision = reference.revision
        return True

    def _figures(
        self, frame: Frame, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> Figures:
        reference, deviation, find_bone, reasons, level = self._reference, None, str, (), None
        if reference.positions is not None:
            unit = depsgraph.scene.unit_settings.scale_length
            deviation = self._measurement.measure(frame, reference.positions, unit)
            find_bone = partial(bone_of_vertex, self._binding, frame.chain, deviation.worst_vertex)
            level = self._level(deviation, mesh_object, depsgraph)
            if self._binding.profile.is_blender:
                reasons = tuple(reasons_of_deviation(self._binding, frame, mesh_object, deviation))
        return Figures(
            deviation,
            reference.problem,
            reference.scene_frame,
            reference.before,
            find_bone,
            reasons,
            self._binding.profile,
            level,
            self._body.height_scale * HEIGHT_OF_THRESHOLDS if self._body is not None else 0.0,
        )

    def _level(
        self, deviation: Deviation, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> Level:
        """Judge a deviation as a check does."""
        if deviation.relative <= EXACT_RELATIVE:
            return Level.SAME
        if self._body is None:
            scene = cast("bpy.types.Scene", depsgraph.scene.original)
            self._body = body_parts(self._binding, height_scales(scene, [mesh_object])[identity(mesh_object)])
        distances = deviation.distance * deviation.metres_per_unit
        return judge(distances, deviation.area, self._body.fine, self._body.height_scale).level

    def move(self, binding: Binding) -> None:
        """Switch to a binding that differs only in its vertices' rest positions."""
        # Which bone moves a vertex most does not depend on where the vertex rests.
        self._binding = binding
        self._measurement.move(binding)
        self.revision = NEVER

    def free(self) -> None:
        """Free the GPU memory."""
        self._measurement.free()


def bone_of_vertex(binding: Binding, chain: Sequence[Pass], vertex: int) -> str:
    """Return the dominant bone of a vertex of a bound mesh, "" if none moves it."""
    pass_index, bone = dominant_bone(chain, vertex)
    return "" if bone < 0 else binding.skeletons[chain[pass_index].armature].names[bone]
