"""Bones that are shown in front stay visible over a preview, as over Blender's own mesh."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, START, STOP
from tests.windowed.view_pixels import ViewPixels

POSING = """\
settings.property_unset('placement'); settings.property_unset('split'); settings.blender_mesh = 'HIDDEN'
space.show_region_ui = False; space.shading.type = 'SOLID'; space.overlay.show_bones = True
bpy.context.preferences.system.viewport_aa = 'FXAA'
rig.show_in_front = True
bpy.context.scene.frame_set(20)
select_only(rig)
with view3d(): bpy.ops.object.mode_set(mode='POSE')
bones = rig.data.bones if hasattr(rig.data.bones[0], 'select') else rig.pose.bones
for one in bones: one.select = False
"""

WHAT_THE_VIEW_SHOWS = """\
[[name, getattr(owner, name)] for owner in (space, space.overlay) for name in dir(owner) if name.startswith('show_')]
"""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR + POSING)
    with no_complaint(shared_blender):
        yield shared_blender
        shared_blender.run(
            "with view3d(): bpy.ops.object.mode_set(mode='OBJECT')\nspace.show_gizmo = False"
            "\nsettings.property_unset('split')"
        )


def seen(blender: WindowedBlender) -> NDArray[np.int16]:
    return ViewPixels.of(blender).cut(blender.screenshot())


def whole(blender: WindowedBlender) -> NDArray[np.int16]:
    """Take a picture of all regions of the 3D view: in quad view there are four."""
    left, top, width, height = blender.run(
        "with view3d() as area:\n"
        "    parts = [one for one in area.regions if one.type == 'WINDOW']\n"
        "    x, y = min(one.x for one in parts), min(one.y for one in parts)\n"
        "    right, top = max(one.x + one.width for one in parts), max(one.y + one.height for one in parts)\n"
        "    top = min([top, *(one.y for one in area.regions if one.alignment == 'TOP' and one.height > 1)])\n"
        "    box = x, bpy.context.window.height - top, right - x, top - y\n"
        "box"
    )
    return blender.screenshot()[top : top + height, left : left + width].astype(np.int16)


def assert_bones_are_seen(blender: WindowedBlender, start: str, *, as_blenders: bool = True) -> None:
    """Where Blender shows bones, the preview has to show them, too; and nothing is drawn while nothing happens.

    as_blenders: whether they have Blender's colors, as where nothing behind them shines through.
    """
    wanted = whole(blender)
    blender.run("space.overlay.show_bones = False")
    marked = np.abs(wanted - whole(blender)).max(axis=2) > 8
    blender.run("space.overlay.show_bones = True\n" + start)
    found = whole(blender)
    blender.run("space.overlay.show_bones = False")
    bare = whole(blender)
    blender.run("space.overlay.show_bones = True")
    assert marked.sum() > 1_000
    seen_there = np.abs(found - bare).max(axis=2)[marked]
    alike = np.abs(found - wanted).max(axis=2)[marked]
    assert (seen_there > 4).mean() > 0.9, "without bones the preview looks the same"
    # Their outlines are smoothed against what is behind them.
    assert not as_blenders or (np.median(alike) <= 2 and (alike < 40).mean() > 0.85)
    blender.run(
        "draws = [0]\n"
        "def count(): draws[0] += 1\n"
        "handle = bpy.types.SpaceView3D.draw_handler_add(count, (), 'WINDOW', 'POST_PIXEL')"
    )
    whole(blender)
    blender.run("draws[0] = 0")
    time.sleep(2)
    drawn = blender.run("draws[0]")
    blender.run("bpy.types.SpaceView3D.draw_handler_remove(handle, 'WINDOW')\n" + STOP)
    assert drawn == 0


def bones_of(blender: WindowedBlender) -> NDArray[np.bool_]:
    """Mark the pixels where Blender shows bones over its own mesh, without a preview."""
    with_bones = seen(blender)
    blender.run("space.overlay.show_bones = False")
    without = seen(blender)
    blender.run("space.overlay.show_bones = True")
    return np.abs(with_bones - without).max(axis=2) > 8


def test_bones_look_as_over_blenders_mesh(bar: WindowedBlender) -> None:
    wanted, marked = seen(bar), bones_of(bar)
    assert marked.sum() > 1_000
    bar.run(START)
    found = seen(bar)
    # Bones are smoothed against what is behind them, so their edges differ: the mesh is gray, the preview blue.
    off = np.abs(found - wanted).max(axis=2)[marked]
    assert np.median(off) <= 2
    assert (off < 40).mean() > 0.95
    bar.run("rig.show_in_front = False")
    covered = np.abs(seen(bar) - wanted).max(axis=2)[marked]
    assert (covered > 40).mean() > 0.3, "a bone that is not in front is inside the mesh"


def test_bones_follow_the_pose_at_once_and_rest_when_it_does(bar: WindowedBlender) -> None:
    bar.run(START)
    seen(bar)
    bar.run("rig.pose.bones[-1].rotation_mode = 'XYZ'; rig.pose.bones[-1].rotation_euler = (0, 0, 0.7)")
    found = seen(bar)
    bar.run(STOP)
    marked = bones_of(bar)
    wanted = seen(bar)
    assert (np.abs(found - wanted).max(axis=2)[marked] < 40).mean() > 0.95
    bar.run(
        START + "draws = [0]\n"
        "def count(): draws[0] += 1\n"
        "handle = bpy.types.SpaceView3D.draw_handler_add(count, (), 'WINDOW', 'POST_PIXEL')"
    )
    seen(bar)
    bar.run("draws[0] = 0")
    time.sleep(2)
    assert bar.run("draws[0]") == 0
    bar.run("bpy.types.SpaceView3D.draw_handler_remove(handle, 'WINDOW')")


def test_playback_draws_each_frame_once_and_stopping_brings_gizmos_back(bar: WindowedBlender) -> None:
    bar.run(
        START + "seen = dict(draws=0, frames=0)\n"
        "def count_draw(): seen['draws'] += 1\n"
        "def count_frame(*_): seen['frames'] += 1\n"
        "handle = bpy.types.SpaceView3D.draw_handler_add(count_draw, (), 'WINDOW', 'POST_PIXEL')\n"
        "bpy.app.handlers.frame_change_post.append(count_frame)"
    )
    seen(bar)
    bar.run("with view3d(): bpy.ops.screen.animation_play()\nseen.update(draws=0, frames=0)")
    bar.wait_until("seen['frames'] >= 12", timeout=120)
    draws, frames = bar.run("[seen['draws'], seen['frames']]")
    assert draws <= 1.2 * frames
    bar.run("with view3d(): bpy.ops.screen.animation_play()\nseen.update(draws=0)")
    bar.wait_until("seen['draws'] >= 1")
    bar.run(
        "bpy.app.handlers.frame_change_post.remove(count_frame)\n"
        "bpy.types.SpaceView3D.draw_handler_remove(handle, 'WINDOW')"
    )


def test_the_3d_cursor_is_seen_in_a_preview_as_without(bar: WindowedBlender) -> None:
    """With nothing else in front; where it is an overlay, the preview would cover it."""
    bar.run(
        "with view3d(): bpy.ops.object.mode_set(mode='OBJECT')\n"
        "rig.show_in_front = False; space.overlay.show_bones = False; rig.select_set(False)\n"
        "bpy.context.scene.cursor.location = (0, 0, 1)"
    )
    without, with_cursor = [], []
    for start in ("", START):
        bar.run(start + "\nspace.overlay.show_cursor = False")
        without.append(seen(bar))
        bar.run("space.overlay.show_cursor = True")
        with_cursor.append(seen(bar))
    marked = np.abs(with_cursor[0] - without[0]).max(axis=2) > 40
    assert marked.sum() > 100
    in_preview = np.abs(with_cursor[1] - without[1]).max(axis=2)[marked]
    assert (in_preview > 20).mean() > 0.8
    bar.run(
        "bpy.context.scene.cursor.location = (0, 0, 0); space.overlay.show_bones = True; rig.show_in_front = True\n"
        + STOP
    )


def test_the_view_keeps_its_settings(bar: WindowedBlender) -> None:
    bar.run("space.show_object_viewport_light = False; space.overlay.show_cursor = False")
    before = bar.run(WHAT_THE_VIEW_SHOWS)
    bar.run(START)
    seen(bar)
    assert bar.run(WHAT_THE_VIEW_SHOWS) == before
    bar.run("space.show_object_viewport_light = True")


def test_gizmos_stay_above_bones(bar: WindowedBlender) -> None:
    bar.run(
        "bones[-1].select = True; rig.data.bones.active = rig.data.bones[-1]\n"
        "space.show_gizmo = True; space.show_gizmo_navigate = False\n"
        "with view3d(): bpy.ops.wm.tool_set_by_id(name='builtin.rotate')\n" + START
    )
    wanted = seen(bar)
    bar.run("space.show_gizmo = False")
    without = seen(bar)
    gizmo = np.abs(wanted - without).max(axis=2) > 60
    assert gizmo.sum() > 500
    bar.run("space.show_gizmo = True\n" + STOP)
    over_blenders = seen(bar)
    # Rings are translucent in part: colored strongly in both.
    strong = gizmo & (np.ptp(over_blenders, axis=2) > 120)
    assert (np.ptp(wanted, axis=2)[strong] > 90).mean() > 0.95


PLACEMENTS = {
    "in place": "settings.placement = 'IN_PLACE'\n",
    # Before the rig, as the view sees it: beside it, a preview covers no bone.
    "aside": "settings.placement = 'ASIDE'; settings.axis = 'Y'; settings.distance = -0.5\n",
    "split, in Blender's part": "settings.placement = 'SPLIT'\n",
    "split, in the preview's part": "settings.placement = 'SPLIT'; settings.split = 0.2\n",
}


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_bones_are_seen_in_every_placement(bar: WindowedBlender, placement: str) -> None:
    assert_bones_are_seen(bar, PLACEMENTS[placement] + START)


def test_bones_are_seen_with_x_ray(bar: WindowedBlender) -> None:
    bar.run("space.shading.show_xray = True; space.shading.xray_alpha = 0.5")
    try:
        assert_bones_are_seen(bar, START, as_blenders=False)
    finally:
        bar.run("space.shading.show_xray = False")


def test_bones_are_seen_in_quad_view(bar: WindowedBlender) -> None:
    bar.run("with view3d(): bpy.ops.screen.region_quadview()\nwith view3d(): bpy.ops.view3d.view_all()")
    try:
        assert_bones_are_seen(bar, START)
    finally:
        bar.run("with view3d(): bpy.ops.screen.region_quadview()")


def test_the_picture_has_blender_evaluate_nothing(bar: WindowedBlender) -> None:
    bar.run(START)
    seen(bar)
    bar.run(
        "updates = []\n"
        "def count_update(*_): updates.append(1)\n"
        "bpy.app.handlers.depsgraph_update_post.append(count_update)\n"
        "from skinning_addon.viewport.overlay import bones_in_front\n"
        "made, draw_view = [], bones_in_front._draw_view\n"
        "def count_picture(*what):\n"
        "    made.append(1)\n"
        "    return draw_view(*what)\n"
        "bones_in_front._draw_view = count_picture\n"
        "space.region_3d.view_distance *= 0.9"
    )
    seen(bar)
    updates, made = bar.run("[len(updates), len(made)]")
    bar.run(
        "bones_in_front._draw_view = draw_view\nbpy.app.handlers.depsgraph_update_post.remove(count_update)\nspace.region_3d.view_distance /= 0.9"
    )
    assert made >= 1
    assert updates == 0


def test_bones_are_seen_in_an_area_that_was_another_editor(bar: WindowedBlender) -> None:
    """It keeps that editor's settings beside those of the view."""
    bar.run("with view3d() as area:\n    area.type = 'NODE_EDITOR'\n    area.type = 'VIEW_3D'")
    before = bar.run(WHAT_THE_VIEW_SHOWS)
    assert bar.run("with view3d() as area: kinds = [one.type for one in area.spaces]\nkinds") == [
        "VIEW_3D",
        "NODE_EDITOR",
    ]
    assert_bones_are_seen(bar, START)
    assert bar.run(WHAT_THE_VIEW_SHOWS) == before
