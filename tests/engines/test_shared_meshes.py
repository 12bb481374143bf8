"""Objects that share a mesh and an armature, in an FBX file as ufbx reads it."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from tests.command_line.rig_files import animated_rig, without_flaws
from tests.engines.partly_keyed import world_positions
from tests.engines.ufbx_judge import Ufbx
from tests.scene.random_rig import RigOptions

pytestmark = [pytest.mark.engines, pytest.mark.processes]

APART = 8.0


def two_objects(*, mirrored: bool) -> None:
    """Build two objects of one mesh, side by side. mirrored: whether one also has a Mirror modifier."""
    rig = animated_rig(RigOptions(seed=3, influences=4, scale="none"))
    without_flaws(rig)
    second = bpy.data.objects.new("Second", rig.mesh.data)
    bpy.context.scene.collection.objects.link(second)
    second.modifiers.new("Armature", "ARMATURE").object = rig.armature
    second.location.x = APART
    if mirrored:
        second.modifiers.new("Mirror", "MIRROR")
    bpy.context.view_layer.update()


@pytest.mark.parametrize("mirrored", [False, True])
def test_the_file_has_one_skin_for_both(ufbx: Ufbx, tmp_path: Path, *, mirrored: bool):
    two_objects(mirrored=mirrored)
    path = tmp_path / "two.fbx"
    scene = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False}
    bpy.ops.export_scene.fbx(filepath=str(path), bake_anim_simplify_factor=0, **scene)
    bpy.context.scene.frame_set(5)
    captured = ufbx.capture(path, [5 / 24], tmp_path)
    first = bpy.data.objects["Random mesh"]
    off = np.linalg.norm(captured.positions[first.name][0] - world_positions(first), axis=1).max()
    settings = CheckSettings("cpu", profiles=(load_profile("unity-unlimited"),))
    report = check_scene(bpy.context.scene, "two", settings)
    found = {one.object: one.deviation for one in report.findings if one.rule == "mesh-shared-in-fbx"}
    if mirrored:
        assert off < 1e-4
        assert not found
    else:
        assert off == pytest.approx(APART, abs=1e-4)
        assert found == pytest.approx({first.name: off}, abs=1e-4)
