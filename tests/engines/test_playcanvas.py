"""PlayCanvas loads what Blender exports, and puts every vertex where we predict, unless names mislead it."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.scene.editing.bone_renaming import (
    actions_to_follow,
    names_of_its_own,
    rename_bones,
)
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import Engine
from tests.engines.engine_check import RIGS, capture_of_scene, check_against, rules_of_scene
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines

NAMES_SHARED = "raylib_robot.blend"
"""Its armature and first bone have the same name, and so do meshes and bones."""


def rename_objects() -> None:
    """Give every object a name that no bone has."""
    for one in bpy.context.scene.objects:
        one.name = f"The object {one.name}"


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, playcanvas: Engine, rig: str):
    open_rig(rigs_folder / rig)
    if rig == NAMES_SHARED:
        rename_objects()
    assert rules_of_scene("playcanvas") == set()
    check_against(playcanvas, tmp_path, load_profile("playcanvas"), "cpu")


@pytest.mark.rigs
def test_shared_names_are_found_and_deceive_it(rigs_folder: Path, tmp_path: Path, playcanvas: Engine):
    open_rig(rigs_folder / NAMES_SHARED)
    assert rules_of_scene("playcanvas") == {"bone-names-shared"}
    _, deviations = capture_of_scene(playcanvas, tmp_path, load_profile("playcanvas"), "cpu")
    assert deviations.max() > 0.1


@pytest.mark.rigs
def test_bones_with_names_of_their_own_are_found(rigs_folder: Path, tmp_path: Path, playcanvas: Engine):
    open_rig(rigs_folder / NAMES_SHARED)
    scene = bpy.context.scene
    (armature,) = (one for one in scene.objects if one.type == "ARMATURE")
    names = names_of_its_own(scene, armature)
    rename_bones(armature, names, actions_to_follow(scene, armature, names))
    assert rules_of_scene("playcanvas") == set()
    check_against(playcanvas, tmp_path, load_profile("playcanvas"), "cpu")


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, playcanvas: Engine, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    expected = check_against(playcanvas, tmp_path, load_profile("playcanvas"), "cpu")
    assert expected.deviations_from_blender.max() > 1e-3
