"""The techniques in a real Blender window: each draws the same picture, live, and leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR
from tests.windowed.view_pixels import ViewPixels, preview_mask

WAYS = (
    ("UNIFORM_BUFFER", 60),
    ("FLOAT_TEXTURE", 60),
    ("PARTITIONED", 2),
    # Faces between the bones need two joints: the CPU skins those.
    ("PARTITIONED", 1),
    ("FOUR_MATRICES", 60),
    ("SOFTWARE", 60),
)

START = """
with view3d(): bpy.ops.skinscope.preview_start()
settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.2
bpy.context.scene.frame_set(15)
def switch(name, limit):
    settings.technique.technique = name
    settings.technique.joints_per_group = limit
def live(number=0):
    return session.previews[number].mesh_in_layer(layer_key(bpy.context.scene, bpy.context.view_layer))
"""

MOST_OTHER_PIXELS = 12
"""Out of about 300,000: sums in another order move an outline by less than a pixel."""


@pytest.fixture
def blender(blender: WindowedBlender) -> WindowedBlender:
    """With a preview of the bending bar."""
    blender.run(BENDING_BAR + START)
    return blender


def picture(blender: WindowedBlender, *, cut: bool = True) -> np.ndarray:
    """cut: wait until the mesh is drawn in its final groups."""
    blender.screenshot()
    if cut:
        blender.wait_until("not live().drawing.waiting")
    return ViewPixels.of(blender).cut(blender.screenshot())


def assert_same(one: np.ndarray, other: np.ndarray, what: object) -> None:
    apart = (np.abs(one - other).max(axis=2) > 3).sum()
    assert apart <= MOST_OTHER_PIXELS, (what, apart)


@pytest.mark.parametrize(
    "look",
    [
        "settings.display = 'SHADED'",
        "settings.display = 'DEVIATION'; settings.wireframe = True",
        "settings.display = 'NORMAL_DEVIATION'",
        "settings.display = 'DOMINANT_BONE'; settings.placement = 'IN_PLACE'; settings.blender_mesh = 'HIDDEN'",
        "settings.display = 'SHADED'; settings.placement = 'SPLIT'; settings.split = 0.31",
        "settings.display = 'WIREFRAME'",
    ],
)
def test_every_technique_shows_the_same(blender: WindowedBlender, look: str) -> None:
    blender.run(look)
    expected = {}
    for frame in (15, 4):
        blender.run(f"bpy.context.scene.frame_set({frame})")
        expected[frame] = picture(blender)
    assert (np.abs(expected[15] - expected[4]).max(axis=2) > 12).sum() > 300, "nothing moves"
    for number, (name, limit) in enumerate(WAYS):
        # Both what a new technique begins with and what it goes on to.
        blender.run(f"switch('{name}', {limit})")
        frame = (4, 15)[number % 2]
        blender.run(f"bpy.context.scene.frame_set({frame})")
        assert_same(picture(blender), expected[frame], (name, limit, frame))
        assert blender.run("session.previews[0].error, live().drawing.problem") == ["", ""]
        assert blender.run("live().drawing.choice.name").upper().replace("-", "_") == name
    blender.run("switch('AUTOMATIC', 60)")
    assert_same(picture(blender), expected[frame], "back again")


def test_what_is_measured_is_what_is_drawn(blender: WindowedBlender) -> None:
    for name, limit in WAYS:
        blender.run(f"switch('{name}', {limit})")
        picture(blender)
        blender.wait_until("figures()['settled']")
        technique, relative = blender.run(
            "live()._measured._measurement._skinner.technique, figures()['relative']"
        )
        words = {"PARTITIONED": f"palettes of {limit} joints"}.get(name, name.lower().replace("_", " "))
        assert technique == words
        assert relative < 1e-5


def test_the_groups_are_coloured_and_the_legend_says_what_they_take(blender: WindowedBlender) -> None:
    blender.run("settings.display = 'DRAW_GROUPS'; switch('AUTOMATIC', 60)")
    one_call = picture(blender)
    blender.run("switch('PARTITIONED', 1)")
    groups = picture(blender)
    assert (np.abs(one_call - groups).max(axis=2) > 12).sum() > 1500
    blender.run("settings.show_figures = True")
    with_legend = picture(blender)
    assert (np.abs(with_legend - groups).max(axis=2) > 12).sum() > 1500
    sizes = blender.run("[(one.joints, one.triangles, one.on_cpu) for one in live().drawing.sizes]")
    assert [one[0] for one in sizes[:2]] == [1, 1]
    assert sizes[-1][2] is True
    assert sum(one[1] for one in sizes) == blender.run("len(live().binding.mesh.triangles)")
    rules = blender.run("[one.rule for one in live().drawing.findings('Bar')]")
    assert rules == ["face-exceeds-palette"]


def test_cutting_up_takes_its_time_beside_the_view(blender: WindowedBlender) -> None:
    blender.run("settings.display = 'SHADED'")
    expected = picture(blender)
    blender.run(
        "import threading\n"
        "from skinning_addon.core.groups import draw_groups\n"
        "go_on, cut_by = threading.Event(), []\n"
        "whole = draw_groups.partition_palette\n"
        "def slow(*given):\n"
        "    cut_by.append(threading.current_thread() is threading.main_thread())\n"
        "    go_on.wait(60)\n"
        "    return whole(*given)\n"
        "draw_groups.partition_palette = slow\n"
        "switch('PARTITIONED', 2)"
    )
    blender.wait_until("cut_by")
    # The view goes on: another frame is drawn, as before.
    blender.run("bpy.context.scene.frame_set(4)")
    moved = picture(blender, cut=False)
    assert (np.abs(moved - expected).max(axis=2) > 12).sum() > 300
    assert blender.run("live().drawing.waiting, live().drawing.choice.name") == [True, "automatic"]
    blender.run("go_on.set()")
    # Nothing requests a redraw; it happens by itself.
    blender.wait_until("live().drawing.choice.name == 'partitioned'")
    assert_same(picture(blender), moved, "cut up")
    assert blender.run("live().drawing.waiting, cut_by, live().drawing.problem") == [False, [False], ""]
    blender.run("draw_groups.partition_palette = whole")


def test_what_can_not_be_cut_up_is_drawn_all_the_same(blender: WindowedBlender) -> None:
    blender.run("bar.modifiers['Armature'].use_deform_preserve_volume = True; settings.display = 'SHADED'")
    expected = picture(blender)
    blender.run("switch('PARTITIONED', 2)")
    assert_same(picture(blender), expected, "preserve volume")
    assert "choose another technique" in blender.run("live().drawing.problem")
    assert blender.run("session.previews[0].error") == ""
    blender.run("switch('SOFTWARE', 2)")
    assert_same(picture(blender), expected, "preserve volume, on the CPU")
    assert blender.run("live().drawing.problem") == ""
    # If it can be split again, it is.
    blender.run("bar.modifiers['Armature'].use_deform_preserve_volume = False; switch('PARTITIONED', 2)")
    picture(blender)
    assert blender.run("live().drawing.problem, live().drawing.choice.name") == ["", "partitioned"]


def test_playing_with_several_previews_and_stopping_leaves_nothing(blender: WindowedBlender) -> None:
    blender.run(
        "first = bar\n"
        "other = bar.copy(); other.data = bar.data.copy(); other.location.x = -0.8\n"
        "bpy.context.scene.collection.objects.link(other)\n"
        "[one.select_set(True) for one in (first, other)]\n"
        "with view3d(): bpy.ops.skinscope.preview_start()"
    )
    assert blender.run("len(session.previews)") == 2
    blender.run("with view3d(): bpy.ops.screen.animation_play()")
    for name, limit in WAYS:
        blender.run(f"switch('{name}', {limit})")
        frame = blender.run("bpy.context.scene.frame_current")
        blender.wait_until(f"bpy.context.scene.frame_current != {frame}")
        assert blender.run("[one.error for one in session.previews]") == ["", ""]
    blender.run("with view3d(): bpy.ops.screen.animation_cancel()")
    blender.run("switch('PARTITIONED', 1)")
    assert preview_mask(picture(blender)).any()
    alive = (
        "import gc; gc.collect()\n"
        "from skinning_addon.drawing.draw_call import GpuDrawCall\n"
        "from skinning_addon.drawing.skinned_drawing import SkinnedDrawing\n"
        "sum(isinstance(one, (GpuDrawCall, SkinnedDrawing)) for one in gc.get_objects())"
    )
    assert blender.run(alive) > 2
    blender.run("with view3d(): bpy.ops.skinscope.preview_stop()")
    blender.run("session.stop_all()")
    assert blender.run(alive) == 0
