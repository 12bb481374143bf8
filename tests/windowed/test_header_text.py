"""Modal operators show their values in the header of the 3D view, as Blender's own do, and give it back."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, START
from tests.windowed.test_inspecting import INSPECT, ON_SCREEN, point_at
from tests.windowed.view_pixels import Picture

# Blender can't be asked for a header's text.
RECORD = """\
from skinning_addon.ui.widgets.header_text import HeaderText
if not hasattr(HeaderText, 'told'):
    HeaderText.told, show = [], HeaderText.show
    def recorded(header, area, *values):
        show(header, area, *values)
        HeaderText.told.append(header._text)
    HeaderText.show = recorded
HeaderText.told.clear()
"""
HEADER = """\
with view3d() as area:
    header = next(one for one in area.regions if one.type == 'TOOL_HEADER')
    place = header.x, bpy.context.window.height - header.y - header.height, header.width, header.height
place
"""


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> WindowedBlender:
    shared_blender.run(BENDING_BAR + START + RECORD + ON_SCREEN)
    return shared_blender


def header(blender: WindowedBlender) -> Picture:
    left, top, width, height = blender.run(HEADER)
    return blender.screenshot()[top : top + height, left : left + width]


def told(blender: WindowedBlender) -> list[str]:
    return blender.run("HeaderText.told")


def test_the_vertex_under_the_mouse_is_in_the_header_while_inspecting(bar: WindowedBlender) -> None:
    vertex = bar.run("vertex = nearest(0, 1); vertex")
    place = tuple(bar.run("on_screen(vertex)"))
    bar.xdotool("mousemove", str(place[0] + 300), "400")
    before = header(bar)
    bar.run(INSPECT)
    point_at(bar, place)
    during = header(bar)
    assert (during != before).any()
    assert told(bar)[-1].startswith(f"Vertex {vertex} of Bar")
    point_at(bar, (place[0] + 300, 400))
    assert np.array_equal(header(bar), before), "nothing is under the mouse"
    point_at(bar, place)
    bar.xdotool("key", "Escape")
    time.sleep(0.3)
    bar.xdotool("mousemove", str(place[0] + 300), "400")
    time.sleep(0.3)
    assert np.array_equal(header(bar), before)


def test_whose_mesh_is_shown_is_in_the_header_while_the_key_is_held(bar: WindowedBlender) -> None:
    bar.run(
        "keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.new(name='3D View', "
        "space_type='VIEW_3D')\nkey = keymap.keymap_items.new('skinscope.flicker', 'F9', 'PRESS')"
    )
    bar.xdotool("mousemove", *map(str, bar.run("on_screen(nearest(0, 1))")))
    time.sleep(0.3)
    before = header(bar)
    bar.xdotool("keydown", "F9")
    time.sleep(0.6)
    assert (header(bar) != before).any()
    bar.xdotool("keyup", "F9")
    time.sleep(0.3)
    assert np.array_equal(header(bar), before)
    assert told(bar) == ["Shown: Blender"]
    bar.run("keymap.keymap_items.remove(key)")


def test_the_place_of_the_line_is_in_the_header_while_it_is_dragged(bar: WindowedBlender) -> None:
    bar.run("settings = bpy.context.scene.skinscope; settings.placement = 'SPLIT'; settings.split = 0.5")
    before = header(bar)
    bar.run("with view3d(): bpy.ops.skinscope.split_move('INVOKE_DEFAULT')")
    assert (header(bar) != before).any()
    assert told(bar)[0] == "Line: 50.0%"
    bar.xdotool("key", "Escape")
    time.sleep(0.3)
    assert np.array_equal(header(bar), before)
    bar.run("settings.property_unset('placement')")
