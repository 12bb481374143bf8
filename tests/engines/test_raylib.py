"""raylib loads what Blender exports, and puts every vertex where we predict, or a finding says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from skinning_addon.core.profiles.catalogue import load_profile
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_check import (
    RIGS,
    SHARE_OF_DIAGONAL,
    capture_of_scene,
    check_against,
    rules_of_scene,
)
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines

NAMED = {
    "CesiumMan.glb": "node-transform",
    "mannequiny.glb": "node-transform",
    "mpfb_game_engine_53k.blend": "node-transform",
    "assimp_animation_with_skeleton.fbx": "node-transform",
    "ufbx_maya_dq_weights.fbx": "node-transform",
    "mpfb_rigify_plain.blend": "joint-numbers",
}
"""Rigs that raylib deforms differently, by the rule that says so."""


def at_loaders_rate() -> None:
    """Set the scene's frame rate to the loader's sampling rate, so that no key is missed."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.0


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, raylib: Engine, rig: str):
    open_rig(rigs_folder / rig)
    at_loaders_rate()
    assert rules_of_scene("raylib") == ({NAMED[rig]} if rig in NAMED else set())
    if rig not in NAMED:
        check_against(raylib, tmp_path, load_profile("raylib"), "cpu")
        return
    _, deviations = capture_of_scene(raylib, tmp_path, load_profile("raylib"), "cpu")
    assert deviations.max() > 0.1


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, raylib: Engine, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    at_loaders_rate()
    if what_gets_lost.transformed:
        assert rules_of_scene("raylib") == {"node-transform"}
        return
    expected, deviations = capture_of_scene(raylib, tmp_path, load_profile("raylib"), "cpu")
    # Rigs may move many times their own size.
    assert deviations.max() <= SHARE_OF_DIAGONAL * max(1.0, expected.deviations_from_blender.max())
    assert expected.deviations_from_blender.max() > 1e-3


def test_a_second_set_replaces_the_first(tmp_path: Path, raylib: Engine):
    rig = animated_rig(RigOptions(seed=4, influences=9))
    without_flaws(rig)
    at_loaders_rate()
    bpy.context.view_layer.update()
    profile = load_profile("raylib")
    profile = replace(profile, exporter=replace(profile.exporter, influences=None))
    expected = check_against(raylib, tmp_path, profile, "cpu", export_all_influences=True)
    assert expected.deviations_from_blender.max() > 0.1


def test_an_armature_that_is_moved_counts_twice(tmp_path: Path, raylib: Engine):
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    rig.mesh.parent = rig.armature
    rig.armature.location = (0.0, 0.0, 1.0)
    at_loaders_rate()
    bpy.context.view_layer.update()
    assert rules_of_scene("raylib") == {"node-transform"}
    _, deviations = capture_of_scene(raylib, tmp_path, load_profile("raylib"), "cpu")
    assert deviations.max() > 0.1


def test_a_turn_too_small_for_its_interpolation_is_held(tmp_path: Path, raylib: Engine):
    """`QuaternionSlerp` takes keys for one where the cosine between them rounds to 1 in 32 bits."""
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    at_loaders_rate()
    root = rig.armature.pose.bones[0]
    rotation = root.rotation_quaternion.copy()
    rig.armature.animation_data_clear()
    for frame, turn in ((1, 0.0), (8, 0.0), (9, 3e-4)):
        root.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), turn) @ rotation
        root.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.view_layer.update()
    expected, deviations = capture_of_scene(raylib, tmp_path, load_profile("raylib"), "cpu")
    turned = np.linalg.norm(expected.predicted[1] - expected.predicted[0], axis=1).max() / expected.diagonal
    assert turned > 5 * SHARE_OF_DIAGONAL
    assert deviations[0] <= SHARE_OF_DIAGONAL
    assert deviations[1] == pytest.approx(turned, rel=0.02)
