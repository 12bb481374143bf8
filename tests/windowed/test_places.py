"""Where previews are drawn: beside the character in any view, and in place without being cut through or covering
what is painted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, START
from tests.windowed.view_pixels import ViewPixels, is_same_view, preview_mask

PREPARE = """\
settings.property_unset('blender_mesh'); settings.profiles.property_unset('profile')
space.shading.type = 'SOLID'; space.show_region_ui = False
bpy.context.preferences.system.viewport_aa = 'FXAA'
bpy.context.scene.frame_set(20)
"""

FREE = """\
with view3d() as area:
    regions = {one.type: one for one in area.regions}
    window, side = regions['WINDOW'], regions['UI']
(window.width - (side.width if space.show_region_ui else 0)) / window.width
"""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    shared_blender.run(BENDING_BAR + PREPARE)
    with no_complaint(shared_blender):
        yield shared_blender
        shared_blender.run(
            "if bpy.context.object.mode != 'OBJECT':\n    bpy.ops.object.mode_set(mode='OBJECT')"
        )


def blue(blender: WindowedBlender) -> NDArray[np.bool_]:
    return preview_mask(ViewPixels.of(blender).cut(blender.screenshot()))


def test_in_place_neither_cuts_through_the_other(bar: WindowedBlender) -> None:
    bar.run(
        START + "settings.profiles.profile = 'unity-1'; settings.blender_mesh = 'HIDDEN'; select_only(rig)\n"
        "from mathutils import Euler\n"
        "space.region_3d.view_rotation = Euler((0.9, 0, 0.8)).to_quaternion()"
    )
    alone = blue(bar)
    assert bar.run("figures()['max']") > 0.05, "an engine that takes one influence bends it differently"
    bar.run("settings.blender_mesh = 'SHOWN'")
    both = blue(bar)
    assert alone.sum() > 5_000
    assert (alone & ~both).sum() < 50


@pytest.mark.parametrize(
    ("place", "distance", "sidebar"),
    [((0.3, 0, 1), 6, False), ((0.3, 0, 1), 6, True), ((-2.6, 0, 1), 9, True), ((0.3, 0, 1), 4, True)],
)
def test_aside_is_always_in_view(
    bar: WindowedBlender, place: tuple[float, float, float], distance: float, sidebar: bool
) -> None:
    bar.run(
        START + f"space.show_region_ui = {sidebar}; settings.blender_mesh = 'HIDDEN'; select_only(rig)\n"
        f"view = space.region_3d; view.view_location, view.view_distance = {place}, {distance}"
    )
    in_place = blue(bar)
    bar.run("settings.blender_mesh = 'SHOWN'; settings.placement = 'ASIDE'")
    aside = blue(bar)
    free = round(bar.run(FREE) * aside.shape[1]) - 16
    assert aside.sum() > 0.95 * in_place[:, :free].sum()
    columns = np.flatnonzero(aside[:, :free].any(axis=0))
    assert columns.min() > 2
    assert columns.max() < free - 2


def test_the_view_says_so_if_it_has_too_little_room_aside(bar: WindowedBlender) -> None:
    bar.run(
        "import blf\nsaid, draw = [], blf.draw\n"
        "blf.draw = lambda font, text, **options: (said.append(text), draw(font, text, **options))[1]"
    )
    try:
        bar.run(
            START + "space.show_region_ui = True; settings.placement = 'ASIDE'\n"
            "space.region_3d.view_location = (0, 0, 1)"
        )
        for distance, is_tight in ((0.8, True), (14, False)):
            bar.run(f"space.region_3d.view_distance = {distance}")
            bar.screenshot()
            # What follows is one drawing of the whole view.
            bar.run("said.clear(); area.tag_redraw()")
            bar.screenshot()
            assert bar.run("'No room aside: zoom out to see both apart' in said") is is_tight, distance
    finally:
        bar.run("blf.draw = draw")


def test_what_is_painted_is_seen_and_the_preview_beside_it_follows_each_stroke(bar: WindowedBlender) -> None:
    bar.run(
        "bar.vertex_groups.active_index = 0\n"
        "with view3d(): bpy.ops.object.mode_set(mode='WEIGHT_PAINT')\n"
        "bpy.context.scene.frame_set(1); rig.data.bones.active = rig.data.bones['lower']"
    )
    view = ViewPixels.of(bar)
    without = view.cut(bar.screenshot())
    bar.run(START)
    assert is_same_view(without, view.cut(bar.screenshot()))
    bar.run(
        "settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.2; "
        "settings.display = 'ACTIVE_WEIGHT'\n"
        "tools = bpy.context.scene.tool_settings\n"
        # Debian's Blender 4.3 comes without brushes.
        "if tools.weight_paint.brush is None:\n"
        "    tools.weight_paint.brush = bpy.data.brushes.new('Weight', mode='WEIGHT_PAINT')\n"
        # Blender 5 keeps them with each mode's own settings.
        "strokes = getattr(tools, 'unified_paint_settings', None) or "
        "tools.weight_paint.unified_paint_settings\n"
        "strokes.size, strokes.weight = 60, 1.0"
    )
    before = view.cut(bar.screenshot())
    x, y, top = bar.run(
        "from bpy_extras.view3d_utils import location_3d_to_region_2d as seen_at\n"
        "with view3d():\n"
        "    region = bpy.context.region\n"
        "    at = seen_at(region, space.region_3d, (0, -0.2, 1.7))\n"
        "(region.x + at.x, region.y + at.y, bpy.context.window.height)"
    )
    bar.xdotool("mousemove", str(round(x)), str(round(top - y)))
    time.sleep(0.5)
    bar.xdotool("mousedown", "1")
    try:
        for step in range(8):
            bar.xdotool("mousemove", str(round(x) + step), str(round(top - y) + 4 * step))
            time.sleep(0.2)
        time.sleep(1.0)
        during = view.cut(bar.grab())
    finally:
        bar.xdotool("mouseup", "1")
    bar.screenshot()
    weights = bar.run(
        "[bar.vertex_groups['lower'].weight(v.index) for v in bar.data.vertices if v.co.z > 1.6]"
    )
    assert max(weights) > 0.3, "the stroke painted"
    copy = np.s_[:, during.shape[1] // 2 + 40 :]
    changed = (np.abs(during[copy] - before[copy]).max(axis=2) > 20).sum()
    assert changed > 300, "the copy shows the stroke before the button is released"
    assert not bar.run("session.previews[0].error or session.previews[0].paused")
