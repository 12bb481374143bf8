"""Measures drawing a crowd: everybody in one instanced draw call, and in a draw call each.

    python benchmarks/crowd_drawing.py FILE [COUNT ...]

FILE contains one character and a clip; COUNT: how many of it there are (default: 100 1000). All play the clip,
each from its own time on, and stand in rows. In each frame the controller moves on, the palettes of all are
computed and sent, and everybody is drawn into a picture of 1920 x 1080. It ends when a pixel of the picture has
been read back, so its time contains everything that the GPU does. Both ways take turns in one run; medians.

Needs Blender 5.2's Python module; with OpenGL in software the time of drawing says nothing about a GPU.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.palettes import instance_palettes
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.drawing.crowd_drawing import CrowdDrawing
from skinning_addon.drawing.device import describe_gpu, start_gpu
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import BakeSettings, bake_clips
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.files import open_file
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

WIDTH, HEIGHT = 1920, 1080
FRAMES = 20
MOST_ALONE = 1000
VIEW_TO_CLIP = np.diag([HEIGHT / WIDTH, 1.0, -0.05, 1.0])
# Looks along +Y at characters that stand along Z.
WORLD_TO_VIEW = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=np.float64)


class Character:
    """The largest mesh of a file, and a clip."""

    def __init__(self, file: str) -> None:
        open_file(file)
        scene = bpy.context.scene
        armature = next(one for one in scene.objects if one.type == "ARMATURE")
        clip = list_clips(scene)[0]
        (baked,) = bake_clips(scene, armature, [clip], BakeSettings(between=None))
        self.clip, self.skeleton = baked.clip, read_armature(armature).skeleton
        depsgraph = bpy.context.evaluated_depsgraph_get()
        bindings = {one: read_binding(one, depsgraph) for one in deformed_meshes(scene)}
        mesh = max(bindings, key=lambda one: bindings[one].mesh.vertex_count)
        self.binding = bindings[mesh]
        drawn = read_mesh_contents(mesh, for_drawing=True).drawn
        assert drawn is not None
        self.drawn = drawn
        self.height = float(np.ptp(self.binding.mesh.positions, axis=0).max())

    def crowd(self, count: int) -> tuple[Controller, NDArray[np.float64]]:
        """Return a controller of so many, and their places (I, 4, 4) in a picture of height 2."""
        controller = Controller(self.skeleton, [self.clip], tracks=1, instances=count)
        controller.set_track(0, self.clip.name)
        controller.states.position[:, 0] = np.random.default_rng(1).uniform(0, self.clip.duration, count)
        columns = int(np.ceil(np.sqrt(count)))
        places = np.tile(np.eye(4) * 1.6 / (columns * self.height), (count, 1, 1))
        number = np.arange(count)
        places[:, 3, 0] = (number % columns + 0.5) / columns * 3 - 1.5
        places[:, 3, 2] = (number // columns) / columns * 2 - 1
        places[:, 3, 3] = 1
        return controller, places


def measure(character: Character, count: int, picture: Picture) -> None:
    passes, mesh = character.binding.passes, character.binding.mesh
    controller, places = character.crowd(count)
    joints = passes[0].joints
    together = CrowdDrawing(passes, mesh, character.drawn)
    alone = [SkinnedDrawing(passes, mesh, character.drawn) for _ in range(min(count, MOST_ALONE))]
    palettes = instance_palettes(controller, joints, np.eye(4), places=places)
    pixel = gpu.types.Buffer("UBYTE", (1, 1, 4))
    seconds: dict[str, list[float]] = {}
    settings = DisplaySettings()

    def noted(name: str, started: float, turn: int) -> float:
        now = time.perf_counter()
        if turn >= 0:
            seconds.setdefault(name, []).append(now - started)
        return now

    for turn in range(-3, FRAMES):
        started = time.perf_counter()
        controller.advance(1 / 60)
        instance_palettes(controller, joints, np.eye(4), out=palettes, places=places)
        noted("palettes", started, turn)
        for way in ("together", "alone"):
            with picture.drawing() as framebuffer:
                framebuffer.clear(color=(0, 0, 0, 1), depth=1.0)
                framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
                started = time.perf_counter()
                if way == "together":
                    together.update(palettes)
                    together.draw("shaded", WORLD_TO_VIEW, VIEW_TO_CLIP, np.eye(4), settings)
                else:
                    for drawing, palette in zip(alone, palettes, strict=False):
                        drawing.update((Palette(palette),))
                        drawing.draw("shaded", WORLD_TO_VIEW, VIEW_TO_CLIP, np.eye(4), settings)
                noted(f"{way}, sent", started, turn)
                framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
                noted(f"{way}, drawn", started, turn)
    told = ", ".join(f"{name} {1e3 * median(times):.2f}" for name, times in seconds.items())
    print(f"  {count} of {mesh.vertex_count} vertices and {len(joints)} joints, in ms: {told}", flush=True)
    for one in (together, *alone):
        one.free()


def main() -> None:
    file, *counts = sys.argv[1:]
    start_gpu()
    character = Character(file)
    picture = Picture(WIDTH, HEIGHT)
    print(f"{Path(file).name}, {describe_gpu()}")
    for count in [int(one) for one in counts] or [100, 1000]:
        measure(character, count, picture)


main()
