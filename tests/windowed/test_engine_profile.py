"""The Engine Profile panel as a user works with it: check, look, jump, select, fix; what it says matches what
Blender shows.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR

SHEARED = """\
# The upper bone turns below a parent that is scaled unevenly, and takes no scale from it: its local matrix shears.
rig.data.bones['upper'].inherit_scale = 'NONE'
lower = rig.pose.bones['lower']
lower.scale = (1.6, 1.0, 1.0)
lower.keyframe_insert('scale', frame=1)
bar.vertex_groups.new(name='left over').add([0, 1], 1.0, 'REPLACE')
scene = bpy.context.scene
scene.frame_set(4)
profiles = scene.skinscope.profiles
profiles.profile, profiles.second, profiles.scanned = 'threejs', 'unity-1', 'SCENE'
select_only(bar)
results = session.checks.results
results.clear()
rows = bpy.context.window_manager.skinscope_findings
with view3d() as area:
    area.spaces.active.show_region_ui = True
def finding(rule):
    found = results.of(scene.session_uid, profiles.profile).findings
    rows.active = [one.rule for one in found].index(rule)
    return results.of(scene.session_uid, profiles.profile).findings[rows.active]
bpy.ops.ed.undo_push(message='Start')
"""
CHECK = "with view3d(): bpy.ops.skinscope.profile_check('INVOKE_DEFAULT')"
CHECKED = "results.of(scene.session_uid, 'threejs') is not None"
USERS = """\
[
    [list(row) for one in rig.pose.bones for row in one.matrix],
    scene.frame_current,
    rig.animation_data.action.name,
    sorted(one.name for one in (*bpy.data.scenes, *bpy.data.objects, *bpy.data.meshes, *bpy.data.armatures)),
]"""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR)
    shared_blender.run(SHEARED)
    with no_complaint(shared_blender, ("traceback",)):
        yield shared_blender
        shared_blender.run("session.stop_all()")


def checked(bar: WindowedBlender) -> None:
    bar.run(CHECK, timeout=120)
    bar.wait_until(CHECKED, timeout=120)


def test_a_check_lists_findings_and_leaves_the_scene_alone(bar: WindowedBlender):
    before = bar.run(USERS)
    checked(bar)
    bar.screenshot()
    assert bar.run(USERS) == before
    found = bar.run("[one.rule for one in results.of(scene.session_uid, 'threejs').findings]")
    assert set(found) >= {"sheared-local-matrix", "groups-without-bone"}
    # Two engines side by side, from one scan.
    assert bar.run("results.of(scene.session_uid, 'unity-1') is not None")


def test_a_check_of_a_control_rig_in_pose_mode_changes_neither_mode_nor_tool_nor_undo(bar: WindowedBlender):
    # More bones than it is worth keeping in a copy, which are removed there, in Edit Mode.
    bar.run("""
with view3d():
    select_only(rig)
    bpy.ops.object.mode_set(mode='EDIT')
    for number in range(100):
        bone = rig.data.edit_bones.new(f'control {number}')
        bone.head, bone.tail = (number, 2, 0), (number, 2, 1)
    bpy.ops.object.mode_set(mode='POSE')
    bpy.ops.wm.tool_set_by_id(name='builtin.rotate')
