"""Measures drawing on a GPU: a character under each technique and display, once and many times in a picture.

    python benchmarks/gpu_drawing.py FILE [COPIES ...]

FILE contains one character and a clip; COPIES are how often it is drawn in a frame (default: 1 10 100). Each
copy gets a palette of its own, sent before it is drawn into a picture of 1920 x 1080. A frame ends when a pixel
of it has been read back, so its time contains everything that the GPU does. Blender's `frame_set`, with its own
Armature modifier, is timed in the same run: what an animator waits for in any case. Prints medians.

Needs Blender 5.2's Python module; with OpenGL in software the figures say nothing about a GPU.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

import bpy
import gpu
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.core.blending.blend_palette import AnyPalette
from skinning_addon.core.text.errors import BindingError
from skinning_addon.drawing.chain_cache import ChainCache
from skinning_addon.drawing.device import describe_gpu, start_gpu
from skinning_addon.drawing.display_settings import DisplaySettings
from skinning_addon.drawing.off_screen import Picture
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.drawing.techniques import TECHNIQUES, Technique
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.playback import set_frame, what_plays
from skinning_addon.scene.files import open_file
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

WIDTH, HEIGHT = 1920, 1080
FRAMES = 40
POSES = 10
GROUP_LIMIT = 60
DISPLAYS = ("shaded", "deviation", "wireframe")
VIEW_TO_CLIP = np.diag([HEIGHT / WIDTH, 1.0, -0.05, 1.0])
# Looks along +Y at characters that stand along Z.
WORLD_TO_VIEW = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, -1, 0, 1]], dtype=np.float64)


class Character:
    """The meshes of a file, with a few poses of its clip."""

    def __init__(self, file: str) -> None:
        open_file(file)
        self.scene = bpy.context.scene
        armatures = [one for one in self.scene.objects if one.type == "ARMATURE"]
        playback = what_plays(self.scene, armatures, None)[0]
        ClipPlayer(self.scene).play(playback)
        self.depsgraph = bpy.context.evaluated_depsgraph_get()
        self.objects = deformed_meshes(self.scene)
        self.bindings = [read_binding(one, self.depsgraph) for one in self.objects]
        self.drawn = [read_mesh_contents(one, for_drawing=True).drawn for one in self.objects]
        readers = [FrameReader(binding) for binding in self.bindings]
        self.poses: list[list[tuple[AnyPalette, ...]]] = []
        self.frame_set: list[float] = []
        frames = np.linspace(playback.frame_start, playback.frame_end, POSES)
        for frame in frames:
            started = time.perf_counter()
            set_frame(self.scene, float(frame))
            self.frame_set.append(time.perf_counter() - started)
            self.poses.append(
                [r.read(o, self.depsgraph).palettes for r, o in zip(readers, self.objects, strict=True)]
            )

    @property
    def vertices(self) -> int:
        return sum(binding.mesh.vertex_count for binding in self.bindings)

    def drawings(self, technique: Technique) -> list[SkinnedDrawing]:
        """Make the drawings of all meshes; a reference is set, for heat maps."""
        made = []
        for binding, drawn in zip(self.bindings, self.drawn, strict=True):
            assert drawn is not None
            calls = technique.draw_calls(ChainCache(binding.passes), binding.mesh, drawn, GROUP_LIMIT)
            one = SkinnedDrawing(binding.passes, binding.mesh, drawn, draw_calls=calls)
            one.set_reference(binding.mesh.positions)
            made.append(one)
        return made


def frame_time(
    character: Character, copies: list[list[SkinnedDrawing]], display: str, picture: Picture
) -> tuple[float, float]:
    """Return a frame's seconds: until all is sent, and until it is drawn; medians."""
    settings = DisplaySettings()
    columns = int(np.ceil(np.sqrt(len(copies))))
    places = []
    for number in range(len(copies)):
        place = np.eye(4) / columns
        place[3] = (number % columns) / columns * 2 - 1, 0, 1 - (number // columns) / columns * 2, 1
        places.append(place)
    sent, done = [], []
    pixel = gpu.types.Buffer("UBYTE", (1, 1, 4))
    for turn in range(-3, FRAMES):
        with picture.drawing() as framebuffer:
            framebuffer.clear(color=(0, 0, 0, 1), depth=1.0)
            framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
            started = time.perf_counter()
            for number, (drawings, place) in enumerate(zip(copies, places, strict=True)):
                pose = character.poses[(turn + number) % POSES]
                for drawing, palettes in zip(drawings, pose, strict=True):
                    drawing.update(palettes)
                    drawing.draw(display, WORLD_TO_VIEW, VIEW_TO_CLIP, place, settings)
            submitted = time.perf_counter()
            framebuffer.read_color(0, 0, 1, 1, 4, 0, "UBYTE", data=pixel)
            finished = time.perf_counter()
        if turn >= 0:
            sent.append(submitted - started)
            done.append(finished - started)
    return median(sent), median(done)


def main() -> None:
    file, *counts = sys.argv[1:]
    start_gpu()
    character = Character(file)
    picture = Picture(WIDTH, HEIGHT)
    print(
        f"{Path(file).name}: {len(character.objects)} meshes, {character.vertices} vertices; {describe_gpu()}"
    )
    print(f"frame_set: {1e3 * median(character.frame_set):.2f} ms")
    print(f"{'technique':16} {'display':10} {'copies':>6} {'sent ms':>9} {'drawn ms':>9} {'per copy':>9}")
    for technique in TECHNIQUES:
        for count in [int(one) for one in counts] or [1, 10, 100]:
            try:
                copies = [character.drawings(technique) for _ in range(count)]
            except BindingError as error:
                print(f"{technique.name:16} {error}")
                break
            for display in DISPLAYS:
                sent, drawn = frame_time(character, copies, display, picture)
                print(
                    f"{technique.name:16} {display:10} {count:6} {1e3 * sent:9.3f} {1e3 * drawn:9.3f} "
                    f"{1e3 * drawn / count:9.4f}",
                    flush=True,
                )
            for drawings in copies:
                for one in drawings:
                    one.free()


main()
