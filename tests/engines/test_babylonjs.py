"""Babylon.js loads what Blender exports, and puts every vertex where we say it will."""

from __future__ import annotations

from pathlib import Path

import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.scene.files import open_file
from tests.command_line.rig_files import animated_rig
from tests.engines.engine_check import RIGS, check_against
from tests.engines.node_engine import NodeEngine
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, babylonjs: NodeEngine, rig: str):
    open_file(str(rigs_folder / rig))
    check_against(babylonjs, tmp_path, load_profile("babylonjs"), "cpu")


@pytest.mark.parametrize(
    "options",
    [
        RigOptions(seed=1),
        RigOptions(seed=2, influences=9, transformed=True),
        RigOptions(seed=3, preserve_volume=True, mask=True),
        RigOptions(seed=4, bendy=4),
        RigOptions(seed=8, inherit_scale="ALIGNED", constraints=True),
        RigOptions(seed=9, scale="negative"),
    ],
    ids=lambda options: f"seed{options.seed}",
)
def test_whatever_blender_does_that_gets_lost(tmp_path: Path, babylonjs: NodeEngine, options: RigOptions):
    animated_rig(options)
    expected = check_against(babylonjs, tmp_path, load_profile("babylonjs"), "cpu")
    assert expected.deviations_from_blender.max() > 1e-3