bpy.ops.ed.undo_push(message='Controls')
rig['mark'] = 1
bpy.ops.ed.undo_push(message='Mark')
""")
    state = """[
    bpy.context.mode, bpy.context.view_layer.objects.active.name, len(rig.pose.bones), rig['mark'],
    bpy.context.workspace.tools.from_space_view3d_mode(bpy.context.mode).idname,
]"""
    before = bar.run(state), bar.run(USERS)
    assert before[0][0] == "POSE"
    checked(bar)
    bar.screenshot()
    assert (bar.run(state), bar.run(USERS)) == before
    bar.run("with view3d(): bpy.ops.ed.undo()")
    assert bar.run("('mark' in bpy.context.object, bpy.context.mode)") == [False, "POSE"]


def test_the_preview_shows_what_the_finding_says_at_its_worst_frame(bar: WindowedBlender):
    checked(bar)
    deviation = bar.run("finding('sheared-local-matrix').deviation")
    assert deviation > 0.01
    bar.run("with view3d(): bpy.ops.skinscope.finding_jump(); bpy.ops.skinscope.finding_show()")
    assert bar.run("scene.frame_current") == bar.run("finding('sheared-local-matrix').frame")
    bar.wait_until("figures()['settled'] and figures()['max'] is not None")
    # Read back from the GPU, and compared with Blender's evaluated mesh.
    assert bar.run("figures()['max']") == pytest.approx(deviation, rel=1e-3)
    bar.screenshot()
    bar.run("profiles.profile = 'blender'")
    bar.wait_until(
        "figures()['settled'] and figures()['relative'] is not None and figures()['relative'] < 1e-5"
    )


def test_a_finding_selects_its_vertices_and_a_fix_can_be_undone(bar: WindowedBlender):
    checked(bar)
    bar.run("finding('groups-without-bone')\nwith view3d(): bpy.ops.skinscope.finding_select()")
    assert bar.run("(bar.mode, bar.data.total_vert_sel)") == ["EDIT", 2]
    bar.run("with view3d(): bpy.ops.object.mode_set(mode='OBJECT'); bpy.ops.ed.undo_push(message='Before')")
    bar.run("with view3d(): bpy.ops.skinscope.fix_groups('EXEC_DEFAULT', True)", timeout=120)
    names = "[one.name for one in bpy.data.objects['Bar'].vertex_groups]"
    assert bar.run(names) == ["lower", "upper"]
    assert bar.run("results.outdated")
    bar.run("with view3d(): bpy.ops.ed.undo()")
    assert bar.run(names) == ["lower", "upper", "left over"]


def test_esc_ends_a_check_and_leaves_nothing_behind(bar: WindowedBlender):
    bar.run("scene.frame_end = 60000")
    before = bar.run(USERS)
    bar.run(CHECK, timeout=120)
    assert bar.run("len(bpy.data.scenes)") == 2
    bar.screenshot(settled=False)
    bar.xdotool("mousemove", "640", "400", "key", "Escape")
    bar.wait_until("len(bpy.data.scenes) == 1")
    assert bar.run(USERS) == before
    assert not bar.run(CHECKED)


TIMELINE = """\
window = bpy.context.window_manager.windows[0]
area = next(one for one in window.screen.areas if one.type == 'DOPESHEET_EDITOR')
region = next(one for one in area.regions if one.type == 'WINDOW')
with bpy.context.temp_override(window=window, area=area, region=region):
    bpy.ops.action.view_all()
"""
MARKS = """\
columns = [region.x + region.view2d.view_to_region(frame, 0, clip=False)[0] for frame in range(0, 24)]
scale = bpy.context.preferences.system.ui_scale
levels = results.of(scene.session_uid, 'threejs').frames['(scene)']
[columns, window.height - (region.y + region.height - 2 * scale),
 [int(levels.get(frame, 0)) for frame in range(0, 24)], len(scene.timeline_markers)]
"""


def test_deviating_frames_are_marked_in_the_timeline_and_nothing_is_written(bar: WindowedBlender):
    # Sheared for the last frames only.
    bar.run(
        "for frame, size in ((1, 1.0), (8, 1.0), (14, 1.6)):\n"
        "    lower.scale = (size, 1.0, 1.0)\n"
        "    lower.keyframe_insert('scale', frame=frame)\n"
        "bpy.ops.ed.undo_push(message='Keys')\n" + TIMELINE
    )
    checked(bar)
    picture = bar.screenshot()
    columns, row, levels, markers = bar.run(MARKS)
    assert markers == 0
    assert {0, 3} <= set(levels)
    for column, level in zip(columns, levels, strict=True):
        red, green, blue = picture[int(row), int(column)].astype(int)
        marked = red - blue > 80
        assert marked == (level >= 2), (column, level, (red, green, blue))
        if marked:
            assert (red - green > 80) == (level == 3)
    bar.run("settings.property_unset('show_previews'); profiles.profile = 'blender'")
    picture = bar.screenshot()
    assert all(
        int(picture[int(row), int(one), 0]) - int(picture[int(row), int(one), 2]) < 40 for one in columns
    )
