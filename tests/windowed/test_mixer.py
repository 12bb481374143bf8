"""The mixer as a user works with it: the preview moves, and no user data does."""

from __future__ import annotations

import pytest

from tests.windowed.two_actions import FADE, PLAY, PLAYER, REFRESH, STOP, USERS, bar
from tests.windowed.view_pixels import ViewPixels, changed, is_same_view, preview_mask

__all__ = ["bar"]


def test_the_preview_plays_and_the_users_pose_and_frame_do_not(bar):
    users = bar.run(USERS)
    view = ViewPixels.of(bar)
    bar.run(REFRESH)
    assert bar.run("clip_names(rig)") == ["Bend", "Lean"]
    bar.run("rig.skinscope_animation.transition = 0.4")
    bar.run(PLAY)
    bar.wait_until(f"{PLAYER}.controller.now > 0.5")
    bar.run(FADE)
    bar.wait_until(f"{PLAYER}.controller.weight(1)[0] == 1 and {PLAYER}.controller.weight(0)[0] == 0")
    bar.wait_until(f"len({PLAYER}.passings) > 0")
    assert bar.run(f"{PLAYER}.passings[0].marker") == "step"
    # Paused at two places, so that pictures can be compared.
    bar.run(PLAY)
    pictures = []
    for position in (0.05, 0.7):
        bar.run(
            "from skinning_addon.animation.events import EventKind\n"
            f"player = {PLAYER}\n"
            f"player.controller.key(EventKind.POSITION, {position}, track=1)\n"
            "current_session().players.show(player)"
        )
        pictures.append(view.cut(bar.screenshot()))
        assert preview_mask(pictures[-1]).any()
    assert changed(*pictures) > 500
    assert bar.run(USERS) == users
    assert bar.run(f"{PLAYER}.error") == ""
    # Stopped, the preview follows Blender's own pose.
    bar.run(STOP)
    stopped = view.cut(bar.screenshot())
    bar.run("with view3d(): bpy.ops.skinscope.preview_start()")
    assert is_same_view(view.cut(bar.screenshot()), stopped)


def test_blenders_playback_drives_it_while_that_runs(bar):
    """Driven by the frames that Blender plays, so by fewer if it can't play them all in time."""
    bar.run(REFRESH + PLAY)
    # More frames a second than any Blender draws.
    bar.run(
        "bpy.context.scene.render.fps = 240\n"
        "frames = []\n"
        "def note(scene, *_): frames.append(scene.frame_current)\n"
        "bpy.app.handlers.frame_change_post.append(note)\n"
        "with view3d(): bpy.ops.screen.animation_play()"
    )
    bar.wait_until("len(frames) > 20")
    start, seconds = bar.run("[len(frames), " + PLAYER + ".controller.now]")
    bar.wait_until(f"len(frames) > {start} + 60")
    end, later = bar.run("[len(frames), " + PLAYER + ".controller.now]")
    bar.run(
        "bpy.app.handlers.frame_change_post.remove(note)\n"
        "with view3d(): bpy.ops.screen.animation_cancel(restore_frame=True)\n"
        "bpy.context.scene.render.fps = 24"
    )
    # What was noted since the last tick is still to come.
    assert later - seconds == pytest.approx((end - start) / 240, abs=8 / 240)
    assert bar.run(f"{PLAYER}.error") == ""


