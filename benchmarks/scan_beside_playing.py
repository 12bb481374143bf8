"""Compares the time of the sidebar's check with playing the same frames in the same window, drawing included.

    SKINSCOPE_BLENDER=... SKINSCOPE_USER_RESOURCES=... python benchmarks/scan_beside_playing.py FILE

The file contains one character, and is opened in a separate windowed Blender (Xvfb), for which
SKINSCOPE_USER_RESOURCES names a user folder with the extension installed. Without a GPU, drawing is by far the
slowest part, so the time of `frame_set` over the same frames, which draws nothing, is printed too, along with
seven ratios of the two: by wall-clock time, which other work on the machine affects, and by CPU time on all
cores.
"""

from __future__ import annotations

import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.windowed.harness import WindowedBlender, virtual_screen, windowed_blender

FRAMES = 250
ROUNDS = 7

SETUP = f"""
import time
from skinning_addon.viewport.session import current_session
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, {FRAMES}
# No slower than Blender can: a character's own rate would be the limit otherwise.
scene.render.fps, scene.sync_mode = 1000, 'NONE'
with view3d() as area:
    area.spaces.active.shading.type = 'SOLID'
    bpy.ops.view3d.view_all()
profiles = scene.skinscope.profiles
profiles.profile, profiles.scanned = 'threejs', 'SCENE'
times = []
def mark(*_): times.append(time.perf_counter())
"""

SCAN = """
begun, worked = time.perf_counter(), time.process_time()
with view3d(): bpy.ops.skinscope.profile_check()
took, work = time.perf_counter() - begun, time.process_time() - worked
mesh, = current_session().checks.results.of(scene.session_uid, 'threejs').meshes
took, work, mesh.frames, mesh.max
"""

SET_FRAMES = """
begun, worked = time.perf_counter(), time.process_time()
for frame in range(scene.frame_start, scene.frame_end + 1): scene.frame_set(frame)
alone, work = time.perf_counter() - begun, time.process_time() - worked
scene.frame_set(1)
alone, work
"""

PLAY = """
bpy.app.handlers.frame_change_post.append(mark)
with view3d(): bpy.ops.screen.animation_play()
"""


def measure(blender: WindowedBlender, file: Path) -> None:
    blender.run(f"bpy.ops.wm.open_mainfile(filepath={os.fspath(file)!r}, load_ui=False)", timeout=120)
    blender.run(SETUP)
    blender.screenshot()
    rounds = [(*blender.run(SET_FRAMES, timeout=300), *blender.run(SCAN, timeout=300)) for _ in range(ROUNDS)]
    alone, alone_work, scans, works, frames, deviations = zip(*rounds, strict=True)
    scanning = statistics.median(scans)
    print(f"{frames[0]} frames scanned in {scanning:.1f} s, the largest deviation {deviations[0]:.3f}")
    print(f"frame_set alone: {statistics.median(alone):.1f} s")
    for what, scanned, played in (("by the clock", scans, alone), ("of processors' work", works, alone_work)):
        ratios = sorted(scan / play for scan, play in zip(scanned, played, strict=True))
        print(f"  ratios {what}: {', '.join(f'{one:.2f}' for one in ratios)}")
    blender.run(PLAY)
    # If drawing is slow, playing it all takes minutes; playing for as long as the scan took is enough.
    blender.wait_until(f"times and time.perf_counter() - times[0] > {scanning}", timeout=300)
    blender.run("bpy.app.handlers.frame_change_post.remove(mark)")
    blender.run("with view3d(): bpy.ops.screen.animation_cancel()")
    played = blender.run(f"sum(one - times[0] <= {scanning} for one in times)")
    print(f"{played} frames played in the time of the scan")


def main() -> None:
    user_resources = Path(os.environ["SKINSCOPE_USER_RESOURCES"])
    with virtual_screen() as display, windowed_blender(display, user_resources) as blender:
        measure(blender, Path(sys.argv[1]).resolve())


if __name__ == "__main__":
    main()
