"""Every display in a real Blender's window: drawn, different from the others, and quiet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.windowed.harness import WindowedBlender, windowed_blender

BENDING_BAR = Path(__file__).with_name("bending_bar.py").read_text(encoding="utf-8")
DISPLAYS = (
    "SHADED",
    "BASE_COLOR",
    "DEVIATION",
    "NORMAL_DEVIATION",
    "INFLUENCE_COUNT",
    "ACTIVE_WEIGHT",
    "DROPPED_WEIGHT",
    "DOMINANT_BONE",
    "WIREFRAME",
)


@pytest.fixture
def blender(display: str, user_resources: Path) -> Iterator[WindowedBlender]:
    with windowed_blender(display, user_resources) as blender:
        blender.run(BENDING_BAR)
        yield blender


def test_every_display_is_drawn_and_none_looks_like_another(blender: WindowedBlender) -> None:
    blender.run("with view3d(): bpy.ops.skinscope.preview_start()\nbpy.context.scene.frame_set(15)")
    blender.run("settings.placement = 'ASIDE'; settings.distance = 1.2")
    # A bone that is active, for the display that shows its weights, and a colour of its own for the material.
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