def test_clips_of_a_file_play_beside_ones_own_and_undo_takes_them_back(bar, tmp_path):
    path = tmp_path / "leaning.blend"
    # Tests before have left theirs, which fit these bones, too.
    bar.run(
        "bpy.data.batch_remove([one for one in bpy.data.actions if one not in (bend, lean)])\n"
        "bend.name, lean.name = 'Bend', 'Lean'"
    )
    bar.run(REFRESH)
    bar.run("with view3d(): bpy.ops.skinscope.preview_start()")
    bar.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, copy=True)")
    bar.run("bpy.ops.ed.undo_push(message='Before')")
    users, view = bar.run(USERS), ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    # Another Blender starts, as slow as the machine is.
    bar.run(
        f"with view3d(): bpy.ops.skinscope.clips_from_file('EXEC_DEFAULT', True, filepath={str(path)!r})",
        timeout=300,
    )
    listed = ["Bend", "Bend (leaning.blend)", "Lean", "Lean (leaning.blend)"]
    assert bar.run("clip_names(bpy.data.objects['Bar Rig'])") == listed
    with_clips = bar.run(USERS)
    assert with_clips[:4] == users[:4]
    assert with_clips[4] == sorted([*users[4], "Bend (leaning.blend)", "Lean (leaning.blend)"])
    assert with_clips[5:] == users[5:]
    # The preview stays with Blender's own pose until one of them is played.
    after = view.cut(bar.screenshot())
    assert preview_mask(before).any()
    assert (preview_mask(after) == preview_mask(before)).all()
    bar.run("bpy.data.objects['Bar Rig'].skinscope_animation.first = 'Lean (leaning.blend)'\n" + PLAY)
    bar.wait_until(f"{PLAYER}.controller.now > 0.2")
    assert bar.run(f"{PLAYER}.controller.clips[0].name") == "Lean (leaning.blend)"
    assert bar.run(f"{PLAYER}.error") == ""
    bar.run(STOP)
    # What was stopped and chosen is a step of its own.
    bar.run("with view3d():\n    while 'Lean (leaning.blend)' in bpy.data.actions: bpy.ops.ed.undo()")
    assert bar.run("rig = bpy.data.objects['Bar Rig']\n" + USERS) == users
    assert bar.run("[one.name for one in rig.animation_data.nla_tracks]") == []


WATCHED_PANEL = """\
import skinning_addon.ui.clips.animation_panel as animation_panel
drawn = []
class SKINSCOPE_PT_watched(bpy.types.Panel):
    bl_label, bl_space_type, bl_region_type, bl_category = 'Watched', 'VIEW_3D', 'UI', 'Skinscope'
    def draw(self, context):
        drawn.append([one.marker for one in next(iter(current_session().players)).passings])
        animation_panel.SKINSCOPE_PT_animation.draw(self, context)
bpy.utils.register_class(SKINSCOPE_PT_watched)
with view3d() as area:
    area.spaces.active.show_region_ui = True
side_bar = next(region for region in area.regions if region.type == 'UI')
"""
UNWATCHED = "bpy.utils.unregister_class(SKINSCOPE_PT_watched)\narea.spaces.active.show_region_ui = False"


def test_the_panel_lists_what_is_passed_while_it_plays(bar):
    bar.run(REFRESH)
    bar.run("rig.skinscope_animation.first = 'Lean'; rig.skinscope_animation.second = 'Bend'")
    bar.run(PLAY + WATCHED_PANEL)
    bar.screenshot(settled=False)
    bar.run("side_bar.active_panel_category = 'Skinscope'\nside_bar.tag_redraw()")
    # Nothing but the player asks for a redraw.
    bar.wait_until("drawn and len(drawn[-1]) >= 2")
    assert set(bar.run("drawn[-1]")) == {"step"}
    bar.run(PLAY)
    bar.screenshot()
    bar.run(UNWATCHED)


