"""Ways to compare with Blender's own mesh, as a user sees them; none changes any user data."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.windowed.console import no_complaint
from tests.windowed.harness import HEIGHT, WindowedBlender
from tests.windowed.scenes import BENDING_BAR, START, STOP
from tests.windowed.view_pixels import ViewPixels, is_same_view, preview_mask, solid_mask

PREPARE = """\
settings.property_unset('blender_mesh'); settings.property_unset('split')
space.shading.type = 'SOLID'; space.show_gizmo = True
space.show_gizmo_navigate = space.show_gizmo_context = False
# Far from the same: the bar's foot swells, and its upper end lies elsewhere.
bar.modifiers.new('Cast', 'CAST').factor = 0.5
space.region_3d.view_location = (0, 0, 1)
# Everything that starting a preview fits to the character.
settings.distance = 1.0; settings.threshold = 0.005
bpy.context.scene.frame_set(15)
"""
DUMP = Path(__file__).with_name("file_dump.py").read_text(encoding="utf-8")
DRAWN_BY_BLENDER = (
    "(bar.display_type, bar.visible_camera, bar.visible_shadow, bar.hide_get(), "
    "bar.hide_viewport, bar.select_get())"
)


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """A bar that Blender deforms differently from its armature; nothing may be printed to the console
    meanwhile.
    """
    shared_blender.run(BENDING_BAR + PREPARE)
    with no_complaint(shared_blender):
        yield shared_blender


def seen(blender: WindowedBlender) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of our blue, and of anything else in front of the background."""
    pixels = ViewPixels.of(blender).cut(blender.screenshot())
    ours = preview_mask(pixels)
    return ours, solid_mask(pixels) & ~ours


def blenders_own(blender: WindowedBlender, timeout: float = 120) -> NDArray[np.int16]:
    """What the view shows once Blender's mesh is in it: EEVEE shows nothing until it has compiled its
    shaders.
    """
    view, end = ViewPixels.of(blender), time.monotonic() + timeout
    while True:
        pixels = view.cut(blender.screenshot(timeout=timeout))
        if solid_mask(pixels).any():
            return pixels
        assert time.monotonic() < end, "Blender does not draw its mesh"


@pytest.mark.parametrize("shading", ["SOLID", "WIREFRAME", "MATERIAL", "RENDERED"])
def test_hidden_means_that_blender_draws_nothing_of_it_until_the_preview_stops(
    bar: WindowedBlender, shading: str
) -> None:
    bar.run(f"space.shading.type = '{shading}'; select_only(rig)")
    before = blenders_own(bar)
    bar.run("select_only(bar)\n" + START + "settings.blender_mesh = 'HIDDEN'; select_only(rig)")
    ours, other = seen(bar)
    assert ours.sum() > 5_000
    # Blender doesn't smooth the edges of anything drawn over it.
    assert other.sum() < 100
    bar.run("bpy.context.scene.frame_set(16); bpy.context.scene.frame_set(15); rig.location.x = 0.0")
    ours_later, other = seen(bar)
    assert other.sum() < 100
    assert (ours_later ^ ours).sum() < 100
    bar.run(STOP)
    after = blenders_own(bar)
    assert not preview_mask(after).any()
    assert (solid_mask(before) ^ solid_mask(after)).sum() < 100


def test_a_ghost_shows_where_blenders_sticks_out_and_ours_stays_whole(bar: WindowedBlender) -> None:
    bar.run("select_only(bar)\n" + START + "select_only(rig)")
    in_place, shown = seen(bar)
    solid = ViewPixels.of(bar).cut(bar.screenshot())
    bar.run("settings.blender_mesh = 'HIDDEN'")
    alone, _ = seen(bar)
    bar.run("settings.blender_mesh = 'GHOST'")
    pixels = ViewPixels.of(bar).cut(bar.screenshot())
    assert (alone & ~in_place).sum() < 50, "Blender's swollen foot doesn't cut through ours"
    assert (alone & ~preview_mask(pixels)).sum() < 0.05 * alone.sum(), "a ghost hides nothing"
    sticks_out = shown & ~alone
    background = np.median(pixels.reshape(-1, 3), axis=0)
    contrast = [np.abs(one[sticks_out] - background).mean() for one in (pixels, solid)]
    assert 0.2 < contrast[0] / contrast[1] < 0.8


