"""Panda3D loads what Blender exports, and puts every vertex where we predict, or a finding says why not.

Its loader never plays the first key of a clip: its first sample shows the second, as is predicted.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL, capture_of_scene, rules_of_scene, sampled_at
from tests.engines.exported_rig import Expected
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RandomRig, RigOptions

pytestmark = pytest.mark.engines


def rules() -> set[str]:
    """Return what is found, apart from the rate: the loader samples at the scene's here."""
    return rules_of_scene("panda3d") - {"armature-between-keys"}


def captured(panda3d: Engine, folder: Path) -> tuple[Expected, float, float]:
    """Return the expected result, and how far Panda3D's is from it at the first frame and at the others."""
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.0
    profile = sampled_at(load_profile("panda3d"), 60)
    expected, deviations = capture_of_scene(panda3d, folder, profile, "cpu", beyond=1)
    return expected, deviations[0], deviations[1:].max()


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, panda3d: Engine, rig: str):
    open_rig(rigs_folder / rig)
    assert rules() == set()
    _, _, deviation = captured(panda3d, tmp_path)
    assert deviation <= SHARE_OF_DIAGONAL


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, panda3d: Engine, what_gets_lost: RigOptions):
    rig = animated_rig(what_gets_lost)
    keep_in_place(rig)
    assert rules() == set()
    expected, _, deviation = captured(panda3d, tmp_path)
    assert deviation <= SHARE_OF_DIAGONAL
    assert expected.deviations_from_blender.max() > 1e-3


def keep_in_place(rig: RandomRig) -> None:
    """Make the mesh a child of its armature."""
    to_world = rig.mesh.matrix_world.copy()
    rig.mesh.parent = rig.armature
    rig.mesh.matrix_world = to_world
    bpy.context.view_layer.update()


@pytest.mark.parametrize("moved", [False, True])
def test_a_mesh_beside_its_armature_is_misplaced(tmp_path: Path, panda3d: Engine, moved: bool):
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    rig.armature.location = (0.0, 0.0, float(moved))
    bpy.context.view_layer.update()
    _, _, deviation = captured(panda3d, tmp_path)
    assert rules() == {"mesh-beside-armature"}
    assert deviation > 0.1


def test_the_first_sample_plays_the_second_key_as_predicted(tmp_path: Path, panda3d: Engine):
    rig = animated_rig(RigOptions(seed=12, influences=3, scale="none"))
    without_flaws(rig)
    keep_in_place(rig)
    _, first, others = captured(panda3d, tmp_path)
    assert others <= SHARE_OF_DIAGONAL
    assert first <= SHARE_OF_DIAGONAL
