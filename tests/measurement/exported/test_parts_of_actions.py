"""A check of an export whose scene plays a part of an action that the file has whole."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.measurement.exported.file_check import FileCheckSettings, check_file
from skinning_addon.measurement.exported.opened_file import opener_of
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.scene.random_rig import RigOptions

FIRST, LAST = 4, 7
"""The frames of the strip; its action has those from 1 to 9."""


def play_a_part() -> None:
    """Build a rig of which any file is exact, whose only track plays a part of its action."""
    rig = animated_rig(RigOptions(seed=3, influences=4, scale="none"))
    without_flaws(rig)
    data = rig.armature.animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    data.action = None
    track = data.nla_tracks.new()
    track.name = "Sway"
    strip = track.strips.new("Sway", FIRST, action)
    if slot is not None:
        strip.action_slot = slot
    strip.action_frame_start, strip.action_frame_end = FIRST, LAST


@pytest.mark.parametrize("written", ["bake_anim_use_all_actions", "bake_anim_use_nla_strips"])
def test_fbx_files_are_compared_at_the_same_frames(tmp_path: Path, written: str):
    play_a_part()
    file = str(tmp_path / "rig.fbx")
    other = {"bake_anim_use_all_actions", "bake_anim_use_nla_strips"} - {written}
    bpy.ops.export_scene.fbx(filepath=file, bake_anim_simplify_factor=0, **dict.fromkeys(other, False))
    verdict = check_file(bpy.context.scene, file, opener_of(file), FileCheckSettings())
    (mesh,) = verdict.report.meshes
    assert mesh.worst.frames == LAST - FIRST + 1
    assert mesh.worst.relative <= 1e-5


def test_glb_files_are_compared_at_the_same_frames(tmp_path: Path):
    play_a_part()
    file = str(tmp_path / "rig.glb")
    bpy.ops.export_scene.gltf(filepath=file, export_anim_slide_to_zero=True)
    verdict = check_file(bpy.context.scene, file, opener_of(file), FileCheckSettings())
    (mesh,) = verdict.report.meshes
    assert mesh.worst.frames == LAST - FIRST + 1
    assert mesh.worst.relative <= 1e-5
