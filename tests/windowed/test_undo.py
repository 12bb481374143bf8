"""Undo and redo as a user presses them, while previews and mixers run."""

from __future__ import annotations

import time

from tests.windowed.harness import WindowedBlender
from tests.windowed.two_actions import PLAY, PLAYER, REFRESH, bar

__all__ = ["bar"]

BAKE = "with view3d(): bpy.ops.skinscope.clips_bake('INVOKE_DEFAULT')\n"
CLIPS = "clip_names(rig)"
TURN = "round(bpy.data.objects['Bar Rig'].pose.bones['lower'].rotation_euler.z, 3)"


def press(blender: WindowedBlender, key: str) -> None:
    """Press a key with the mouse over the middle of the 3D view, and wait until Blender has handled it."""
    x, y = blender.run(
        "region = next(one for one in area.regions if one.type == 'WINDOW')\n"
        "height = bpy.context.window_manager.windows[0].height\n"
        "[region.x + region.width // 2, height - region.y - region.height // 2]"
    )
    blender.xdotool("mousemove", str(x - 3), str(y), "mousemove", str(x), str(y))
    time.sleep(0.1)
    blender.xdotool("key", key)
    time.sleep(0.3)
    blender.run("rig = bpy.data.objects['Bar Rig']; bar = bpy.data.objects['Bar']; None")


def test_undo_takes_back_the_users_last_edit_and_nothing_of_the_mixer(bar):
    bar.run("rig.pose.bones['lower'].rotation_euler.z = 0.6\nbpy.ops.ed.undo_push(message='Pose')")
    bar.run(REFRESH + BAKE + PLAY)
    bar.wait_until(f"{PLAYER}.playing")
    listed = bar.run(CLIPS)
    assert listed == ["Bend", "Lean"]
    press(bar, "ctrl+z")
    assert bar.run(TURN) == 0.25
    assert bar.run(CLIPS) == listed
    assert bar.run(f"{PLAYER}.playing")
    press(bar, "ctrl+shift+z")
    assert bar.run(TURN) == 0.6
    assert bar.run(CLIPS) == listed
