"""Every option of Blender's Armature modifier, in every pair with every other: exact."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from skinning_addon.measurement.frame.mesh_measurement import MeshMeasurement
from skinning_addon.scene.binding.instant import Instant
from tests.scene.comparison import relative_distance, size_of_motion
from tests.scene.random_rig import RandomRig, RigOptions, random_rig

from .accuracy_log import log_accuracy
from .float64_chain import skinned_in_float64
from .grid import covering_rigs, describe
from .modifiers_alone import worst_step

EXACT = 1e-5
POSES = 2
OURS_AT_MOST = 3e-6
SEEDS = (1, 2, 3)

RIGS = [options for seed in SEEDS for options in covering_rigs(seed)]


@pytest.mark.parametrize("options", RIGS, ids=[f"{options.seed}" for options in RIGS])
def test_equals_blenders_evaluated_mesh(options: RigOptions, device: str) -> None:
    rig = random_rig(options)
    measurement = MeshMeasurement(rig.mesh, Instant(bpy.context.evaluated_depsgraph_get()), device)
    worst = 0.0
    cause = ""
    for _ in range(POSES):
        rig.pose()
        measured = measurement.measure(rig.mesh, Instant(bpy.context.evaluated_depsgraph_get()))
        relative = relative_distance(rig.mesh, measured.skinned.positions)
        assert math.isfinite(relative)
        worst = max(worst, relative)
        if relative > EXACT:
            exact = skinned_in_float64(measurement.binding, measured.frame)
            apart = np.linalg.norm(measured.skinned.positions - exact, axis=1).max()
            assert apart <= OURS_AT_MOST * size_of_motion(rig.mesh)
            cause = why_outside(rig)
    assert measurement.binding.exact
    measurement.free()
    log_accuracy("grid", describe(options), device, worst, cause)


def why_outside(rig: RandomRig) -> str:
    """Fail unless each of Blender's modifiers takes our input to our result, or hangs on its last digits
    itself.
    """
    step = worst_step(rig.mesh)
    assert step.deviation <= max(EXACT, step.nudged)
    return (
        f"Blender's float32: each modifier, from our input, is within {step.deviation:.1e}; "
        f"there Blender's own result moves by {step.nudged:.1e} when vertices move by a last digit"
    )
