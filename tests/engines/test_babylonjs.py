"""Babylon.js loads what Blender exports, and puts every vertex where we predict."""

from __future__ import annotations

from pathlib import Path

import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import Engine
from tests.engines.engine_check import RIGS, check_against
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, babylonjs: Engine, rig: str):
    open_rig(rigs_folder / rig)
    check_against(babylonjs, tmp_path, load_profile("babylonjs"), "cpu")


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, babylonjs: Engine, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    expected = check_against(babylonjs, tmp_path, load_profile("babylonjs"), "cpu")
    assert expected.deviations_from_blender.max() > 1e-3
