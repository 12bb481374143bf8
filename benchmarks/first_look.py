"""Compares the time of Check Every Export with that of the glTF export itself, in one run.

    python benchmarks/first_look.py FILE [ROUNDS]

The user waits for two things after an export: the first look at the file's worst frames, and saving the copy
that the full check reads in the background. Exports and looks take turns; prints the medians, and the median
and the largest ratio. A busy machine affects ratios least. The first round is the slowest: `ROUNDS` 1 in fresh
processes measures that.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.measurement.exported.first_look import first_look
from skinning_addon.measurement.exported.time_allowance import TimeAllowance
from skinning_addon.scene.files import open_file
from skinning_addon.scene.object_data import mesh_of
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from skinning_addon.ui.engine.export_check_operator import save_copy
from skinning_addon.ui.engine.export_watch import SHARE, SHORTEST

ROUNDS = 7


def main() -> None:
    file, *rest = sys.argv[1:]
    rounds = int(rest[0]) if rest else ROUNDS
    open_file(file)
    scene = bpy.context.scene
    exported: list[float] = []
    looked: list[float] = []
    saved: list[float] = []
    frames: list[int] = []
    with tempfile.TemporaryDirectory() as name:
        written = Path(name, "rig.glb")
        for _ in range(rounds):
            start = time.perf_counter()
            bpy.ops.export_scene.gltf(filepath=str(written))
            exported.append(time.perf_counter() - start)
            start = time.perf_counter()
            seconds = SHARE * exported[-1]
            seen = first_look(scene, str(written), TimeAllowance(seconds)) if seconds >= SHORTEST else None
            looked.append(time.perf_counter() - start)
            frames.append(0 if seen is None else seen.frames)
            start = time.perf_counter()
            save_copy(Path(name, "copy.blend"))
            saved.append(time.perf_counter() - start)
    vertices = sum(len(mesh_of(one).vertices) for one in deformed_meshes(scene))
    ratios = [look / export for look, export in zip(looked, exported, strict=True)]
    export, look, save = (statistics.median(one) for one in (exported, looked, saved))
    print(f"{Path(file).name}: {vertices} vertices, {len(bpy.data.actions)} actions, {rounds} rounds")
    look_at = f"{look:.2f} s at {statistics.median(frames):g} frames"
    print(f"  export {export:.2f} s, first look {look_at}, copy {save:.2f} s")
    print(f"  first look to export: median {statistics.median(ratios):.3f}, largest {max(ratios):.3f}")


main()
