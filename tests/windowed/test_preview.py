"""The preview as a user sees it, in a real Blender window."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import indent

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import ASIDE, SETTLED, START, STOP
from tests.windowed.view_pixels import (
    ViewPixels,
    changed,
    is_same_view,
    preview_mask,
    solid_mask,
    too_much_mask,
)

EDIT_BONES = """\
select_only(rig)
bpy.ops.object.mode_set(mode='EDIT')
rig.data.edit_bones['upper'].head.x = 0.3
bpy.ops.object.mode_set(mode='OBJECT')"""


def assert_beside_blenders_own(blender: WindowedBlender, picture: np.ndarray) -> None:
    """Moved back by what it was moved aside, the preview covers Blender's own mesh, edges aside."""
    pixels_per_unit = blender.run(
        "with view3d() as area:\n"
        "    scale = bpy.context.region.width * area.spaces.active.region_3d.window_matrix[0][0] / 2\n"
        "scale"
    )
    pixels = ViewPixels.of(blender).cut(picture)
    preview = preview_mask(pixels)
    own = solid_mask(pixels) & ~preview
    assert own.sum() > 5_000
    moved_back = np.roll(preview, -round(1.5 * pixels_per_unit), axis=1)
    # Blender smooths edges when it is idle, the preview has none of that: a pixel's width all around.
    assert (moved_back ^ own).sum() < 0.08 * own.sum()


def test_it_is_drawn_follows_the_frame_and_is_gone_after_stop(bar):
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    assert not preview_mask(before).any()

    bar.run(START)
    in_place = view.cut(bar.screenshot())
    bar_pixels = preview_mask(in_place).sum()
    assert bar_pixels > 5_000
    # Nothing but the bar has changed, and of the bar next to nothing is left to Blender's own.
    assert changed(before, in_place) < 1.02 * bar_pixels

    bar.run(ASIDE)
    straight = bar.screenshot()
    assert_beside_blenders_own(bar, straight)
    bar.run("bpy.context.scene.frame_set(20)")
    bent = bar.screenshot()
    assert_beside_blenders_own(bar, bent)
    moved = preview_mask(view.cut(bent)) & ~preview_mask(view.cut(straight))
    assert moved.sum() > 0.2 * bar_pixels

    bar.run(f"{STOP}bpy.context.scene.frame_set(1)")
    assert is_same_view(before, view.cut(bar.screenshot()))


def test_while_the_armature_is_edited_it_shows_the_rest_pose_as_blender_does(bar):
    bar.run(START + ASIDE + "bpy.context.scene.frame_set(1)")
    straight = bar.screenshot()
    bar.run("bpy.context.scene.frame_set(20)")
    bent = bar.screenshot()
    bar.run("select_only(rig)\nbpy.ops.object.mode_set(mode='EDIT')")
    edited = bar.screenshot()
    view = ViewPixels.of(bar)
    bones_hide = 0.1 * preview_mask(view.cut(bent)).sum()
    assert (preview_mask(view.cut(edited)) ^ preview_mask(view.cut(straight))).sum() < bones_hide
    assert (preview_mask(view.cut(edited)) ^ preview_mask(view.cut(bent))).sum() > 2 * bones_hide
    bar.wait_until(SETTLED)
    assert bar.run("figures()")["relative"] < 1e-5
    bar.run("bpy.ops.object.mode_set(mode='POSE')")
    posed = bar.screenshot()
    bar.run("bpy.ops.object.mode_set(mode='OBJECT')")
    assert_beside_blenders_own(bar, bar.screenshot())
    assert (preview_mask(view.cut(posed)) ^ preview_mask(view.cut(bent))).sum() < bones_hide
    bar.wait_until(SETTLED)
    assert bar.run("figures()")["relative"] < 1e-5


def test_it_follows_playback_and_measures_the_last_frame_when_it_stops(bar):
    bar.run(START + ASIDE + "with view3d(): bpy.ops.screen.animation_play()")
    measured = set()
    for _ in range(4):
        time.sleep(0.4)
        assert_beside_blenders_own(bar, bar.screenshot(settled=False))
        measured.add(bar.run("figures()['frame']"))
    assert len(measured) > 1, "no figures during playback"
    bar.run("with view3d(): bpy.ops.screen.animation_cancel(restore_frame=False)")
    bar.wait_until(SETTLED)
    last = bar.run("figures()")
    assert last["frame"] == bar.run("bpy.context.scene.frame_current")
    assert last["relative"] < 1e-5


