"""A mesh that is smoothed after its armature: Blender shows its whole stack, and comparisons stop at the
armature.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR

SETTLED = "figures()['settled']"
AFTER = """\
bar.modifiers.new("Subdivision", "SUBSURF").levels = 2
bar.modifiers.new("Ball", "CAST").factor = 0.4
settings.display = "DEVIATION"
settings.show_figures = True
with view3d(): bpy.ops.skinscope.preview_start()
bpy.context.scene.frame_set(15)
"""


@pytest.fixture
def blender(blender: WindowedBlender) -> WindowedBlender:
    """With the bending bar in it."""
    blender.run(BENDING_BAR)
    return blender


def test_the_armatures_own_result_is_what_is_compared_with(blender: WindowedBlender) -> None:
    blender.run(AFTER)
    blender.wait_until(SETTLED)
    figures = blender.run("figures()")
    assert figures["relative"] < 1e-5
    assert (figures["before"], figures["frame"]) == ("Subdivision", 15)
    blender.screenshot()
    assert not blender.run("session.previews[0].error or session.previews[0].paused")

    blender.run("bar.modifiers['Subdivision'].show_viewport = False")
    blender.wait_until(SETTLED)
    assert blender.run("figures()['before']") == "Ball"
    blender.run("bar.modifiers['Ball'].show_viewport = False")
    blender.wait_until(SETTLED)
    figures = blender.run("figures()")
    assert figures["before"] == ""
    assert figures["relative"] < 1e-5


def test_it_comes_to_rest_and_keeps_up_with_playback(blender: WindowedBlender) -> None:
    blender.run(AFTER)
    blender.wait_until(SETTLED)
    blender.run(
        "read = []\n"
        "from skinning_addon.viewport.character.blender_reference import BlenderReference as R\n"
        "original = R.read_shadow\n"
        "R.read_shadow = lambda *a: (read.append(1), original(*a))[1]"
    )
    time.sleep(1.5)
    assert blender.run("len(read)") == 0, "it goes on reading although nothing moves"
    scenes = blender.run("len(bpy.data.scenes), len(bpy.data.objects), len(bpy.data.meshes)")

    start = time.monotonic()
    blender.run("with view3d(): bpy.ops.screen.animation_play()")
    measured = set()
    for _ in range(5):
        time.sleep(0.5)
        figures = blender.run("figures()")
        measured.add(figures["frame"])
        assert figures["relative"] < 1e-5
    blender.run("with view3d(): bpy.ops.screen.animation_cancel(restore_frame=False)")
    assert len(measured) > 1, "no figures during playback"
    assert blender.run("len(read)") <= 4 * (time.monotonic() - start) + 1, "no more than four times a second"
    blender.wait_until(SETTLED)
    assert blender.run("figures()['frame'] == bpy.context.scene.frame_current")
    assert blender.run("len(bpy.data.scenes), len(bpy.data.objects), len(bpy.data.meshes)") == scenes


def test_a_pose_without_a_key_stays_the_users(blender: WindowedBlender) -> None:
    blender.run(AFTER + "bone.rotation_quaternion = (0.9, 0, 0.3, -0.3)")
    blender.wait_until(SETTLED)
    assert blender.run("figures()['relative']") < 1e-5
    kept = blender.run("tuple(bone.rotation_quaternion)")
    np.testing.assert_allclose(kept, (0.9, 0, 0.3, -0.3), atol=1e-6)