def test_split_shows_blenders_left_of_the_line_and_only_ours_right_of_it(bar: WindowedBlender) -> None:
    bar.run("select_only(bar)\n" + START + "select_only(rig)")
    bar.run("settings.blender_mesh = 'HIDDEN'")
    only_ours, _ = seen(bar)
    bar.run("settings.placement = 'SPLIT'")
    ours, other = seen(bar)
    width = ours.shape[1]
    line = round(bar.run("with view3d(): width = bpy.context.region.width\nwidth") * 0.5) - 16
    # The middle of the height: labels are above.
    rows = slice(int(0.15 * ours.shape[0]), None)
    left, right = (rows, slice(0, line - 8)), (rows, slice(line + 8, width))
    assert not ours[left].any()
    assert other[left].sum() > 3_000
    assert not other[right].any()
    assert (ours[right] ^ only_ours[right]).sum() < 50
    bar.run("settings.split = 0.0")
    ours, _ = seen(bar)
    assert (ours[right] ^ only_ours[right]).sum() < 50
    bar.run("settings.split = 1.0")
    ours, _ = seen(bar)
    assert not ours[left].any()


def pointer_at(blender: WindowedBlender, share: float) -> tuple[str, str]:
    """The place of the screen at a share of the 3D view's width, in the lower part of it."""
    x, y, width, height, window_height = blender.run(
        "with view3d():\n"
        "    region = bpy.context.region\n"
        "    box = region.x, region.y, region.width, region.height, bpy.context.window.height\n"
        "box"
    )
    assert window_height <= HEIGHT
    return str(round(x + share * width)), str(round(window_height - y - 0.25 * height))


def test_the_line_is_dragged_with_the_mouse(bar: WindowedBlender) -> None:
    bar.run(START + "settings.placement = 'SPLIT'")
    bar.screenshot()

    def drag(to: float, *more: tuple[str, ...]) -> float:
        bar.run("settings.split = 0.5")
        bar.screenshot()
        bar.xdotool("mousemove", *pointer_at(bar, 0.3))
        time.sleep(0.3)
        bar.xdotool("mousemove", *pointer_at(bar, 0.5))
        time.sleep(0.3)
        bar.xdotool("mousedown", "1")
        for step in (0.5, 0.55, to):
            time.sleep(0.2)
            bar.xdotool("mousemove", *pointer_at(bar, step))
        time.sleep(0.2)
        for keys in more:
            bar.xdotool(*keys)
            time.sleep(0.2)
        bar.xdotool("mouseup", "1")
        bar.screenshot()
        return bar.run("settings.split")

    assert drag(0.7) == pytest.approx(0.7, abs=0.01)
    assert drag(0.25) == pytest.approx(0.25, abs=0.01)
    assert drag(0.8, ("key", "Escape")) == 0.5
    bar.run("settings.split = 0.3")
    assert drag(0.8, ("keydown", "ctrl")) == 0.5
    bar.xdotool("keyup", "ctrl")
    # Elsewhere a click is Blender's own: it selects.
    bar.run("settings.split = 0.9; select_only(rig)")
    bar.screenshot()
    bar.xdotool("mousemove", *pointer_at(bar, 0.2), "click", "1")
    time.sleep(0.5)
    assert bar.run("settings.split") == pytest.approx(0.9)


def test_a_key_swaps_the_two_while_it_is_held_and_a_tap_for_good(bar: WindowedBlender) -> None:
    bar.run(
        "keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.new(name='3D View', "
        "space_type='VIEW_3D')\nkey = keymap.keymap_items.new('skinscope.flicker', 'F9', 'PRESS')\n"
        + START
        + "settings.blender_mesh = 'HIDDEN'; select_only(rig)"
    )
    bar.xdotool("mousemove", *pointer_at(bar, 0.9))
    time.sleep(0.3)
    ours, _ = seen(bar)
    bar.xdotool("keydown", "F9")
    time.sleep(0.6)
    swapped, blenders = seen(bar)
    bar.xdotool("keyup", "F9")
    time.sleep(0.3)
    assert swapped.sum() < 100
    assert blenders.sum() > 5_000
    assert bar.run("session.swapped") is False
    assert (seen(bar)[0] ^ ours).sum() < 100
    # A tap is one however slow a heavy scene is drawn.
    bar.run(
        "import time\n"
        "slow = bpy.types.SpaceView3D.draw_handler_add(lambda: time.sleep(0.5), (), 'WINDOW', 'POST_PIXEL')"
    )
    bar.xdotool("key", "F9")
    time.sleep(2)
    assert bar.run("session.swapped") is True
    bar.xdotool("key", "F9")
    time.sleep(2)
    assert bar.run("session.swapped") is False
    bar.run("bpy.types.SpaceView3D.draw_handler_remove(slow, 'WINDOW'); keymap.keymap_items.remove(key)")