def test_it_follows_a_bone_that_is_posed(bar):
    bar.run(START + ASIDE + "rig.animation_data_clear()\nbone.rotation_quaternion = (0.9, 0, 0, -0.43)")
    picture = bar.screenshot()
    assert_beside_blenders_own(bar, picture)
    bar.wait_until(SETTLED)
    assert bar.run("figures()['relative']") < 1e-5


@pytest.mark.parametrize(
    "change",
    [
        "bar.vertex_groups['upper'].add(range(0, len(bar.data.vertices), 2), 0.5, 'REPLACE')",
        "bar.data.vertices[0].co.x += 0.3",
        "bar.vertex_groups['upper'].name = 'nobody'",
        "bpy.ops.object.vertex_group_remove()",
        "bar.modifiers['Armature'].use_deform_preserve_volume = True",
        "rig.data.bones['upper'].use_deform = False",
        EDIT_BONES,
        (
            "bar.shape_key_add(name='Basis'); key = bar.shape_key_add(name='Wide'); key.data[0].co.x -= 1; "
            "key.value = 0.5"
        ),
        "bar.modifiers.new('Thick', 'SUBSURF'); bar.modifiers.move(1, 0)",
        "rig.name = 'Someone else'; bar.name = 'Another'",
        "rig.location.x = 0.1; rig.scale.z = 0.9; bar.rotation_euler.y = 0.1",
    ],
)
def test_after_a_change_it_is_the_same_as_blenders_again(bar, change):
    bar.run(START + "bpy.context.scene.frame_set(15)")
    bar.wait_until(SETTLED)
    bar.run("with view3d():\n" + indent(change.replace("; ", "\n"), "    "))
    # Blender has redrawn what it redraws by itself.
    bar.run("None")
    bar.wait_until(f"{SETTLED} and figures()['relative'] < 1e-5")
    assert bar.run("session.previews[0].paused, session.previews[0].error") == ["", ""]


def test_switching_the_modifier_off_by_animation_is_followed(bar):
    bar.run(
        START
        + "bar.modifiers[0].show_viewport = True; bar.modifiers[0].keyframe_insert('show_viewport', frame=1)\n"
        "bar.modifiers[0].show_viewport = False; bar.modifiers[0].keyframe_insert('show_viewport', frame=10)\n"
        "bpy.context.scene.frame_set(12)"
    )
    view = ViewPixels.of(bar)
    # Off, it leaves the mesh at rest, and so does the preview; on again, it bends it.
    bar.wait_until(f"{SETTLED} and figures()['relative'] < 1e-5")
    straight = preview_mask(view.cut(bar.screenshot()))
    bar.run("bpy.context.scene.frame_set(9)")
    bar.wait_until(f"{SETTLED} and figures()['relative'] < 1e-5")
    bent = preview_mask(view.cut(bar.screenshot()))
    assert straight.any()
    assert (straight ^ bent).sum() > straight.sum() / 10


def test_where_the_object_is_not_to_be_seen_nothing_is_drawn(bar):
    view = ViewPixels.of(bar)
    bar.run(START)

    def is_seen() -> bool:
        return bool(preview_mask(view.cut(bar.screenshot())).any())

    assert is_seen()
    isolate = "with view3d(): bpy.ops.view3d.localview(frame_selected=False)"
    ways = {
        "bar.hide_set(True)": "bar.hide_set(False)",
        "bar.hide_viewport = True": "bar.hide_viewport = False",
        "space.overlay.show_overlays = False": "space.overlay.show_overlays = True",
        "space.show_object_viewport_mesh = False": "space.show_object_viewport_mesh = True",
        f"select_only(rig)\n{isolate}": isolate,
    }
    for hide, show in ways.items():
        bar.run(hide)
        assert not is_seen(), hide
        bar.run(show)
        assert is_seen(), show


def test_undo_takes_back_what_it_should_and_nothing_else(bar):
    bar.run(START + ASIDE + "with view3d(): bpy.ops.ed.undo_push(message='start')")
    bar.run(
        "bone.keyframe_delete('rotation_quaternion', frame=20)\nwith view3d(): "
        "bpy.ops.ed.undo_push(message='key')"
    )
    bar.run("with view3d(): bpy.ops.ed.undo()\nbpy.context.scene.frame_set(20)")
    assert_beside_blenders_own(bar, bar.screenshot())
    bar.wait_until(SETTLED)
    assert bar.run("figures()['relative']") < 1e-5


