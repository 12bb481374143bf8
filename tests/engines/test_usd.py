"""OpenUSD reads what Blender exports, and puts every vertex where we predict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.capture import Engine
from tests.engines.engine_check import RIGS, SHARE_OF_DIAGONAL
from tests.engines.exported_rig import Expected
from tests.engines.exported_usd import capture_of_scene
from tests.scene.opened_rigs import open_rig
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.engines


def check_against(usd: Engine, folder: Path, settings: Mapping[str, object] | None = None) -> Expected:
    profile = exported_so(load_profile("usd"), settings or {})
    expected, deviations = capture_of_scene(usd, folder, profile, **(settings or {}))
    assert deviations.max() <= SHARE_OF_DIAGONAL
    return expected


@pytest.mark.rigs
@pytest.mark.parametrize("rig", RIGS)
def test_every_vertex_of_a_rig(rigs_folder: Path, tmp_path: Path, usd: Engine, rig: str):
    open_rig(rigs_folder / rig)
    check_against(usd, tmp_path)


def test_whatever_blender_does_that_gets_lost(tmp_path: Path, usd: Engine, what_gets_lost: RigOptions):
    animated_rig(what_gets_lost)
    expected = check_against(usd, tmp_path)
    assert expected.deviations_from_blender.max() > 1e-3


def test_deform_bones_alone_keep_their_ancestors(tmp_path: Path, usd: Engine):
    animated_rig(RigOptions(seed=8, inherit_scale="ALIGNED", constraints=True))
    check_against(usd, tmp_path, {"only_deform_bones": True})


def test_unscaled_bones_are_as_in_blender(tmp_path: Path, usd: Engine):
    rig = animated_rig(RigOptions(seed=12, influences=6, scale="none"))
    without_flaws(rig)
    bpy.context.view_layer.update()
    expected = check_against(usd, tmp_path)
    assert expected.deviations_from_blender.max() <= SHARE_OF_DIAGONAL


def test_scales_that_change_little_stay(tmp_path: Path, usd: Engine):
    """A bone grows by a twentieth over 20 frames; its scale is written at about every fourth."""
    rig = animated_rig(RigOptions(seed=12, influences=6, scale="none"))
    without_flaws(rig)
    bone = rig.armature.pose.bones[2]
    bpy.context.scene.frame_end = 21
    for frame, scale in ((1, 1.0), (21, 1.05)):
        bone.scale = (scale, scale, scale)
        bone.keyframe_insert("scale", frame=frame)
    for frame in (5, 9):
        bone.keyframe_delete("scale", frame=frame)
    bpy.context.view_layer.update()
    expected = check_against(usd, tmp_path)
    most = np.float64(expected.deviations_from_blender.max())
    # 4.2 writes every scale, in 16 bits.
    assert (most > 1e-3) == (bpy.app.version >= (4, 3, 0))
