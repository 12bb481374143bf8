"""Measures the CPU time that the live heat map adds to a frame.

    python benchmarks/heat_map_cost.py FILE [CLIP]

Three kinds of frames take turns in one run: Blender's own (`frame_set` with the armature modifier on), one with
a shaded preview, and one with the heat map and its figures, which are updated four times per second of the
clip. Only CPU time counts: everything except GPU drawing and readback, which is printed alongside (on software
OpenGL that is CPU time too, and says nothing about a GPU).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean, median
from typing import Any

import bpy
import gpu
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.drawing.device import describe_gpu, start_gpu
from skinning_addon.drawing.draw_call import GpuDrawCall
from skinning_addon.drawing.probe import GpuSkinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.playback import set_frame, what_plays
from skinning_addon.scene.files import open_file
from skinning_addon.scene.meshes.mesh_contents import read_mesh_contents
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.viewport.character.mesh_in_layer import MeshInLayer
from skinning_addon.viewport.character.view import View
from skinning_addon.viewport.choices.settings import PreviewSettings

ROUNDS = 120
LIMIT = 1.5
VIEW = View(np.eye(4), np.diag((0.1, 0.1, 0.01, 1.0)), 256)


class GpuTime:
    """Sums the duration of calls that only make the GPU work."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def of(self, owner: type, name: str) -> None:
        """Time all calls of a method."""
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **keywords: Any) -> Any:
            started = time.perf_counter()
            try:
                return method(*arguments, **keywords)
            finally:
                self.seconds += time.perf_counter() - started

        setattr(owner, name, timed)


class Times:
    """CPU and GPU seconds of each kind of frame."""

    def __init__(self, gpu_time: GpuTime) -> None:
        self.processor: dict[str, list[float]] = {}
        self.gpu: dict[str, list[float]] = {}
        self._gpu_time = gpu_time

    @contextmanager
    def measured(self, kind: str) -> Iterator[None]:
        before = self._gpu_time.seconds
        started = time.perf_counter()
        yield
        elapsed, on_gpu = time.perf_counter() - started, self._gpu_time.seconds - before
        self.processor.setdefault(kind, []).append(elapsed - on_gpu)
        self.gpu.setdefault(kind, []).append(on_gpu)


def main() -> None:
    file, *clip = sys.argv[1:]
    open_file(file)
    start_gpu()
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    playback = what_plays(scene, armatures, clip or None)[0]
    ClipPlayer(scene).play(playback)
    meshes = deformed_meshes(scene)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    frames_per_second = scene.render.fps / scene.render.fps_base
    seconds_of_clip = 0.0

    def previews() -> list[MeshInLayer]:
        lives = []
        for one in meshes:
            drawn = read_mesh_contents(one, for_drawing=True).drawn
            assert drawn is not None
            lives.append(MeshInLayer(read_binding(one, depsgraph), drawn, lambda: seconds_of_clip))
        return lives

    kinds = {
        "Blender alone": ([], PreviewSettings()),
        "shaded": (previews(), PreviewSettings(display="shaded")),
        "heat map": (previews(), PreviewSettings(display="deviation")),
    }
    gpu_time = GpuTime()
    gpu_time.of(GpuDrawCall, "draw")
    gpu_time.of(GpuSkinner, "skin")
    times = Times(gpu_time)
    canvas = gpu.types.GPUOffScreen(256, 256)
    first, last = playback.frame_start, playback.frame_end
    for turn in range(-2, ROUNDS):
        seconds_of_clip += 1 / frames_per_second
        frame = first + (turn * 0.73) % max(last - first, 1)
        for kind, (lives, settings) in kinds.items():
            # Go to another frame first: one that Blender has already evaluated costs nothing.
            set_frame(scene, first + (turn * 0.73 + 0.37) % max(last - first, 1))
            with times.measured(kind if turn >= 0 else "warming up"), canvas.bind():
                set_frame(scene, frame)
                for live, mesh_object in zip(lives, meshes, strict=False):
                    live.follow(turn, mesh_object, depsgraph)
                    live.draw(VIEW, settings, mesh_object, depsgraph)
                    if kind == "heat map":
                        live.measure(mesh_object, depsgraph)
    vertices = sum(live.binding.mesh.vertex_count for live in kinds["shaded"][0])
    print(f"{Path(file).name}: {len(meshes)} meshes, {vertices} vertices; {describe_gpu()}")
    for kind in kinds:
        processor, on_gpu = times.processor[kind], times.gpu[kind]
        print(
            f"  {kind:15} processor median {1e3 * median(processor):7.2f} ms, mean "
            f"{1e3 * mean(processor):7.2f} ms; "
            f"GPU {1e3 * mean(on_gpu):7.2f} ms"
        )
    for base in ("Blender alone", "shaded"):
        ratio = mean(times.processor["heat map"]) / mean(times.processor[base])
        print(f"  heat map / {base}: {ratio:.2f} (aim: at most {LIMIT})")


main()
