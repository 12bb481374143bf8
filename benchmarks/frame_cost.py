"""Measures the CPU time that we add to a frame: read the pose, build the palette, upload it.

    python benchmarks/frame_cost.py FILE [CLIP]

Blender's `frame_set` with the armature modifier on and our three steps take turns in one run; prints medians
and their ratio. The draw is printed for completeness: on software OpenGL it says nothing about a GPU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.core.blending.software_skinning import AnyPalette
from skinning_addon.drawing.device import describe_gpu, start_gpu
from skinning_addon.drawing.palette_buffer import palette_buffer
from skinning_addon.drawing.skinning_inputs import SkinningInputs
from skinning_addon.measurement.frame.devices import make_skinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.playback import set_frame, what_plays
from skinning_addon.scene.files import open_file
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

Result = TypeVar("Result")

ROUNDS = 200
LIMIT = 0.10


def main() -> None:
    file, *clip = sys.argv[1:]
    open_file(file)
    start_gpu()
    scene = bpy.context.scene
    meshes = deformed_meshes(scene)
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    playback = what_plays(scene, armatures, clip or None)[0]
    ClipPlayer(scene).play(playback)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    bindings = [read_binding(mesh, depsgraph) for mesh in meshes]
    readers = [FrameReader(binding) for binding in bindings]
    buffers = [
        palette_buffer(SkinningInputs(binding.passes, binding.mesh).palette_layout) for binding in bindings
    ]
    frames = [playback.frame_start, playback.frame_end]
    seconds: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        result = work()
        seconds.setdefault(name, []).append(time.perf_counter() - start)
        return result

    palettes: list[tuple[AnyPalette, ...]] = []
    for turn in range(ROUNDS):
        frame = frames[0] + (turn * 0.73) % max(frames[1] - frames[0], 1)
        timed("frame_set", lambda frame=frame: set_frame(scene, frame))
        read = timed(
            "read",
            lambda: [reader.read(mesh, depsgraph) for reader, mesh in zip(readers, meshes, strict=True)],
        )
        palettes = timed("palette", lambda read=read: [one.palettes for one in read])
        timed(
            "upload",
            lambda palettes=palettes: [one.upload(each) for one, each in zip(buffers, palettes, strict=True)],
        )
    skinners = [make_skinner("gpu", binding.passes, binding.mesh) for binding in bindings]
    for _ in range(5):
        timed("draw and read back", lambda: [s.skin(p) for s, p in zip(skinners, palettes, strict=True)])

    vertices = sum(binding.mesh.vertex_count for binding in bindings)
    joints = sum(binding.joint_count for binding in bindings)
    print(f"{Path(file).name}: {len(meshes)} meshes, {vertices} vertices, {joints} joints; {describe_gpu()}")
    for name, values in seconds.items():
        print(f"  {name:20} {1e3 * median(values):8.3f} ms")
    ours = sum(median(seconds[name]) for name in ("read", "palette", "upload"))
    ratio = ours / median(seconds["frame_set"])
    print(
        f"  read + palette + upload: {1e3 * ours:.3f} ms, {ratio:.1%} of frame_set (aim: at most {LIMIT:.0%})"
    )


main()
