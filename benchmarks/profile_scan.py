"""Compares the time of the sidebar's check with playing the same frames, in one run.

    python benchmarks/profile_scan.py FILE [PROFILE] [FRAMES]

Playing is Blender's `frame_set` on the whole scene, without drawing. Scanning is binding, playing copies of the
armatures, and computing the deviation under the profile and for each cause alone at every frame. They take
turns; prints the median ratio, which a busy machine affects least.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.profiles.profile_report import profile_sentence
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.files import open_file
from skinning_addon.scene.object_data import mesh_of
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes

ROUNDS = 5

Taken = tuple[float, float]


def main() -> None:
    file, *rest = sys.argv[1:]
    profile = load_profile(rest[0] if rest else "threejs")
    frames = int(rest[1]) if len(rest) > 1 else 250
    open_file(file)
    scene = bpy.context.scene
    meshes = deformed_meshes(scene)
    played: list[Taken] = []
    scanned: list[Taken] = []
    report = None
    for _ in range(ROUNDS):
        start = taken()
        for frame in range(1, frames + 1):
            scene.frame_set(frame)
        played.append(taken(start))
        start = taken()
        scan = ProfileScan(
            scene, bpy.context.evaluated_depsgraph_get(), meshes, [profile], [ScenePlayback(1, frames)]
        )
        for _step in scan.steps():
            pass
        scanned.append(taken(start))
        (report,) = scan.reports
    vertices = sum(len(mesh_of(one).vertices) for one in meshes)
    print(f"{Path(file).name}: {vertices} vertices, {frames} frames, {profile.label}")
    if report is not None:
        print(f"  {profile_sentence(report)}")
    for kind, what in enumerate(("by the clock", "of processors' work")):
        play, scan_time = (statistics.median(one[kind] for one in several) for several in (played, scanned))
        ratio = statistics.median(b[kind] / a[kind] for a, b in zip(played, scanned, strict=True))
        print(f"  {what}: frame_set {play:.2f} s, scan {scan_time:.2f} s, {ratio:.2f} times")


def taken(since: Taken = (0.0, 0.0)) -> Taken:
    """Return the elapsed seconds, of wall-clock time and of CPU time on all cores."""
    return time.perf_counter() - since[0], time.process_time() - since[1]


main()
