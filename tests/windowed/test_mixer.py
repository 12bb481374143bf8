"""The mixer as a person uses it: the preview moves, and nothing of the user's does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.windowed.harness import WindowedBlender, windowed_blender
from tests.windowed.view_pixels import ViewPixels, changed, is_same_view, preview_mask

BENDING_BAR = Path(__file__).with_name("bending_bar.py").read_text(encoding="utf-8")
LEAN = """\
# A second action of the same bones, which leans the other way.
bend = rig.animation_data.action
bend.name = 'Bend'
lean = bend.copy()
lean.name = 'Lean'
lean.use_fake_user = bend.use_fake_user = True
rig.animation_data.action = lean
for frame, angle in ((1, 0.0), (20, -0.9)):
    bone.rotation_quaternion = Quaternion((0, 0, 1), angle)
    bone.keyframe_insert('rotation_quaternion', frame=frame)
step = lean.pose_markers.new('step')
step.frame = 10
rig.animation_data.action = bend
bpy.context.scene.frame_set(7)
# A pose that has no key.
rig.pose.bones['lower'].rotation_mode = 'XYZ'
rig.pose.bones['lower'].rotation_euler = (0, 0, 0.25)
bpy.context.view_layer.update()
select_only(rig)
bpy.ops.ed.undo_push(message='Start')
"""
REFRESH = "with view3d(): bpy.ops.skinscope.clips_refresh()\n"
PLAY = "with view3d(): bpy.ops.skinscope.mixer_play()\n"
FADE = "with view3d(): bpy.ops.skinscope.mixer_fade()\n"
STOP = "with view3d(): bpy.ops.skinscope.mixer_stop()\n"
PLAYER = "next(iter(current_session().players))"
USERS = """\
rig = bpy.data.objects['Bar Rig']
[
    [list(row) for one in rig.pose.bones for row in one.matrix],
    list(rig.pose.bones['lower'].rotation_euler),
    bpy.context.scene.frame_current,
    rig.animation_data.action.name,
    sorted(one.name for one in bpy.data.actions),
    sorted(one.name for one in bpy.data.scenes),
    sorted(one.name for one in bpy.data.objects),
]"""


@pytest.fixture(scope="module")
def shared_blender(display: str, user_resources: Path) -> Iterator[WindowedBlender]:
    with windowed_blender(display, user_resources) as blender:
        yield blender


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """The bending bar with two actions, posed by hand at frame 7; nothing may go to the console meanwhile."""
    shared_blender.run(BENDING_BAR)
    shared_blender.run(LEAN)
    said_before = _console(shared_blender)
    yield shared_blender
    shared_blender.run("current_session().stop_all()")
    said = _console(shared_blender).removeprefix(said_before).lower()
    for word in ("error", "traceback", "warning", "exception"):
        assert word not in said, said


def _console(blender: WindowedBlender) -> str:
    return blender.console.read_text(encoding="utf-8", errors="replace")


def test_the_preview_plays_and_the_users_pose_and_frame_do_not(bar):
    users = bar.run(USERS)
    view = ViewPixels.of(bar)
    bar.run(REFRESH)
    assert bar.run("[one.name for one in rig.skinscope_animation.clips]") == ["Bend", "Lean"]
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
    bar.run(REFRESH + PLAY)
    bar.run("with view3d(): bpy.ops.screen.animation_play()")
    before = bar.run(f"{PLAYER}.controller.now")
    bar.wait_until(f"{PLAYER}.controller.now > {before} + 0.5")
    bar.run("with view3d(): bpy.ops.screen.animation_cancel(restore_frame=True)")
    assert bar.run(f"{PLAYER}.error") == ""


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
    # The list of clips is undone with it; what plays needs it no more.
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
    bar.run("with view3d(): bpy.ops.skinscope.mixer_play('INVOKE_DEFAULT')", timeout=60)
    assert bar.run("len(bpy.data.scenes)") == 2
    bar.screenshot(settled=False)
    bar.wait_until("len(list(current_session().players)) == 1", timeout=100)
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
