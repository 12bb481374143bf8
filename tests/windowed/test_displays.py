"""Every display in a real Blender window: drawn, different from the others, and silent."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender
from tests.windowed.scenes import BENDING_BAR

DISPLAYS = (
    "SHADED",
    "BASE_COLOR",
    "DEVIATION",
    "NORMAL_DEVIATION",
    "INFLUENCE_COUNT",
    "ACTIVE_WEIGHT",
    "DROPPED_WEIGHT",
    "DOMINANT_BONE",
    "DRAW_GROUPS",
    "WIREFRAME",
)


@pytest.fixture
def blender(blender: WindowedBlender) -> WindowedBlender:
    """With the bending bar in it."""
    blender.run(BENDING_BAR)
    return blender


def test_every_display_is_drawn_and_none_looks_like_another(blender: WindowedBlender) -> None:
    blender.run("with view3d(): bpy.ops.skinscope.preview_start()\nbpy.context.scene.frame_set(15)")
    blender.run("settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.2")
    # An active bone, for the display of its weights, and a color of its own for the material.
    blender.run(
        "rig.data.bones.active = rig.data.bones['upper']\n"
        "material = bpy.data.materials.new('Red'); material.diffuse_color = (0.8, 0.05, 0.05, 1)\n"
        "bar.data.materials.append(material)"
    )
    pictures = {}
    for display in DISPLAYS:
        blender.run(f"settings.display = '{display}'")
        pictures[display] = blender.screenshot()
        assert not blender.run("session.previews[0].error"), display
    # On an exact rig with two bones both of these are at zero everywhere.
    alike = {"DEVIATION", "DROPPED_WEIGHT"}
    for one in DISPLAYS:
        for other in DISPLAYS:
            if one < other and {one, other} != alike:
                apart = np.abs(pictures[one].astype(int) - pictures[other]).max(axis=2) > 12
                assert apart.sum() > 300, (one, other)


def test_skinning_can_be_stopped_in_the_spaces_on_its_way(blender: WindowedBlender) -> None:
    blender.run("with view3d(): bpy.ops.skinscope.preview_start()\nbpy.context.scene.frame_set(15)")
    blender.run(
        "settings.placement = 'ASIDE'; settings.axis = 'X'; settings.distance = 1.2; settings.display = 'DOMINANT_BONE'"
    )
    result = blender.screenshot()
    blender.run("settings.spaces.shown = True")
    pictures = {"RESULT": result}
    for space in ("MESH", "BONE", "ROOT"):
        blender.run(f"settings.spaces.space = '{space}'")
        pictures[space] = blender.screenshot()
        assert not blender.run("session.previews[0].error"), space
    # Each part has its own bone's color there, up to its edge; shaded, the last step looks like the result.
    blender.run("settings.spaces.space = 'RESULT'; settings.display = 'SHADED'")
    last_step = blender.screenshot()
    blender.run("settings.spaces.shown = False")
    assert np.abs(blender.screenshot().astype(int) - last_step).max(axis=2).astype(bool).sum() < 200
    blender.run("settings.spaces.shown = True; settings.display = 'DOMINANT_BONE'")
    # The armature stands where the mesh does: root space is mesh space.
    del pictures["ROOT"]
    for (one, first), (other, second) in combinations(pictures.items(), 2):
        apart = np.abs(first.astype(int) - second).max(axis=2) > 12
        assert apart.sum() > 1000, (one, other)
    # With preserve volume there are none; the result is drawn instead, and the panel says why.
    blender.run("bar.modifiers['Armature'].use_deform_preserve_volume = True; settings.spaces.space = 'BONE'")
    blender.screenshot()
    problem = blender.run("next(iter(session.previews[0]._meshes_in_layers.values())).step_problem")
    assert "Preserve Volume" in problem
    assert not blender.run("session.previews[0].error")
