"""From a figure to the vertex behind it, as a user does it: panels, mouse and keys in a real Blender window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR, SETTLED, START
from tests.windowed.view_pixels import Picture, ViewPixels, changed, too_much_mask

# A dent between two armature modifiers, at the upper end of the bar on its far side (y > 0): what is off is
# there.
BULGE = """\
group = bar.vertex_groups.new(name='far')
group.add([v.index for v in bar.data.vertices if v.co.y > 0.19 and abs(v.co.x) < 0.1 and 1.7 < v.co.z < 1.9], 1, 'REPLACE')
bulge = bar.modifiers.new('Bulge', 'DISPLACE')
bulge.vertex_group, bulge.mid_level, bulge.strength = 'far', 0, -0.05
last = bar.modifiers.new('Second', 'ARMATURE')
last.object, last.use_vertex_groups, last.use_bone_envelopes = rig, False, False
"""

SHOW_SIDEBAR = "space.show_region_ui = True"
CHOOSE_TAB = """\
with view3d() as area:
    next(one for one in area.regions if one.type == 'UI').active_panel_category = 'Skinscope'
"""


def open_sidebar(blender: WindowedBlender) -> None:
    blender.run(SHOW_SIDEBAR)
    # Before it is drawn it has no tabs to choose from.
    blender.screenshot()
    blender.run(CHOOSE_TAB)


def test_framing_the_worst_vertex_turns_the_view_until_it_is_seen(bar: WindowedBlender) -> None:
    bar.run(START + BULGE + "settings.display = 'DEVIATION'; settings.threshold = 0.02")
    bar.wait_until(f"{SETTLED} and figures()['max'] > 0.04")
    view = ViewPixels.of(bar)

    def too_much() -> int:
        """How many pixels of the middle have a color of the heat map's beyond the threshold."""
        pixels = view.cut(bar.screenshot())
        height, width = pixels.shape[:2]
        middle = pixels[height // 4 : height * 3 // 4, width // 4 : width * 3 // 4]
        return int(too_much_mask(middle).sum())

    assert too_much() < 50, "the bulge is on the far side"
    bar.run("with view3d(): bpy.ops.skinscope.frame_worst_vertex()")
    assert too_much() > 2_000
    looked_at = bar.run("space.region_3d.view_location")
    assert 1.6 < looked_at[2] < 2.0
    bar.run(
        "space.region_3d.view_perspective = 'ORTHO'\nwith view3d(): bpy.ops.view3d.view_axis(type='FRONT')"
    )


def test_vertices_above_the_threshold_are_selected_and_undo_takes_it_back(bar: WindowedBlender) -> None:
    bar.run(
        START + BULGE + "settings.threshold = 0.02\nwith view3d(): bpy.ops.ed.undo_push(message='before')"
    )
    bar.wait_until(f"{SETTLED} and figures()['max'] > 0.04")
    bar.run("with view3d(): bpy.ops.skinscope.select_deviating('INVOKE_DEFAULT', True)")
    bar.screenshot()
    assert bar.run("bar.mode") == "EDIT"
    expected = bar.run(
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "(sorted(v.index for v in bar.data.vertices if v.select),"
        " sorted(v.index for v in bar.data.vertices if any(g.group == group.index for g in v.groups)))"
    )
    assert expected[0] == expected[1]
    assert expected[0]


def test_the_panel_tells_the_figures(bar: WindowedBlender) -> None:
    open_sidebar(bar)
    bar.run(START + BULGE + "bpy.context.scene.frame_set(12)")
    bar.wait_until(f"{SETTLED} and figures()['max'] > 0.04")
    bar.screenshot()
    rows = bar.run(
        "from skinning_addon.ui.preview import figures_panel\n"
        "live = session.previews[0].mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))\n"
        "[*figures_panel._distances(bpy.context.scene, live.figures), *figures_panel._sizes(live), "
        "*figures_panel.technique_figures(live)]"
    )
    said = dict(rows)
    # 50 mm at 2 m, 2.14 mm a pixel.
    assert said["Max"] == "5 cm, 23 px"
    assert said["Its Bone"] == "upper"
    # Three joints, and "no bone" alone for the second modifier: four of three rows of four floats.
    assert said["Palette"] == "192 bytes"
    assert said["Technique"] == "Uniform Buffer"
    times = bar.run(
        "live = session.previews[0].mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))\n"
        "[live.times.milliseconds(stage) for stage in ('read', 'palette', 'upload', 'draw')]"
    )
    assert all(0 < one < 100 for one in times)


INSPECT = "with view3d(): bpy.ops.skinscope.inspect('INVOKE_DEFAULT')\n"

# Where a vertex, or a place in the bar, is drawn, in pixels of the screen from its upper left corner; for the
# first 3D view's region `number`.
ON_SCREEN = """\
from mathutils import Vector
def on_screen(vertex, number=0, aside=0.0):
    with view3d() as area:
        region = [one for one in area.regions if one.type == 'WINDOW'][number]
        graph = bpy.context.evaluated_depsgraph_get()
        co = vertex if isinstance(vertex, Vector) else bar.evaluated_get(graph).data.vertices[vertex].co
        co = bar.matrix_world @ co + Vector((aside, 0, 0))
        clip = region.data.perspective_matrix @ co.to_4d()
        x = region.x + (clip.x / clip.w + 1) / 2 * region.width
        y = region.y + (clip.y / clip.w + 1) / 2 * region.height
        return round(x), round(bpy.context.window.height - y)
def nearest(x, z, y=-0.2):
    return min(range(len(bar.data.vertices)), key=lambda i: (bar.data.vertices[i].co - Vector((x, y, z))).length)
inspection = session.inspection
"""


def status_bar(screen: Picture) -> Picture:
    """Cut out the left of the bar at the bottom of the window, where tools say which keys they know."""
    return screen[-20:, :600]


def point_at(blender: WindowedBlender, place: tuple[int, int], *more: str) -> None:
    # In two steps: a mouse that does not move tells Blender nothing.
    x, y = place
    blender.xdotool(
        "mousemove",
        str(x + 6),
        str(y + 6),
        "sleep",
        "0.2",
        "mousemove",
        str(x),
        str(y),
        "sleep",
        "0.2",
        *more,
    )
    blender.run("None")


@pytest.fixture
def inspecting(bar: WindowedBlender) -> Iterator[WindowedBlender]:
    """The tool running over the bar, bent."""
    bar.run(START + ON_SCREEN + "bpy.context.scene.frame_set(12)")
    bar.screenshot()
    bar.run(INSPECT)
    yield bar
    bar.xdotool("mousemove", "400", "600", "sleep", "0.2", "key", "Escape", "sleep", "0.2")
    bar.wait_until("not inspection.active")
    bar.run("inspection.clear()")


def test_the_vertex_under_the_mouse_is_named_and_a_click_keeps_it(inspecting: WindowedBlender) -> None:
    view = ViewPixels.of(inspecting)
    vertex = inspecting.run("vertex = nearest(0.04, 1.6); vertex")
    point_at(inspecting, inspecting.run("on_screen(vertex)"))
    without = inspecting.run("inspection.hovered and inspection.hovered.vertex")
    assert without == vertex
    hovered = inspecting.screenshot()
    point_at(inspecting, inspecting.run("on_screen(vertex)"), "click", "1")
    assert inspecting.run("inspection.pinned.vertex") == vertex
    # Away from any mesh nothing is hovered; the pinned vertex remains, in another color.
    point_at(inspecting, (150, 650))
    assert inspecting.run("inspection.hovered is None and inspection.pinned.vertex == vertex")
    pinned = inspecting.screenshot()
    assert changed(view.cut(hovered), view.cut(pinned)) > 30
    inspecting.xdotool("key", "Escape", "sleep", "0.2")
    inspecting.wait_until("not inspection.active")
    assert inspecting.run("inspection.pinned.vertex") == vertex
    # Its way through skinning ends where Blender has it.
    difference = inspecting.run(
        "layer = layer_key(bpy.context.scene, bpy.context.view_layer)\n"
        "seen = session.look_at(session.inspection.pinned, layer)\n"
        "(seen.difference, seen.in_world, bar.matrix_world @ bar.evaluated_get("
        "bpy.context.evaluated_depsgraph_get()).data.vertices[vertex].co)"
    )
    assert np.abs(difference[0]).max() < 1e-5
    assert difference[1] == pytest.approx(difference[2], abs=1e-5)


def test_it_follows_previews_that_are_drawn_aside(inspecting: WindowedBlender) -> None:
    inspecting.run("settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.2")
    vertex = inspecting.run("vertex = nearest(0.04, 0.4); vertex")
    point_at(inspecting, inspecting.run("on_screen(vertex, aside=1.2)"), "click", "1")
    assert inspecting.run("inspection.pinned.vertex") == vertex
    inspecting.screenshot()
    point_at(inspecting, inspecting.run("on_screen(vertex)"))
    assert inspecting.run("inspection.hovered is None"), "there is only Blender's own mesh"


def test_what_is_picked_is_the_step_that_is_drawn_not_the_result(inspecting: WindowedBlender) -> None:
    inspecting.run(
        "settings.spaces.shown = True; settings.spaces.space = 'MESH'\nbpy.context.scene.frame_set(20)"
    )
    inspecting.screenshot()
    # At rest the bar is upright up to z = 2; bent by 1.2 radians there is nothing up there.
    upright = inspecting.run("on_screen(Vector((0.0, -0.2, 1.95)))")
    point_at(inspecting, upright, "click", "1")
    vertex = inspecting.run("inspection.pinned and inspection.pinned.vertex")
    at_rest = inspecting.run(f"bar.data.vertices[{vertex}].co")
    assert np.hypot(at_rest[0], at_rest[2] - 1.95) < 0.1
    drawn = inspecting.run(
        "layer = layer_key(bpy.context.scene, bpy.context.view_layer)\n"
        "session.look_at(session.inspection.pinned, layer).drawn"
    )
    assert drawn == pytest.approx(at_rest, abs=1e-5)
    inspecting.run("settings.spaces.shown = False")
    inspecting.screenshot()
    point_at(inspecting, upright)
    assert inspecting.run("inspection.hovered is None")


def test_it_works_in_each_part_of_a_quad_view(inspecting: WindowedBlender) -> None:
    inspecting.run("space.show_region_ui = False\nwith view3d(): bpy.ops.screen.region_quadview()")
    inspecting.screenshot()
    inspecting.run(
        "with view3d() as area:\n    for one in area.spaces.active.region_quadviews: one.view_distance = 6"
    )
    inspecting.screenshot()
    try:
        found = []
        for number in range(4):
            place = inspecting.run(f"on_screen(Vector((0, 0, 0.5)), number={number})")
            point_at(inspecting, place)
            found.append(inspecting.run("inspection.hovered and inspection.hovered.uid"))
        inspecting.screenshot()
        assert found == [inspecting.run("bar.session_uid")] * 4
    finally:
        inspecting.run("with view3d(): bpy.ops.screen.region_quadview()")


def test_navigating_goes_on_and_the_right_button_ends_it(inspecting: WindowedBlender) -> None:
    before = inspecting.run("space.region_3d.view_distance")
    point_at(inspecting, (400, 400), "click", "4")
    inspecting.screenshot()
    assert inspecting.run("space.region_3d.view_distance") < before
    point_at(inspecting, (400, 420), "click", "3")
    inspecting.wait_until("not inspection.active")
    inspecting.run(f"space.region_3d.view_distance = {before}")


def test_when_the_last_preview_ends_so_does_the_tool(inspecting: WindowedBlender) -> None:
    inspecting.run("with view3d(): bpy.ops.skinscope.preview_stop()")
    point_at(inspecting, (400, 400))
    inspecting.wait_until("not inspection.active")
    assert inspecting.run("inspection.shown is None")


def test_another_file_or_disabling_while_it_runs_breaks_nothing(bar: WindowedBlender) -> None:
    bar.run(START + ON_SCREEN)
    bar.screenshot()
    bar.run(INSPECT)
    point_at(bar, (400, 400))
    bar.run("bpy.ops.wm.read_homefile(use_empty=False)")
    point_at(bar, (420, 420))
    assert bar.run("session.inspection.active") is False
    bar.run(BENDING_BAR)
    bar.run(START)
    point_at(bar, (400, 400))
    before = status_bar(bar.screenshot())
    bar.run(INSPECT)
    point_at(bar, (410, 400))
    assert (status_bar(bar.screenshot()) != before).any(), "it says which keys there are"
    bar.run("bpy.ops.preferences.addon_disable(module='bl_ext.user_default.skinscope')")
    point_at(bar, (420, 420))
    assert (status_bar(bar.screenshot()) == before).all()
    bar.run("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.skinscope')")
    bar.run(BENDING_BAR)
    bar.run(START)
    bar.screenshot()


def test_matrices_are_copied_to_the_clipboard(bar: WindowedBlender) -> None:
    bar.run("rig.data.bones.active = rig.data.bones['upper']\nbpy.context.scene.frame_set(12)")
    bar.run("with view3d(): bpy.ops.skinscope.copy_matrices(as_python=True)")
    copied = bar.run("bpy.context.window_manager.clipboard")
    assert copied.startswith("# Bar Rig, upper, frame 12, mesh Bar (row vectors, Z up)")
    assert "offset = (" in copied
