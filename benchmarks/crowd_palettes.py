"""Times palettes of many instances in one pass against Blender's frame_set of one armature and the same clip.

    SKINSCOPE_RIGS=FOLDER .venv/bin/python benchmarks/crowd_palettes.py

Prints the time of both in the same run, the ratio per instance, the slope of the time from 10 to 10,000
instances, and the clips' memory, full and reduced. frame_set is timed as the file plays it: the armature and
the meshes that it deforms. Rounds of both take turns, and the fastest of each counts, since other programs can
only make them slower.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from skinning_addon.animation.controller import Controller
from skinning_addon.animation.palettes import instance_palettes
from skinning_addon.animation.reduction import reduce_clip
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import BakeSettings, bake_clips, bone_boxes
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from skinning_addon.scene.files import open_file
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

RIGS = (("Fox.glb", "Walk", 1000), ("mannequiny.glb", "idle_root.001", 300))
COUNTS = (10, 100, 1000, 10_000)
ROUNDS = 15
FRAMES = 30


def main() -> None:
    folder = Path(os.environ["SKINSCOPE_RIGS"])
    for rig, name, count in RIGS:
        measure(folder / rig, name, count)


def measure(path: Path, name: str, count: int) -> None:
    open_file(path)
    scene = bpy.context.scene
    armature = next(one for one in scene.objects if one.type == "ARMATURE")
    clip = next(one for one in list_clips(scene) if one.name.startswith(name.split(".", maxsplit=1)[0]))
    (baked,) = bake_clips(scene, armature, [clip], BakeSettings(between=None))
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    reduced = reduce_clip(baked.clip, skeleton, boxes, 1e-3 * boxes.size)
    joints = read_binding(deformed_meshes(scene)[0], bpy.context.evaluated_depsgraph_get()).passes[0].joints
    play_clip(scene, clip)
    frames = cycle(np.linspace(clip.frame_start, clip.frame_end, FRAMES).tolist())

    def blender() -> None:
        for _ in range(FRAMES):
            set_frame(scene, next(frames))

    def ours(controller: Controller) -> Callable[[], None]:
        palettes = instance_palettes(controller, joints, np.eye(4))

        def once() -> None:
            controller.advance(1 / 60)
            instance_palettes(controller, joints, np.eye(4), out=palettes)

        return once

    crowds = {number: ours(crowd(baked.clip, skeleton, number)) for number in {count, *COUNTS}}
    of_reduced = ours(crowd(reduced.clip, skeleton, count))
    best = dict.fromkeys([*crowds, "blender", "reduced"], np.inf)
    for number in range(ROUNDS):
        best["blender"] = min(best["blender"], seconds(blender) / FRAMES)
        best["reduced"] = min(best["reduced"], seconds(of_reduced) / count)
        for size, once in crowds.items():
            if size <= 1000 or number < 5:
                best[size] = min(best[size], seconds(once) / size)
    print(f"{path.name}, '{clip.name}', {len(skeleton.names)} bones")
    print(f"  Blender's frame_set          {1e6 * best['blender']:8.1f} us a frame")
    for label, key in (("", count), (", reduced", "reduced")):
        ratio = best["blender"] / best[key]
        print(
            f"  {count} instances{label:10s}    {1e6 * best[key]:8.2f} us an instance: {ratio:.1f} x faster"
        )
    for size in COUNTS:
        print(f"  {size:6d} instances           {1e6 * best[size]:8.2f} us an instance")
    fixed, slope, off = straight_line({size: size * best[size] for size in COUNTS})
    print(
        f"  a straight line: {1e6 * fixed:.0f} us at once and {1e6 * slope:.2f} us an instance, off by "
        f"{100 * off:.0f} % at most"
    )
    print(
        f"  clip {baked.clip.nbytes / 1000:.1f} kB, reduced to 1e-3 of the size "
        f"{reduced.bytes_after / 1000:.1f} kB\n"
    )


def crowd(clip: object, skeleton: object, count: int) -> Controller:
    """Make instances that all play the clip, each from its own position."""
    controller = Controller(skeleton, [clip], tracks=1, instances=count)  # pyright: ignore[reportArgumentType]
    controller.set_track(0, controller.clips[0].name)
    random = np.random.default_rng(1)
    controller.states.position[:, 0] = random.uniform(0, controller.clips[0].duration, count)
    return controller


def straight_line(times: dict[int, float]) -> tuple[float, float, float]:
    """Fit seconds = fixed + slope * number to times by number, by relative error; return both, and the worst
    relative error.
    """
    numbers, taken = np.array(list(times)), np.array(list(times.values()))
    (fixed, slope), *_ = np.linalg.lstsq(np.stack((1 / taken, numbers / taken), axis=1), np.ones(len(taken)))
    return float(fixed), float(slope), float(np.abs((fixed + slope * numbers) / taken - 1).max())


def seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
