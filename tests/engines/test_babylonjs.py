"""Babylon.js loads what Blender exports, and puts every vertex where we predict, unless keys of the mesh itself
move it too.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.verdicts.finding import Severity
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.command_line.rig_files import animated_rig
from tests.engines.capture import Engine
from tests.engines.checked_export import write_with_one_animation
from tests.engines.engine_check import RIGS, check_against
from tests.engines.exported_gltf import exported_gltf
from tests.engines.exported_rig import seconds
from tests.engines.glb_file import GlbFile
from tests.engines.moving_meshes import MOVES, arm
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


@pytest.mark.parametrize("mode", ["ACTIVE_ACTIONS", "ACTIONS"])
def test_keys_of_the_mesh_itself_move_it_too(tmp_path: Path, babylonjs: Engine, mode: str):
    """glTF says that the transform of a skinned mesh's node is to be ignored; without bones that move, the whole
    deviation is that of the mesh's own keys, if the file has them in the armature's animation.
    """
    still_bones_and_a_sliding_mesh()
    chosen = {"export_animation_mode": mode}
    profile = exported_so(load_profile("babylonjs"), chosen)
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", profiles=(profile,)))
    (finding,) = [one for one in report.findings if one.rule == "mesh-keys-played"]
    still_bones_and_a_sliding_mesh()
    file = exported_gltf(tmp_path, deformed_meshes(bpy.context.scene), **chosen)
    names = [one["name"] for one in file.document["animations"]]
    apart = mode == "ACTIONS"
    own = "SkinAction" if apart else "Animation"
    assert names == (["Bend", own] if apart else [own])
    assert finding.severity is (Severity.WARNING if apart else Severity.ERROR)
    assert (f"'{own}'" in finding.message) == apart
    times = [seconds(frame) for frame in (0, 5, 12)]
    held = np.array([file.positions(own, one)[0] for one in times])
    assert np.ptp(held, axis=0).max() < 1e-6
    alone = tmp_path / "alone.glb"
    write_with_one_animation(GlbFile(tmp_path / "exported.glb"), own, alone)
    played, _ = babylonjs.capture(alone, times, tmp_path)
    assert np.linalg.norm(played - held, axis=2).max() == pytest.approx(finding.deviation, abs=1e-5)


def still_bones_and_a_sliding_mesh() -> None:
    """Key an arm's bones at rest, and its mesh, from frame 0 to 12."""
    arm(MOVES["keyed"])
    for bone in bpy.data.objects["Arm"].pose.bones:
        bone.matrix_basis.identity()
    for curve in fcurves(bpy.data.objects["Arm"].animation_data.action):
        for key in curve.keyframe_points:
            key.co.y, key.interpolation = float(curve.array_index == 0), "LINEAR"