def test_what_is_saved_is_what_is_saved_without_a_preview(bar: WindowedBlender, tmp_path: Path) -> None:
    bar.run("settings.blender_mesh = 'HIDDEN'")

    def saved(name: str) -> str:
        bar.screenshot()
        path = tmp_path / f"{name}.blend"
        bar.run(f"bpy.ops.wm.save_as_mainfile(filepath={str(path)!r}, copy=True, compress=False)")
        return str(path)

    without = saved("without")
    bar.run(START)
    assert bar.run("bar.session_uid in session.hidden_meshes")
    with_it = saved("with")
    assert bar.run("bar.session_uid in session.hidden_meshes")
    dumps = []
    for path in (without, with_it):
        bar.run(f"bpy.ops.wm.open_mainfile(filepath={path!r})")
        dumps.append(bar.run(DUMP + "\ndump_file()", timeout=120))
    assert len(dumps[0]) > 500
    assert "objects['Bar'].display_type = TEXTURED" in dumps[0]
    assert dumps[0] == dumps[1]


@pytest.mark.parametrize("mesh", ["HIDDEN", "GHOST"])
def test_nothing_of_the_object_changes(bar: WindowedBlender, mesh: str) -> None:
    before = bar.run(DRAWN_BY_BLENDER)
    bar.run(START + f"settings.blender_mesh = '{mesh}'")
    bar.screenshot()
    assert bar.run(DRAWN_BY_BLENDER) == before
    bar.run("with view3d(): bpy.ops.ed.undo_push(message='one')\nbar.location.x += 0.5")
    bar.run("with view3d(): bpy.ops.ed.undo_push(message='two')")
    bar.screenshot()
    bar.run("with view3d(): bpy.ops.ed.undo()\nbar = bpy.data.objects['Bar']")
    bar.screenshot()
    assert bar.run("bar.session_uid in session.hidden_meshes")
    assert bar.run(DRAWN_BY_BLENDER) == before
    bar.run(
        "with view3d(): bpy.ops.ed.redo()\nbar = bpy.data.objects['Bar']\nrig = bpy.data.objects['Bar Rig']"
    )
    bar.run("select_only(rig)")
    assert bar.run("bar.session_uid in session.hidden_meshes")
    assert (seen(bar)[1].sum() < 100) == (mesh == "HIDDEN")
    # What undo has replaced must not be written to.
    bar.run("settings = bpy.context.scene.skinscope\n" + STOP + "settings.blender_mesh = 'SHOWN'")
    ours, other = seen(bar)
    assert not ours.any()
    assert other.sum() > 5_000


def test_where_nothing_stands_in_for_it_blenders_mesh_is_drawn(bar: WindowedBlender) -> None:
    bar.run(START + "settings.blender_mesh = 'HIDDEN'")
    hidden = seen(bar)[1].sum()
    for enter, leave in (
        (
            "with view3d(): bpy.ops.object.mode_set(mode='EDIT')",
            "with view3d(): bpy.ops.object.mode_set(mode='OBJECT')",
        ),
        (
            "with view3d(): bpy.ops.object.mode_set(mode='WEIGHT_PAINT')",
            "with view3d(): bpy.ops.object.mode_set(mode='OBJECT')",
        ),
        ("bar.modifiers['Armature'].object = None", "bar.modifiers['Armature'].object = rig"),
        ("session.previews[0].switch_off('for a test'); session.settle_meshes()", START),
    ):
        bar.run(enter)
        ours, other = seen(bar)
        assert (ours | other).sum() > 5_000, enter
        assert other.sum() > hidden + 2_000 or ours.sum() > 5_000, enter
        bar.run(leave)
        bar.wait_until("not session.previews[0].paused")
        assert seen(bar)[1].sum() < hidden + 100, leave


def test_without_overlays_a_hidden_mesh_is_still_stood_in_for(bar: WindowedBlender) -> None:
    bar.run(START + "settings.blender_mesh = 'HIDDEN'; space.overlay.show_overlays = False")
    ours, _ = seen(bar)
    bar.run("space.overlay.show_overlays = True")
    assert ours.sum() > 5_000


def test_disabling_the_extension_gives_the_mesh_back(bar: WindowedBlender) -> None:
    bar.run("select_only(rig)")
    view = ViewPixels.of(bar)
    before = view.cut(bar.screenshot())
    bar.run("select_only(bar)\n" + START + "settings.blender_mesh = 'HIDDEN'; select_only(rig)")
    bar.screenshot()
    bar.run("bpy.ops.preferences.addon_disable(module='bl_ext.user_default.skinscope')")
    assert is_same_view(before, view.cut(bar.screenshot()))
    bar.run("bpy.ops.preferences.addon_enable(module='bl_ext.user_default.skinscope')")
