"""An armature with two clips, and a script file that plays them."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.scene.posed_arm import keyed_arm
from tests.ui.tracks.move_script import MOVE


@pytest.fixture
def armature(session) -> bpy.types.Object:  # noqa: ARG001
    """The keyed arm with two actions, Bend and Lean, which has a marker 9 frames in; its clips are listed."""
    armature = keyed_arm()
    bend = armature.animation_data.action
    lean = bend.copy()
    lean.name = "Lean"
    lean.use_fake_user = bend.use_fake_user = True
    lean.pose_markers.new("step").frame = 10
    bpy.context.view_layer.objects.active = armature
    bpy.ops.skinscope.clips_refresh()
    return armature


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "move.toml"
    path.write_text(MOVE, encoding="utf-8")
    return path
