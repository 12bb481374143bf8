"""Keys, menus, the Overlays popover and progress, as a user works with them."""

from __future__ import annotations

import time

import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.view_pixels import ViewPixels, is_same_view, preview_mask

NAMES = "sorted(one.name for one in session.previews)"

# A quarter of a million vertices in a dozen meshes: they take longer to bind than half a second.
MANY_MESHES = """\
from mathutils import Matrix
dense = bar.modifiers.new('Dense', 'SUBSURF')
dense.subdivision_type = 'SIMPLE'
dense.levels = 3
bar.modifiers.move(1, 0)
bpy.ops.object.modifier_apply(modifier='Dense')
for number in range(11):
    bpy.context.scene.collection.objects.link(bar.copy())
for one in bpy.context.scene.objects:
    one.select_set(one.type == 'MESH')
sum(len(one.data.vertices) for one in bpy.context.selected_objects)
"""
START = "with view3d(): bpy.ops.skinscope.preview_start('INVOKE_DEFAULT')"


@pytest.fixture
def bar(own_bar: WindowedBlender) -> WindowedBlender:
    return own_bar


def press(blender: WindowedBlender, *keys: str) -> None:
    """Press keys with the mouse over the middle of the 3D view."""
    x, y = blender.run(
        "region = next(one for one in area.regions if one.type == 'WINDOW')\n"
        "height = bpy.context.window_manager.windows[0].height\n"
        "[region.x + region.width // 2, height - region.y - region.height // 2]"
    )
    blender.xdotool("mousemove", str(x - 3), str(y), "mousemove", str(x), str(y))
    for key in keys:
        time.sleep(0.3)
        blender.xdotool("key", key)
    time.sleep(0.3)


def test_a_key_starts_the_preview_and_stops_it(bar):
    press(bar, "shift+j")
    bar.wait_until(f"{NAMES} == ['Bar']")
    assert preview_mask(ViewPixels.of(bar).cut(bar.screenshot())).any()
    press(bar, "shift+j")
    bar.wait_until(f"{NAMES} == []")
    # The pie menu numbers its entries.
    press(bar, "shift+alt+j", "4")
    bar.wait_until(f"{NAMES} == ['Bar']")


def test_the_overlays_popover_hides_previews_and_ends_none(bar):
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    bar.run("with view3d(): bpy.ops.skinscope.preview_start()")
    shown = view.cut(bar.screenshot())
    assert preview_mask(shown).any()
    bar.run("settings.show_previews = False")
    assert is_same_view(before, view.cut(bar.screenshot()))
    assert bar.run(NAMES) == ["Bar"]
    bar.run("settings.show_previews = True")
    assert is_same_view(shown, view.cut(bar.screenshot()))


@pytest.mark.parametrize(
    "menu",
    [
        "bpy.ops.wm.call_panel(name='VIEW3D_PT_overlay', keep_open=True)",
        "bpy.ops.wm.call_menu(name='VIEW3D_MT_object')",
        "bpy.ops.wm.call_menu(name='SKINSCOPE_MT_skinscope')",
        "bpy.ops.wm.call_menu(name='VIEW3D_MT_view')",
        "bpy.ops.wm.call_menu(name='VIEW3D_MT_object_context_menu')",
    ],
    ids=["overlays", "object", "skinscope", "view", "context"],
)
def test_menus_open_without_a_complaint(bar, menu):
    bar.run("with view3d(): bpy.ops.skinscope.preview_start()")
    said_before = bar.console.read_text(encoding="utf-8", errors="replace")
    press(bar)
    without = bar.screenshot()
    bar.run(f"with view3d(): {menu}")
    opened = bar.screenshot()
    assert (opened != without).any(axis=2).sum() > 10_000
    said = bar.console.read_text(encoding="utf-8", errors="replace").removeprefix(said_before)
    assert "Error" not in said, said


def test_starting_many_shows_progress_and_can_be_cancelled(bar):
    assert bar.run(MANY_MESHES, timeout=200) > 250_000
    press(bar)
    bar.run(START)
    assert bar.run(NAMES) == []
    bar.xdotool("key", "Escape")
    time.sleep(0.5)
    bar.screenshot(timeout=100)
    assert bar.run(NAMES) == []
    assert bar.run("[one.bl_idname for one in bpy.context.window_manager.windows[0].modal_operators]") == []

    bar.run(START)
    assert bar.run(NAMES) == []
    bar.screenshot(settled=False)
    bar.wait_until(f"len({NAMES}) == 12", timeout=100)


def test_another_file_ends_the_start_that_is_under_way(bar):
    bar.run(MANY_MESHES, timeout=200)
    press(bar)
    bar.run(START)
    assert bar.run("[one.bl_idname for one in bpy.context.window_manager.windows[0].modal_operators]") == [
        "SKINSCOPE_OT_preview_start"
    ]
    bar.run("bpy.ops.wm.read_homefile()")
    bar.screenshot(timeout=100)
    assert bar.run("len(session.previews)") == 0
    assert bar.run("list(bpy.context.window_manager.windows[0].modal_operators)") == []
    assert "Error" not in bar.console.read_text(encoding="utf-8", errors="replace")
