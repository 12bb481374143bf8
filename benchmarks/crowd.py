"""Measures a crowd that walks about: its behaviour, and posing and drawing everybody both ways.

    python benchmarks/crowd.py FILE [COUNT ...] [--hold-feet] [--processor]

FILE contains one character with clips to idle, walk and run; COUNT: how many of it there are (default: 1000
10000). They walk about on an area where each has ten times its circle. In each turn one step of 1/120 s is
played, then everybody is posed and drawn into a picture of 1920 x 1080: with palettes that the processor
computes, and with palettes that the GPU samples, except those of agents between two gaits. With --hold-feet
agents keep planted feet where they stand, which only the processor can pose, sampled crowds' too. A frame ends
when a pixel of the picture has been read back, so its time includes the GPU's work; "sent" is the processor's
part of it. With --processor nothing is sent or drawn, and times are the processor's own for a sampled crowd: a
step ("step"), culling ("seen"), choosing whom the GPU poses ("divided"), the GPU's input ("heard"), palettes
of the others ("posed"), and their sum; by the tolerance alone, and in two views in which agents share poses
where that does not show, as they do by default: all of them from above, and from a person's height at the edge.
Before that, of a crowd that nothing is sampled for: a step, and the palettes of all. Medians of all turns, with
the aims for foxes.

Needs Blender 5.2's Python module; with OpenGL in software the time of drawing says nothing about a GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from fractions import Fraction
from pathlib import Path
from statistics import median

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.fixed_point import STEPS_PER_SECOND
from skinning_addon.animation.crowd.gaits import fading, weights
from skinning_addon.animation.crowd.settings import CrowdSettings
from skinning_addon.animation.crowd.shown_feet import ShownFeet
from skinning_addon.animation.sampled_clips import SampledClips, fade_deviation
from skinning_addon.drawing.device import describe_gpu, start_gpu
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.scene.crowd.character import Character, character_of_file
from skinning_addon.scene.crowd.variants import Variant, troupes
from skinning_addon.scene.files import open_file
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.crowds.choices import CrowdChoices
from skinning_addon.viewport.crowds.drawn_agents import PosedAgents, SampledAgents
from skinning_addon.viewport.crowds.drawn_character import DrawnCharacter
from skinning_addon.viewport.crowds.sight import Sight

WIDTH, HEIGHT = 1920, 1080
TURNS = 20
WARM_UP = 3
ROOM = 10
"""Area for each agent, in circles of its own."""

AIMS = {(1000, "step"): 2, (1000, "palettes posed"): 6, (10_000, "step"): 15, (10_000, "all"): 18}
"""Milliseconds at most, by count and what is measured."""

STEP = Fraction(1, STEPS_PER_SECOND)
STANDARD_HEIGHT = 1.8

EYES = 1.7
"""Metres above the ground."""

TOLERANCE = 1e-3 / STANDARD_HEIGHT
"""Of samples: 1 mm of a character 1.8 m tall."""


class Measured:
    """A crowd of one size, with both ways of drawing it."""

    def __init__(self, character: Character, count: int, *, holds_feet: bool) -> None:
        radius = character.radius
        kind = Variant(character).kind(radius, holds_feet=holds_feet)
        settings = CrowdSettings(1, (kind,))
        side = radius * float(np.sqrt(ROOM * np.pi * count))
        self.crowd = Crowd.populated(settings, count, (side, side))
        # Past the beginning, where everybody idles.
        self.crowd.advance(6)
        self.poser = character.poser
        self.side = side
        (troupe,) = troupes([Variant(character)])
        self.troupe = troupe
        self.meshes = troupe.meshes
        self.sampled_clips = self._sample(character)
        self.posed = PosedAgents(troupe)
        self.sampled = SampledAgents(troupe, self.sampled_clips, self.tolerance)
        self.world_to_view, self.view_to_clip = _camera(side / character.metres_per_unit)

    def _sample(self, character: Character) -> SampledClips:
        skeleton = character.body.skeleton
        boxes = character.boxes
        self.tolerance = TOLERANCE * _root_height(character)
        sampled = SampledClips.within(skeleton, self.poser.clips, boxes, self.tolerance)
        millimetres = 1000 * STANDARD_HEIGHT / _root_height(character)
        for clip, count, deviation in zip(sampled.clips, sampled.counts, sampled.deviations, strict=True):
            rate = (count - 1) / clip.duration if clip.duration else 0
            print(f"  {clip.name}: {count} samples, {rate:.0f} a second, {deviation * millimetres:.2f} mm")
        for number, clip in enumerate(sampled.clips):
            for other in sampled.clips[number + 1 :]:
                matched = number > 0
                fade = fade_deviation(skeleton, clip, other, boxes, matched=matched) * millimetres
                print(f"  {clip.name} to {other.name}: {fade:.0f} mm at most while they fade")
        return sampled

    def free(self) -> None:
        self.posed.free()
        self.sampled.free()


def _root_height(character: Character) -> float:
    """The character's height in units of root space."""
    return character.body.height / float(np.linalg.norm(character.body.root_to_world[2, :3]))