def test_root_motion_and_loops_are_set_while_it_plays(bar):
    users = bar.run(USERS)
    bar.run(REFRESH + PLAY + WATCHED_PANEL)
    bar.run("side_bar.active_panel_category = 'Skinscope'")
    bar.run("mixer = rig.skinscope_animation\nmixer.root_motion = 'EXTRACT'\nmixer.reduction = 0.001")
    bar.run("with view3d(): bpy.ops.skinscope.clip_loop(clip='Bend')")
    bar.wait_until(f"{PLAYER}.controller.now > 0.2")
    before = bar.run(f"{PLAYER}.controller.now")
    bar.screenshot(settled=False)
    bar.run("with view3d(): bpy.ops.skinscope.clips_bake(every=True)")
    bar.wait_until(f"{PLAYER}.controller.now > {before}")
    assert bar.run(f"[one.looping for one in {PLAYER}.controller.clips]") == [False, True]
    assert bar.run(
        "all(one.root_motion and one.reduction for one in current_session().players.baked_of(rig).values())"
    )
    bar.wait_until(f"{PLAYER}.controller.position(0)[0] == {PLAYER}.controller.clips[0].duration")
    bar.run(PLAY)
    bar.screenshot()
    assert bar.run(f"{PLAYER}.error") == ""
    assert bar.run(USERS) == users
    bar.run(UNWATCHED)


def test_undo_while_it_plays_changes_nothing_about_it(bar):
    bar.run(REFRESH + PLAY)
    bar.run("rig.pose.bones['lower'].rotation_euler.z = 0.6\nbpy.ops.ed.undo_push(message='Pose')")
    before = bar.run(f"{PLAYER}.controller.now")
    bar.run("bpy.ops.ed.undo()\nrig = bpy.data.objects['Bar Rig']")
    bar.wait_until(f"{PLAYER}.controller.now > {before} + 0.2")
    assert bar.run(f"{PLAYER}.playing and {PLAYER}.error == ''")
    assert bar.run("round(bpy.data.objects['Bar Rig'].pose.bones['lower'].rotation_euler.z, 3)") == 0.25


def test_undo_in_the_middle_of_a_fade_leaves_its_state_as_it_is(bar):
    bar.run("rig.skinscope_animation.transition = 5.0\nrig.pose.bones['lower'].rotation_euler.z = 0.6")
    bar.run("bpy.ops.ed.undo_push(message='Pose')")
    bar.run(REFRESH + PLAY)
    bar.run(FADE)
    bar.wait_until(f"{PLAYER}.controller.weight(1)[0] > 0.05")
    bar.run(PLAY)
    bar.run("from skinning_addon.animation.plain_state import to_plain")
    before = bar.run(f"to_plain({PLAYER}.controller)")
    for back in ("undo", "redo", "undo"):
        bar.run(f"bpy.ops.ed.{back}()")
    assert bar.run(f"to_plain({PLAYER}.controller)") == before
    assert 0 < bar.run(f"float({PLAYER}.controller.weight(1)[0])") < 1
    bar.run("bpy.context.view_layer.objects.active = rig = bpy.data.objects['Bar Rig']")
    bar.run(PLAY)
    bar.wait_until(f"to_plain({PLAYER}.controller) != {before!r}")
    assert bar.run(f"{PLAYER}.error") == ""


MUCH_TO_BAKE = """\
rig.animation_data.action = lean
bone.keyframe_insert('rotation_quaternion', frame=60000)
rig.animation_data.action = bend
with view3d():
    bpy.ops.skinscope.clips_refresh()
rig.skinscope_animation.first, rig.skinscope_animation.second = bend.name, lean.name
"""


@pytest.mark.parametrize(
    "operator", ["clips_bake('INVOKE_DEFAULT', every=True)", "mixer_play('INVOKE_DEFAULT')"]
)
def test_esc_ends_baking_and_leaves_nothing_behind(bar, operator):
    bar.run(MUCH_TO_BAKE)
    users = bar.run(USERS)
    bar.run(f"with view3d(): bpy.ops.skinscope.{operator}", timeout=60)
    assert bar.run("len(bpy.data.scenes)") == 2
    bar.screenshot(settled=False)
    bar.xdotool("mousemove", "640", "400", "key", "Escape")
    bar.wait_until("len(bpy.data.scenes) == 1")
    assert bar.run(USERS) == users
    assert bar.run("len(current_session().players.baked_of(rig)) + len(list(current_session().players))") == 0


