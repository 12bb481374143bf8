"""What pauses a preview or ends it: editing and deleting its object, another file, and Blender's own end."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from tests.windowed.console import console
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, SETTLED, START
from tests.windowed.view_pixels import Picture, ViewPixels, is_same_view, preview_mask

CHECK = "with view3d(): bpy.ops.skinscope.profile_check('INVOKE_DEFAULT')"
MODAL = "bpy.context.window_manager.windows[0].modal_operators"
STATUS_BAR = 22
"""Its height, in pixels."""


def test_edit_mode_pauses_it_and_says_so(bar):
    view = ViewPixels.of(bar)
    bar.run(START + "with view3d(): bpy.ops.object.mode_set(mode='EDIT')")
    assert not preview_mask(view.cut(bar.screenshot())).any()
    assert "Edit Mode" in bar.run("session.previews[0].paused")
    bar.run(
        "with view3d(): bpy.ops.mesh.select_all(); bpy.ops.mesh.subdivide(); "
        "bpy.ops.object.mode_set(mode='OBJECT')"
    )
    assert preview_mask(view.cut(bar.screenshot())).any()
    bar.wait_until(SETTLED)
    assert bar.run("session.previews[0].paused") == ""
    assert bar.run("figures()['relative']") < 1e-5


def test_a_deleted_object_pauses_its_preview_and_no_other_until_undo_brings_it_back(bar):
    view = ViewPixels.of(bar)
    bar.run(
        "other = bar.copy(); other.location.x = 1.5; bpy.context.scene.collection.objects.link(other)\n"
        "other.select_set(True)\n" + START + "with view3d(): bpy.ops.ed.undo_push(message='two')"
    )
    both = preview_mask(view.cut(bar.screenshot())).sum()
    paused = "[one.paused.partition(';')[0] for one in session.previews]"
    assert bar.run(paused) == ["", ""]
    bar.run("bpy.data.objects.remove(bar)\nwith view3d(): bpy.ops.ed.undo_push(message='one')")
    assert preview_mask(view.cut(bar.screenshot())).sum() == pytest.approx(both / 2, rel=0.05)
    assert bar.run(paused) == ["'Bar' is no longer in the file", ""]
    assert bar.run("[len(one.meshes_in_layers) for one in session.previews]") == [0, 1]
    bar.run("with view3d(): bpy.ops.ed.undo()")
    bar.wait_until(f"{paused} == ['', '']")
    assert preview_mask(view.cut(bar.screenshot())).sum() == pytest.approx(both, rel=0.01)


def test_another_file_ends_all_previews(bar):
    bar.run(START)
    bar.screenshot()
    bar.run("bpy.ops.wm.read_homefile(use_empty=False)")
    assert bar.run("len(session.previews)") == 0
    bar.screenshot()


def test_disabling_the_extension_takes_everything_away_and_enabling_brings_it_back(bar):
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    handlers = (
        "[len(getattr(bpy.app.handlers, name)) for name in sorted(dir(bpy.app.handlers)) if name[0] "
        "!= '_' and isinstance(getattr(bpy.app.handlers, name), list)]"
    )
    with_it = bar.run(handlers)
    bar.run(START)
    bar.screenshot()
    bar.run("bpy.ops.preferences.addon_disable(module='bl_ext.user_default.skinscope')")
    assert is_same_view(before, view.cut(bar.screenshot()))
    assert (
        bar.run("hasattr(bpy.types.Scene, 'skinscope') or hasattr(bpy.types, 'SKINSCOPE_PT_preview')")
        is False
    )
    assert sum(bar.run(handlers)) < sum(with_it)
    bar.run("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.skinscope')")
    assert bar.run(handlers) == with_it
    bar.run(BENDING_BAR)
    bar.run(START)
    assert preview_mask(view.cut(bar.screenshot())).any()


def status_bar(blender: WindowedBlender) -> Picture:
    """Take the status bar, with the mouse where it was each time: Blender lists the keys of what is below it."""
    for x in ("640", "644"):
        blender.xdotool("mousemove", x, "500")
    return blender.screenshot()[-STATUS_BAR:]


def test_disabling_the_extension_ends_a_check_that_is_under_way(bar):
    bar.run("bpy.context.scene.frame_end = 50_000")
    before = status_bar(bar)
    bar.run(CHECK)
    assert bar.run(f"[one.bl_idname for one in {MODAL}]") == ["SKINSCOPE_OT_profile_check"]
    assert bar.run("len(bpy.data.scenes)") == 2
    during = bar.screenshot(settled=False)[-STATUS_BAR:]
    assert not np.array_equal(during, before)
    bar.run("bpy.ops.preferences.addon_disable(module='bl_ext.user_default.skinscope')")
    try:
        assert bar.run("len(bpy.data.scenes)") == 1
        assert np.array_equal(status_bar(bar), before)
        # Until the next event Blender lists an operator whose class is gone.
        assert bar.run(f"len({MODAL})") == 0
    finally:
        bar.run("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.skinscope')")


def test_blender_quits_with_a_preview_on(blender):
    blender.run(BENDING_BAR + "\n" + START + "settings.display = 'DEVIATION'; settings.show_figures = True")
    blender.screenshot()
    # The driver quits Blender once its client is gone.
    blender.answers.close()
    blender.connection.shutdown(socket.SHUT_RDWR)
    assert blender.process.wait(timeout=60) == 0
    said = console(blender).lower()
    assert "error" not in said
    assert "traceback" not in said
