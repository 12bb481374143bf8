"""Make Game-Ready Copy as a user works with it: in Pose Mode, with progress, and Ctrl Z afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.hour.artist import Artist
from tests.windowed.scenes import BENDING_BAR, SHEARED

FOR_THREEJS = """\
scene.skinscope.profiles.profile = 'threejs'
select_only(rig)
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.ed.undo_push(message='Start')
"""
COPY = "with view3d(): bpy.ops.skinscope.game_ready_copy('INVOKE_DEFAULT', True)"
NAMES = "sorted(one.name for one in bpy.data.objects)"
SHOWN = "sorted(one.name for one in bpy.context.scene.objects if one.visible_get())"
FITS = "__import__('pathlib').Path(__import__('tempfile').gettempdir()).glob('skinscope-fit-*')"
RUNNING = "any(one.bl_idname == 'SKINSCOPE_OT_game_ready_copy' for one in bpy.context.window.modal_operators)"
MODES = "[bpy.data.objects['Bar Rig'].mode, sorted(one.name for one in bpy.data.scenes)]"
PARENTS = "[(one.name, one.parent.name if one.parent else '') for one in bpy.data.objects['Bar Rig game-ready'].data.bones]"

PREVIEW = """\
with view3d():
    bpy.ops.skinscope.game_ready_preview('INVOKE_DEFAULT', True, which='{}')
"""
STAND_IN = """\
[[one.name for one in bpy.data.objects if one.session_uid == preview.uid]
 + [preview.authored.object.name if preview.authored else ''] for preview in session.previews]
"""
USED = "[one.fit_weights for one in bpy.context.window_manager.operators if one.bl_idname == 'SKINSCOPE_OT_game_ready_copy']"
CHECKBOX_FROM_MOUSE = (177, 52)
"""Pixels from the mouse to the first checkbox of Adjust Last Operation, if there is one."""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR)
    shared_blender.run(SHEARED)
    shared_blender.run(FOR_THREEJS)
    with no_complaint(shared_blender, ("traceback",)):
        yield shared_blender
        shared_blender.run("bpy.ops.object.mode_set(mode='OBJECT') if bpy.context.object else None")


def test_the_copy_is_made_beside_the_original_and_one_undo_takes_it_away(bar: WindowedBlender):
    assert bar.run(NAMES) == ["Bar", "Bar Rig"]
    before = bar.run(MODES)
    bar.run(COPY, timeout=120)
    bar.wait_until(
        "'Bar Rig game-ready' in bpy.data.objects and bpy.context.view_layer.objects.active.name == 'Bar Rig game-ready'",
        timeout=180,
    )
    assert bar.run(NAMES) == ["Bar", "Bar Rig", "Bar Rig game-ready", "Bar game-ready"]
    bar.screenshot()
    assert bar.run(MODES) == before
    # The bone that would be sheared hangs on none.
    assert bar.run(PARENTS) == [["lower", ""], ["upper", ""]]
    # Both are at one place, where they would flicker.
    assert bar.run(SHOWN) == ["Bar Rig game-ready", "Bar game-ready"]
    bar.run("for one in scene.objects:\n    one.hide_set(False)")
    copy = "bpy.data.objects['{}'].evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices"
    apart = bar.run(
        f"scene.frame_set(10)\nmax((a.co - b.co).length for a, b in zip({copy.format('Bar')}, {copy.format('Bar game-ready')}))"
    )
    assert apart < 1e-5
    bar.run("with view3d(): bpy.ops.ed.undo()")
    assert bar.run(NAMES) == bar.run(SHOWN) == ["Bar", "Bar Rig"]


def test_esc_ends_the_fit_and_the_other_blender(bar: WindowedBlender):
    before = bar.run(NAMES)
    kept = bar.run(f"len(list({FITS}))")
    bar.run(COPY, timeout=120)
    bar.wait_until(f"len(list({FITS})) > {kept}")
    bar.xdotool("mousemove", "640", "400", "key", "Escape")
    bar.wait_until(f"not {RUNNING}")
    assert bar.run(NAMES) == before
    assert bar.run(f"len(list({FITS}))") == kept


def test_an_armature_that_is_switched_off_is_copied_and_both_are_found_by_other_names(bar: WindowedBlender):
    bar.run(
        "bpy.ops.object.mode_set(mode='OBJECT')\nselect_only(bpy.data.objects['Bar'])\nrig.hide_viewport = True"
    )
    bar.run("bpy.ops.ed.undo_push(message='Off')")
    bar.run(COPY.replace("True)", "True, fit_weights=False)"), timeout=120)
    bar.wait_until("'Bar Rig game-ready' in bpy.data.objects and not " + RUNNING, timeout=60)
    assert bar.run(SHOWN) == ["Bar Rig game-ready", "Bar game-ready"]
    bar.run(
        "for one in bpy.data.objects:\n    one.name = one.name.replace('Bar', 'Hero')\n"
        "bpy.data.collections['Bar Rig game-ready'].name = 'Export'\nbpy.ops.ed.undo_push(message='Rename')"
    )
    for step in ("undo", "undo", "redo", "redo"):
        bar.run(f"with view3d(): bpy.ops.ed.{step}()")
    bar.run(PREVIEW.format("ORIGINAL"))
    bar.wait_until("len(session.previews) == 1")
    # The armature stays as it was.
    assert (bar.run(SHOWN), bar.run(STAND_IN)) == (["Hero"], [["Hero", ""]])
    bar.run(PREVIEW.format("COPY"))
    bar.wait_until("[one for one in session.previews if one.authored]")
    assert bar.run(STAND_IN) == [["Hero game-ready", "Hero"]]
    bar.screenshot()
    bar.run("session.stop_all()")


def test_f9_starts_no_other_fit(bar: WindowedBlender):
    """Blender would do it at once there: without progress, and Esc would not end it."""
    bar.run(COPY.replace("True)", "True, fit_weights=False)"), timeout=120)
    bar.wait_until("'Bar Rig game-ready' in bpy.data.objects and not " + RUNNING, timeout=60)
    bar.screenshot(keep=False)
    artist = Artist(bar)
    artist.press("F9")
    bar.screenshot()
    x, y = artist.region().at(0.4, 0.5)
    artist.click(x + CHECKBOX_FROM_MOUSE[0], y + CHECKBOX_FROM_MOUSE[1])
    bar.screenshot()
    assert bar.run(USED)[-1] is False