def test_a_clip_that_takes_long_to_bake_is_played_once_it_is_done(bar):
    bar.run(MUCH_TO_BAKE.replace("60000", "3000"))
    # Progress is shown after the first step, however quick the machine is.
    bar.run(
        "from skinning_addon.ui.widgets import stepped_operator\nstepped_operator.SECONDS_WITHOUT_PROGRESS "
        "= 0.0"
    )
    # Asked before Blender turns to its next event: a quick machine is done soon after.
    play = (
        "with view3d(): bpy.ops.skinscope.mixer_play('INVOKE_DEFAULT')\nlen(list(current_session().players))"
    )
    assert bar.run(play, timeout=60) == 0
    bar.wait_until("len(list(current_session().players)) == 1", timeout=100)
    bar.run("stepped_operator.SECONDS_WITHOUT_PROGRESS = 0.5")
    bar.wait_until(f"{PLAYER}.controller.now > 0.1")
    assert bar.run("len(bpy.data.scenes)") == 1


def test_another_file_ends_baking(bar):
    bar.run(MUCH_TO_BAKE)
    bar.run("with view3d(): bpy.ops.skinscope.clips_bake('INVOKE_DEFAULT', every=True)", timeout=60)
    bar.run("bpy.ops.wm.read_homefile()")
    bar.screenshot(timeout=100)
    assert bar.run("len(bpy.data.scenes)") == 1
    assert bar.run("list(bpy.context.window_manager.windows[0].modal_operators)") == []


def test_an_action_deleted_while_it_plays_is_played_on(bar):
    bar.run(REFRESH + PLAY)
    bar.run("bpy.data.actions.remove(bpy.data.actions['Lean'])")
    before = bar.run(f"{PLAYER}.controller.now")
    bar.wait_until(f"{PLAYER}.controller.now > {before} + 0.2")
    assert bar.run(f"{PLAYER}.error") == ""


def test_disabling_the_extension_while_it_plays_ends_it(bar):
    users = bar.run(USERS)
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    bar.run(REFRESH + PLAY)
    bar.wait_until(f"{PLAYER}.controller.now > 0.1")
    bar.run("bpy.ops.preferences.addon_disable(module='bl_ext.user_default.skinscope')")
    try:
        # At rest: nothing asks for redraws any more.
        assert is_same_view(view.cut(bar.screenshot()), before)
        assert bar.run("list(bpy.context.window_manager.windows[0].modal_operators)") == []
    finally:
        bar.run("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.skinscope')")
    assert bar.run(USERS) == users


def test_an_armature_deleted_while_it_plays_ends_it(bar):
    bar.run(REFRESH + PLAY)
    bar.run("bpy.data.objects.remove(bpy.data.objects['Bar Rig'])")
    bar.wait_until("len(list(current_session().players)) == 0")


def test_a_file_saved_while_it_plays_goes_on_where_it_was(bar, tmp_path):
    file = str(tmp_path / "playing.blend")
    bar.run(REFRESH + PLAY)
    bar.wait_until(f"{PLAYER}.controller.now > 0.3")
    bar.run(FADE)
    bar.wait_until(f"{PLAYER}.controller.weight(1)[0] > 0.2")
    bar.run(
        "from skinning_addon.animation.plain_state import to_plain\n"
        f"player = {PLAYER}\n"
        f"bpy.ops.wm.save_as_mainfile(filepath={file!r})\n"
        "saved = to_plain(player.controller)"
    )
    saved = bar.run("saved")
    bar.run(f"bpy.ops.wm.open_mainfile(filepath={file!r})")
    assert bar.run("len(list(current_session().players))") == 0
    bar.run(
        "rig = bpy.data.objects['Bar Rig']\nbpy.context.view_layer.objects.active = rig\n"
        "with view3d(): bpy.ops.skinscope.mixer_play()\n"
        # Before the first turn of its clock.
        f"loaded = to_plain({PLAYER}.controller)"
    )
    assert bar.run("loaded") == saved
    bar.wait_until(f"{PLAYER}.controller.weight(0)[0] == 0")
