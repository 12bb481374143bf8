"""Every option of Blender's Armature modifier, in every pair with every other: exact, or named as not exact."""

from __future__ import annotations

import math

import bpy
import pytest

from skinning_addon.measurement.mesh_measurement import MeshMeasurement
from tests.scene.comparison import relative_distance
from tests.scene.random_rig import RigOptions, random_rig

from .accuracy_log import log_accuracy
from .grid import covering_rigs, describe

EXACT = 1e-5
POSES = 2
SEEDS = (1, 2, 3)

RIGS = [options for seed in SEEDS for options in covering_rigs(seed)]


@pytest.mark.parametrize("options", RIGS, ids=[f"{options.seed}" for options in RIGS])
def test_equals_blenders_evaluated_mesh(options: RigOptions, device: str) -> None:
    rig = random_rig(options)
    measurement = MeshMeasurement(rig.mesh, bpy.context.evaluated_depsgraph_get(), device)
    worst = 0.0
    for _ in range(POSES):
        rig.pose()
        measured = measurement.measure(rig.mesh, bpy.context.evaluated_depsgraph_get())
        worst = max(worst, relative_distance(rig.mesh, measured.skinned.positions))
    rules = tuple(reason.rule for reason in measurement.binding.reasons)
    measurement.free()
    log_accuracy("grid", describe(options), device, worst, rules)
    assert math.isfinite(worst)
    # The one thing that a static skin can't hold; it is said, and docs/accuracy.md lists these cells.
    assert set(rules) <= {"weights-follow-pose"}
    assert worst <= EXACT or rules
