"""Undo and redo as a user presses them, while previews and mixers run."""

from __future__ import annotations

import time

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import START, text_of
from tests.windowed.two_actions import PLAY, PLAYER, REFRESH, bar
from tests.windowed.view_pixels import ViewPixels, is_same_view

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


def test_previews_come_back_with_their_file_and_stay_whatever_is_undone(bar, tmp_path, start_blender):
    path = tmp_path / "bar.blend"
    bar.run(START + "settings.profiles.profile = 'threejs'; settings.display = 'DEVIATION'")
    bar.run("settings.start_with_file = True")
    bar.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, copy=True)")
    bar.run("settings.start_with_file = False; settings.profiles.profile = 'blender'")
    bar.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(tmp_path / 'off.blend')!r}, copy=True)")
    with start_blender([str(path)]) as blender:
        blender.run(text_of("preview_figures.py") + "with view3d() as area: pass")
        blender.wait_until("session.running and figures()['settled']")
        assert blender.run("[one.profile.id for one in session.previews]") == ["threejs"]
        picture = ViewPixels.of(blender).cut(blender.screenshot())
        press(blender, "g")
        press(blender, "x")
        press(blender, "1")
        press(blender, "Return")
        assert blender.run("round(bpy.context.active_object.location.x, 3)") == 1
        press(blender, "ctrl+z")
        press(blender, "ctrl+z")
        blender.wait_until("session.running and figures()['settled']")
        assert blender.run("round(bpy.context.active_object.location.x, 3)") == 0
        assert is_same_view(ViewPixels.of(blender).cut(blender.screenshot()), picture)
        # Nothing starts with a file that does not ask for it.
        blender.run(f"bpy.ops.wm.open_mainfile(filepath={str(tmp_path / 'off.blend')!r})")
        blender.screenshot()
        assert blender.run("len(session.previews)") == 0