def _camera(side: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Look at the whole area from above, at 35 degrees, without perspective."""
    angle = np.radians(35)
    world_to_view = np.eye(4)
    world_to_view[1:3, 1:3] = (np.sin(angle), -np.cos(angle)), (np.cos(angle), np.sin(angle))
    scale = 1.6 / side
    return world_to_view, np.diag([scale * HEIGHT / WIDTH, scale, -scale / 2, 1.0])


def measure(character: Character, count: int, picture: Picture, *, holds_feet: bool) -> None:
    one = Measured(character, count, holds_feet=holds_feet)
    seconds: dict[str, list[float]] = {}
    pixel = gpu.types.Buffer("UBYTE", (1, 1, 4))
    settings = DisplaySettings()
    ways = {"palettes": one.posed, "sampled": one.sampled}
    view = View(one.world_to_view, one.view_to_clip, WIDTH)
    for turn in range(-WARM_UP, TURNS):

        def note(name: str, started: float, turn: int = turn) -> None:
            if turn >= 0:
                seconds.setdefault(name, []).append(time.perf_counter() - started)

        started = time.perf_counter()
        one.crowd.advance(STEP)
        note("step", started)
        for name, drawn in ways.items():
            with picture.drawing() as framebuffer:
                framebuffer.clear(color=(0, 0, 0, 1), depth=1.0)
                framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
                started = time.perf_counter()
                drawn.send(one.crowd.state, one.crowd.settings)
                note(f"{name} posed", started)
                drawn.draw("shaded", view, settings, lambda _mesh: ())
                note(f"{name} sent", started)
                framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
                note(f"{name} drawn", started)
    _tell(one, count, seconds)
    one.free()


def measure_processor(character: Character, count: int, *, holds_feet: bool) -> None:
    one = Measured(character, count, holds_feet=holds_feet)
    _measure_palettes(one, count)
    above = View(one.world_to_view, one.view_to_clip, WIDTH)
    beside = _from_the_edge(one.side / character.metres_per_unit, EYES / character.metres_per_unit)
    for name, view in (("by the tolerance", None), ("all seen from above", above), ("from the edge", beside)):
        _measure_seen(one, count, name, None if view is None else Sight(view))
    one.free()


def _measure_palettes(one: Measured, count: int) -> None:
    """Of everybody, as the processor computes them if the GPU samples nothing."""
    joints = [mesh.binding.passes[0].joints for mesh in one.meshes]
    outs: list[NDArray[np.float32]] | None = None
    seconds: dict[str, list[float]] = {"step": [], "palettes posed": []}
    for turn in range(-WARM_UP, TURNS):
        times = [time.thread_time()]
        one.crowd.advance(STEP)
        times.append(time.thread_time())
        outs = one.poser.palettes(one.crowd.state, one.crowd.settings, joints, outs)
        times.append(time.thread_time())
        if turn >= 0:
            for name, part in zip(seconds, np.diff(times).tolist(), strict=True):
                seconds[name].append(part)
    _tell(one, count, seconds)


def _from_the_edge(side: float, height: float) -> View:
    """Look over the area from the middle of its edge, a little downwards, as Blender's view does."""
    angle = np.radians(12)
    world_to_view = np.eye(4)
    world_to_view[1:3, 1:3] = (np.sin(angle), -np.cos(angle)), (np.cos(angle), np.sin(angle))
    world_to_view[3, :3] = -np.array((0.0, -side / 2 - 2 * height, height)) @ world_to_view[:3, :3]
    near, far, zoom = height / 20, 20 * side, 50 / 36
    view_to_clip = np.diag([zoom, zoom * WIDTH / HEIGHT, (far + near) / (near - far), 0.0])
    view_to_clip[2, 3], view_to_clip[3, 2] = -1.0, 2 * far * near / (near - far)
    return View(world_to_view, view_to_clip, WIDTH)


def _measure_seen(one: Measured, count: int, name: str, sight: Sight | None) -> None:
    joints = [mesh.binding.passes[0].joints for mesh in one.meshes]
    drawn = DrawnCharacter(one.troupe, CrowdChoices(sampled=True))
    seconds: dict[str, list[float]] = {}
    shown = posed = one.crowd.state
    for turn in range(-WARM_UP, TURNS):
        times = [time.thread_time()]
        one.crowd.advance(STEP)
        times.append(time.thread_time())
        settings = one.crowd.settings
        shown, unnoticed = (one.crowd.state, None) if sight is None else drawn.seen(one.crowd.state, sight)
        times.append(time.thread_time())
        sampled, posed = one.sampled.divided(shown, settings, unnoticed)
        times.append(time.thread_time())
        one.poser.heard(sampled, settings, one.sampled_clips)
        times.append(time.thread_time())
        one.poser.palettes(posed, settings, joints)
        times.append(time.thread_time())
        parts = zip(("step", "seen", "divided", "heard", "posed"), np.diff(times).tolist(), strict=True)
        for part, value in (*parts, ("all", times[-1] - times[0])):
            if turn >= 0:
                seconds.setdefault(part, []).append(value)
    print(f"  {name}: {shown.count} seen, {posed.count} of them posed by the processor")
    _tell(one, count, seconds)


def _tell(one: Measured, count: int, seconds: dict[str, list[float]]) -> None:
    told = ", ".join(
        f"{name} {1e3 * median(times):.2f}"
        + (f" (aim: {AIMS[count, name]})" if (count, name) in AIMS else "")
        for name, times in seconds.items()
    )
    vertices = sum(mesh.binding.mesh.vertex_count for mesh in one.meshes)
    fades = int(fading(weights(one.crowd.state, one.crowd.settings)).sum())
    held = int(ShownFeet.of(one.crowd.state, one.crowd.settings).held.sum())
    print(
        f"  {count} of {vertices} vertices, {fades} of them between two gaits, {held} holding a foot, in ms: "
        f"{told}",
        flush=True,
    )


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("file", type=Path)
    arguments.add_argument("counts", type=int, nargs="*", default=[1000, 10_000])
    arguments.add_argument("--hold-feet", action="store_true")
    arguments.add_argument("--processor", action="store_true")
    chosen = arguments.parse_args()
    start_gpu()
    open_file(str(chosen.file))
    character = character_of_file(bpy.context.scene, chosen.file.name, {})
    picture = Picture(WIDTH, HEIGHT)
    print(f"{chosen.file.name}, {describe_gpu()}")
    for count in chosen.counts:
        if chosen.processor:
            measure_processor(character, count, holds_feet=chosen.hold_feet)
        else:
            measure(character, count, picture, holds_feet=chosen.hold_feet)


main()
