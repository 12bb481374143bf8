"""Godot loads what Blender exports, and puts every vertex where we predict. Only where there is a Godot."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import Engine
from tests.engines.engine_check import RIGS, capture_of_scene, sampled_at
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines

LIMIT = 2e-5
"""A weight on the edge of a step of 16 bits may be cut off either way."""


def at_captures_rate() -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 60, 1.0


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, godot: Engine, rig: str):
    open_rig(rigs_folder / rig)
    at_captures_rate()
    _, deviations = capture_of_scene(godot, tmp_path, sampled_at(load_profile("godot4"), 60), "cpu")
    assert deviations.max() <= LIMIT


def test_eight_influences_in_two_sets(tmp_path: Path, godot: Engine):
    animated_rig(RigOptions(seed=2, influences=9))
    at_captures_rate()
    expected, deviations = capture_of_scene(
        godot, tmp_path, sampled_at(load_profile("godot4-8"), 60), "cpu", export_influence_nb=8
    )
    assert deviations.max() <= LIMIT * max(1.0, expected.deviations_from_blender.max())
