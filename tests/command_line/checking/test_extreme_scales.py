"""Objects scaled near and beyond the range of Blender's 32-bit numbers: exact if Blender is right, otherwise
named, never in between.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.conftest import Program
from tests.command_line.rig_files import blender_positions, rig_file
from tests.scene.random_rig import RandomRig, RigOptions

SCALES = [1e-30, 1e-20, 1e-16, 1e-13, 1e-12, 1e-6, 1.0, 1e6, 1e12, 1e13, 1e16, 1e20, 1e30]


def scaled(mesh: float, armature: float):
    def change(rig: RandomRig) -> None:
        rig.mesh.scale = (mesh,) * 3
        rig.armature.scale = (armature,) * 3

    return change


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
@pytest.mark.parametrize("scale", SCALES)
def test_both_scaled_alike(tmp_path: Path, skinscope: Program, scale: float):
    # Where both stand in each other does not change with their scale, and so the result in mesh space must not
    # either.
    options = RigOptions(vertices=60, bones=4)
    right = blender_positions(rig_file(tmp_path / "one.blend", options), "Random mesh", 5)
    path = rig_file(tmp_path / "rig.blend", options, scaled(scale, scale))
    is_right = np.allclose(blender_positions(path, "Random mesh", 5), right, rtol=0, atol=1e-5)
    report = skinscope("check", path, "--format", "json", "--device", "cpu").json["files"][0]
    rules = {one["rule"] for one in report["findings"] if one["severity"] == "error"}
    if is_right:
        assert (report["passed"], rules) == (True, set())
        assert report["meshes"][0]["deviation"]["relative"] <= 1e-5
    else:
        assert (report["passed"], report["meshes"], rules) == (False, [], {"scale-beyond-precision"})


@pytest.mark.parametrize(("mesh", "armature"), [(1e-20, 1), (1, 1e-20), (1e20, 1), (1, 1e20), (1e-10, 1e10)])
def test_scaled_apart(tmp_path: Path, skinscope: Program, mesh: float, armature: float):
    path = rig_file(tmp_path / "rig.blend", RigOptions(vertices=60, bones=4), scaled(mesh, armature))
    result = skinscope("check", path, "--format", "json", "--device", "cpu")
    (file,) = result.json["files"]
    (finding,) = [one for one in file["findings"] if one["severity"] == "error"]
    assert (result.status, finding["rule"], file["meshes"]) == (1, "scale-beyond-precision", [])
    assert f"extreme scale, {mesh:.3g} and {armature:.3g}," in finding["message"]


def test_a_tiny_scale_is_told_as_it_is(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(vertices=60, bones=4), scaled(1e-12, 1e-12))
    (file,) = skinscope("check", path, "--format", "json", "--device", "cpu").json["files"]
    told = [one["message"] for one in file["findings"] if one["rule"] == "object-scale"]
    assert len(told) == 2
    assert all("is scaled by 1e-12;" in one for one in told)
    assert bpy.data.objects["Random mesh"].matrix_world[0][0] != 0