def test_figures_are_of_what_the_view_shows(bar):
    view = ViewPixels.of(bar)
    bar.run(START + "settings.show_figures = True")
    bar.wait_until(SETTLED)
    hidden = (
        "from bl_ext.user_default.skinscope.skinning_addon.ui.widgets.focus import hidden_in\n"
        "with view3d():\n    out = [name for name in ('Bar',) if bpy.data.objects[name].session_uid in "
        "hidden_in(bpy.context)]\nout"
    )
    lower_left = (slice(view.height * 3 // 4, None), slice(0, view.width // 3))
    shown = view.cut(bar.screenshot())[lower_left]
    assert bar.run(hidden) == []
    isolate = "with view3d(): bpy.ops.view3d.localview(frame_selected=False)"
    for hide, show in (
        ("bar.hide_set(True)", "bar.hide_set(False)"),
        (f"select_only(rig)\n{isolate}", isolate),
    ):
        bar.run(hide)
        assert bar.run(hidden) == ["Bar"], hide
        # The words are the lightest there is in that corner.
        assert view.cut(bar.screenshot())[lower_left].max() < shown.max() - 30, hide
        bar.run(show)
        assert bar.run(hidden) == [], show


def test_the_heat_map_shows_where_it_is_off(bar):
    view = ViewPixels.of(bar)
    bar.run(START + "settings.display = 'DEVIATION'; settings.show_figures = True; settings.threshold = 0.05")
    exact = view.cut(bar.screenshot())
    bar_columns = slice(view.width // 4, view.width * 3 // 4)
    assert not too_much_mask(exact)[:, bar_columns].any()
    # Between two armatures: there alone a modifier is neither read beforehand nor left out of the comparison.
    bar.run(
        "bar.modifiers.new('Cast', 'CAST').factor = 0.3\nbar.modifiers.new('Again', 'ARMATURE').object = rig"
    )
    hot = view.cut(bar.screenshot())
    assert too_much_mask(hot)[:, bar_columns].sum() > 500
    bar.wait_until(SETTLED)
    assert bar.run("figures()['max']") > 0.1
    assert "Cast" in bar.run("session.previews[0].binding.reasons[0].message")


def test_two_windows_with_two_scenes_each_show_their_own_pose(bar):
    bar.run(
        START + "other = bpy.data.scenes.new('Other')\n"
        "for one in (bar, rig): other.collection.objects.link(one)\n"
        "with view3d(): bpy.ops.wm.window_new_main()\n"
        "bpy.context.window_manager.windows[-1].scene = other\n"
        "other.frame_set(20)"
    )
    bar.wait_until("len(session.previews[0]._meshes_in_layers) == 2")
    bar.wait_until(
        "all(one.figures and one.figures_due is None for one in session.previews[0]._meshes_in_layers.values())"
    )
    measured = bar.run(
        "[(one.figures.frame, one.figures.deviation.relative) for one in "
        "session.previews[0]._meshes_in_layers.values()]"
    )
    bar.run(
        "with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]): "
        "bpy.ops.wm.window_close()\nbpy.data.scenes.remove(other)"
    )
    assert [frame for frame, _ in measured] == [1.0, 20.0]
    assert max(relative for _, relative in measured) < 1e-5


def test_quad_view_shows_it_four_times(bar):
    view = ViewPixels.of(bar)
    bar.run(START + "settings.show_figures = True\nwith view3d() as area: bpy.ops.screen.region_quadview()")
    quarters = preview_mask(view.cut(bar.screenshot()))
    middle_x, middle_y = view.width // 2, view.height // 2
    for rows in (slice(0, middle_y), slice(middle_y, None)):
        for columns in (slice(0, middle_x), slice(middle_x, None)):
            assert quarters[rows, columns].sum() > 200
    bar.run("with view3d() as area: bpy.ops.screen.region_quadview()")


@pytest.mark.parametrize("more", ["", ", modifiers=2, mask=True"])
def test_bendy_bones_and_preserve_volume_are_exact_on_this_gpu(bar: WindowedBlender, more: str) -> None:
    rigs = (Path(__file__).parents[1] / "scene" / "random_rig.py").read_text(encoding="utf-8")
    bar.run(
        f"rigs = {{'__name__': '__main__'}}; exec({rigs!r}, rigs)\n"
        f"rig = rigs['random_rig'](rigs['RigOptions'](bendy=4, handles='MIXED', preserve_volume=True, "
        f"seed=5{more}))\n"
        "select_only(rig.mesh)\n" + START
    )
    for _ in range(3):
        bar.run("rig.pose()")
        bar.wait_until(SETTLED)
        assert 0 < bar.run("figures()['relative']") <= 1e-5
