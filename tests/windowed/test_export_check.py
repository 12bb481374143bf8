"""Check My Export as a user works with it: press the button, read the panel, jump, or press Esc."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, SHEARED

CHECKED = """\
scene.frame_set(4)
scene.skinscope.export_check.exporter = 'gltf'
select_only(bar)
exports = session.checks.exports
exports.clear()
with view3d() as area:
    area.spaces.active.show_region_ui = True
    side_bar = next(one for one in area.regions if one.type == 'UI')
bpy.ops.ed.undo_push(message='Start')
"""
OPEN_TAB = "side_bar.active_panel_category = 'Skinscope'\nside_bar.tag_redraw()"
PREFERENCES = """\
from skinning_addon.viewport.choices.preferences import ADD_ON
preferences = bpy.context.preferences.addons[ADD_ON].preferences
"""
CHECK = "with view3d(): bpy.ops.skinscope.export_check('INVOKE_DEFAULT')"
INFO_LOG = """
with view3d() as area:
    area.type = "INFO"
    log = next(one for one in area.regions if one.type == "WINDOW")
    with bpy.context.temp_override(area=area, region=log):
        bpy.ops.info.select_all(action="SELECT")
        bpy.ops.info.report_copy()
    area.type = "VIEW_3D"
bpy.context.window_manager.clipboard
"""
"""What the Info editor lists: reports that the status bar has shown."""
VERDICT = "exports.of(scene.session_uid)"
USERS = "[scene.frame_current, bpy.data.filepath, sorted(one.name for one in bpy.data.objects)]"


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR)
    shared_blender.run(SHEARED)
    shared_blender.run(CHECKED)
    with no_complaint(shared_blender, ("traceback",)):
        yield shared_blender


def test_the_panel_says_what_the_file_holds(bar: WindowedBlender):
    before = bar.run(USERS)
    # The tab can be chosen once the sidebar has been drawn.
    bar.screenshot()
    bar.run(OPEN_TAB)
    bar.run(CHECK, timeout=120)
    bar.wait_until(f"{VERDICT} is not None", timeout=180)
    assert bar.run(USERS) == before
    worst = bar.run(f"(lambda one: [one.object, one.worst.max, one.worst.frame])({VERDICT}.worst_mesh)")
    assert worst[0] == "Bar"
    assert worst[1] > 0.01
    rules = bar.run(f"[one.rule for one in {VERDICT}.report.findings]")
    assert "sheared-local-matrix" in rules
    bar.run("with view3d(): bpy.ops.skinscope.export_jump()")
    assert bar.run("scene.frame_current") == worst[2]
    bar.screenshot()
    # It is old once the rig has changed since, and not once that is undone.
    bar.run("bpy.ops.ed.undo_push(message='Checked')")
    bar.run("bar.vertex_groups['upper'].add([0], 0.3, 'REPLACE')\nbar.data.update()")
    bar.run("bpy.ops.ed.undo_push(message='Weighted')")
    bar.wait_until(f"{VERDICT}.outdated")
    bar.screenshot()
    bar.run("with view3d(): bpy.ops.ed.undo()")
    bar.wait_until(f"not {VERDICT}.outdated")


def test_every_export_is_checked_if_the_user_wants_that(bar: WindowedBlender, tmp_path: Path):
    bar.run(PREFERENCES)
    export = f"with view3d(): bpy.ops.export_scene.gltf(filepath={str(tmp_path / 'bar.glb')!r})"
    bar.run(export, timeout=120)
    bar.run("preferences.check_exports = True")
    # A bar is written in no time, of which a fifth would be too little for a first look.
    bar.run("from skinning_addon.ui.engine import export_watch\nexport_watch.SHARE = 50.0")
    bar.run("pose = [tuple(one.rotation_quaternion) for one in rig.pose.bones]")
    before, told_before = bar.run(USERS), bar.run(INFO_LOG)
    try:
        bar.run(export, timeout=120)
        bar.wait_until("exports.first(scene.session_uid) is not None", timeout=60)
        seen = bar.run(
            "(lambda one: [one.object, one.distance, one.frame])(exports.first(scene.session_uid))"
        )
        bar.screenshot(settled=False)
        assert bar.run(USERS) == before
        assert bar.run("pose == [tuple(one.rotation_quaternion) for one in rig.pose.bones]")
        bar.wait_until(f"{VERDICT} is not None", timeout=180)
    finally:
        bar.run("preferences.check_exports = False\nexport_watch.SHARE = 0.16")
    worst = bar.run(f"(lambda one: [one.object, one.worst.max, one.worst.frame])({VERDICT}.worst_mesh)")
    assert (seen[0], seen[2]) == (worst[0], worst[2])
    assert seen[1] == pytest.approx(worst[1], rel=1e-5)
    assert worst[1] > 0.01
    assert bar.run("exports.first(scene.session_uid) is None")
    # Both messages are reports, shown in the status bar: the second only if it says something else.
    told = bar.run(INFO_LOG).removeprefix(told_before)
    assert told.count("the full check is running") == 1
    assert told.count("in the exported glTF file at frame") == 0


def test_esc_ends_the_export(bar: WindowedBlender):
    bar.run(CHECK, timeout=120)
    bar.xdotool("mousemove", "640", "400", "key", "Escape")
    bar.wait_until(
        "not any(one.bl_idname == 'SKINSCOPE_OT_export_check' for one in bpy.context.window.modal_operators)"
    )
    assert bar.run(f"{VERDICT} is None")
