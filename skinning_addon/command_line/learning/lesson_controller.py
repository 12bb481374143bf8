"""The section of a lesson about the animation controller: the sample's move from one clip to another, key by
key.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import bpy
import numpy as np

from ...animation.clip import Clip
from ...animation.controller import Controller
from ...animation.events import EventKind
from ...core.blending.software_skinning import SoftwareSkinner
from ...core.text.message import counted
from ...measurement.lesson import Lesson
from ...scene.armatures.armature_reader import read_armature
from ...scene.baking.clip_baking import BakeSettings, bake_clips
from ...scene.binding.frame_reader import FrameReader
from ...scene.clips.clips import list_clips
from ...scene.identification import object_of
from .lesson_text import vector

MOVE_TRANSITION_TIME = 0.25
"""Seconds; the MultiAnimation sample's constant of that name."""

STEP = Fraction(1, 8)
"""Seconds per AdvanceTime."""

STEPS_BEFORE = 2
"""AdvanceTime calls before the move begins."""

STEPS_AFTER = 4


def controller_section(lesson: Lesson, mesh_object: bpy.types.Object) -> Iterator[str]:
    """Play a clip, move to a second one, and show the tracks, the events and the vertex's path."""
    armature = object_of(lesson.binding.passes[0].armature)
    scene = bpy.context.scene
    clips = list_clips(scene, [armature])[:2]
    if not clips:
        yield f"{armature.name} has no clips that tracks could play.\n"
        return
    # Whole frames, as exporters read them.
    settings = BakeSettings(between=None, looping=True)
    baked = [one.clip for one in bake_clips(scene, armature, clips, settings)]
    yield "".join(_clip(one) for one in baked)
    controller = Controller(read_armature(armature).skeleton, baked, tracks=2)
    controller.set_track(0, baked[0].name)
    table = _Table(lesson, mesh_object, controller)
    lines = [f"{_clock(controller)}  SetTrackAnimationSet(0, {baked[0].name}), SetTrackEnable(0, TRUE)"]
    lines += [table.heading(), table.row()]
    for _ in range(STEPS_BEFORE):
        lines += table.advanced()
    if len(baked) > 1:
        lines += [f"{_clock(controller)}  {one}" for one in _move(controller, baked[1].name)]
        for _ in range(STEPS_AFTER):
            lines += table.advanced()
    yield "\n".join([*lines, ""])


def _clip(one: Clip) -> str:
    keys = ", ".join(
        f"{marker.name} at {position:.4f} s"
        for marker, position in zip(one.markers, one.marker_positions.tolist(), strict=True)
    )
    return (
        f"{one.name}: {one.ticks_per_second:g} ticks a second, {one.duration:.4f} s, "
        f"{counted(len(one.times), 'key time', 'key times')}, callback keys: {keys or 'none'}.\n"
    )


def _move(controller: Controller, clip: str) -> list[str]:
    """Key the move as the MultiAnimation sample does; return its calls."""
    now, took = controller.now, MOVE_TRANSITION_TIME
    controller.set_track(1, clip, speed=0.0, weight=0.0)
    controller.key(EventKind.ENABLE, 0.0, track=0, at=now + took)
    for track, value in ((0, 0.0), (1, 1.0)):
        for kind in (EventKind.SPEED, EventKind.WEIGHT):
            controller.key(kind, value, track=track, duration=took)
    return [
        f"SetTrackAnimationSet(1, {clip}), SetTrackEnable(1, TRUE), SetTrackSpeed(1, 0), SetTrackWeight(1, 0)",
        f"KeyTrackEnable(0, FALSE, at {now + took:.3f})",
        f"KeyTrackSpeed(0, to 0, in {took} s), KeyTrackWeight(0, to 0, in {took} s)",
        f"KeyTrackSpeed(1, to 1, in {took} s), KeyTrackWeight(1, to 1, in {took} s)",
    ]


def _clock(controller: Controller) -> str:
    return f"{controller.now:6.3f}"


class _Table:
    """Table rows: the controller's state over time, down to the vertex."""

    def __init__(self, lesson: Lesson, mesh_object: bpy.types.Object, controller: Controller) -> None:
        self._lesson, self._mesh_object, self._controller = lesson, mesh_object, controller
        self._reader = FrameReader(lesson.binding)

    def heading(self) -> str:
        """Name the columns."""
        tracks = "".join(f"{f'track {track}':>10}{'speed':>8}{'weight':>8}" for track in range(2))
        return f"  time{tracks}   vertex {self._lesson.trace.vertex}"

    def row(self) -> str:
        """Show the tracks' positions and the vertex."""
        controller = self._controller
        tracks = ""
        for track in range(controller.track_count):
            position, speed, weight = (
                float(of(track)[0]) for of in (controller.position, controller.speed, controller.weight)
            )
            tracks += f"{position:>10.4f}{speed:>8.4f}{weight:>8.4f}"
        return f"{_clock(controller)}{tracks}   {vector(self._vertex())}"

    def advanced(self) -> Iterator[str]:
        """Advance time, and show the events that were passed."""
        for one in self._controller.advance(STEP):
            yield (
                f"{one.time:6.3f}  callback: {one.marker} of {one.clip}, track {one.track}, weight "
                f"{one.weight:.4f}"
            )
        yield self.row()

    def _vertex(self) -> np.ndarray:
        lesson = self._lesson
        depsgraph = bpy.context.evaluated_depsgraph_get()
        poses = {lesson.binding.passes[0].armature: self._controller.to_root()[0]}
        frame = self._reader.read(self._mesh_object, depsgraph, poses=poses)
        skinner = SoftwareSkinner(frame.chain, lesson.binding.mesh)
        return skinner.skin_positions(frame.palettes)[lesson.trace.vertex]
