"""Files that are saved while characters are aside, or that are left after a crash: a Blender without Skinscope opens
them with everything in its place.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from tests.windowed.harness import WindowedBlender
from tests.windowed.test_cached_playback import ASIDE, ON, PLAYS
from tests.windowed.test_habits import press
from tests.windowed.test_recovery import TEMPORARY, wait_for_autosave

READ = """\
import bpy, json
assert not any("skinscope" in one for one in bpy.context.preferences.addons.keys())
print("READ", json.dumps({
    "objects": sorted(one.name for one in bpy.data.objects),
    "hidden": [one.name for one in bpy.data.objects if one.hide_viewport],
    "marked": [one.name for one in bpy.data.objects if "skinscope_aside" in one],
    "place": bpy.data.objects["Bar Rig"].location.x,
}))
"""
SECONDS_BETWEEN_AUTOSAVES = 60


def opened_without_skinscope(file: Path) -> dict[str, object]:
    """Open a file in a Blender with factory settings, and tell what is in it."""
    done = subprocess.run(
        [
            os.environ["SKINSCOPE_BLENDER"],
            "--background",
            "--factory-startup",
            str(file),
            "--python-expr",
            READ,
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        # Blender as a module, in this process, has set it to its own.
        env={name: value for name, value in os.environ.items() if name != "OCIO"},
    )
    assert not done.returncode, done.stdout + done.stderr
    return json.loads(next(one for one in done.stdout.splitlines() if one.startswith("READ"))[5:])


def in_place(x: float) -> dict[str, object]:
    return {"objects": ["Bar", "Bar Rig"], "hidden": [], "marked": [], "place": x}


def play_from_memory(blender: WindowedBlender) -> None:
    blender.run(ON)
    blender.wait_until("cached.cache.groups")
    blender.run("[scene.frame_set(one) for one in range(1, 21)]")
    press(blender, "space")
    blender.wait_until(ASIDE)


def test_what_is_saved_while_it_plays_opens_elsewhere(own_bar, tmp_path: Path):
    path = tmp_path / "played.blend"
    play_from_memory(own_bar)
    own_bar.run(f"rig.location.x = 0.25; bpy.ops.wm.save_as_mainfile(filepath={str(path)!r})")
    assert own_bar.run(PLAYS)
    assert opened_without_skinscope(path) == in_place(0.25)


def test_a_crash_while_it_plays_leaves_files_with_everything_in_place(own_bar, tmp_path: Path):
    path = tmp_path / "saved.blend"
    own_bar.run(TEMPORARY.format(folder=str(tmp_path)))
    own_bar.run(f"rig.location.x = 0.25; bpy.ops.wm.save_as_mainfile(filepath={str(path)!r})")
    own_bar.run("rig.location.x = 0.5; bpy.ops.ed.undo_push(message='Moved')")
    wait_for_autosave(own_bar, tmp_path)
    (autosave,) = tmp_path.glob("*_autosave.blend")
    play_from_memory(own_bar)
    # The next one is due while they are aside.
    end = time.monotonic() + 1.2 * SECONDS_BETWEEN_AUTOSAVES
    while time.monotonic() < end:
        assert own_bar.run(ASIDE)
        time.sleep(1)
    own_bar.kill()
    assert opened_without_skinscope(path) == in_place(0.25)
    assert opened_without_skinscope(autosave) == in_place(0.5)
