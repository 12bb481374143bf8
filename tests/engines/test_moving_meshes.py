"""Meshes that move relative to their armatures: where they are in files, and what the findings say.

The judges are the files: .glb read by `skinned_gltf`, FBX evaluated by ufbx.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.profiles.exporter_settings import exported_so
from skinning_addon.core.profiles.profile import Profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene
from skinning_addon.measurement.profiles.profile_scan import ProfileScan
from skinning_addon.scene.clips.playback import ScenePlayback
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.engines.capture import Engine
from tests.engines.exported_fbx import EVERY_KEY, fbx_chain, in_order
from tests.engines.exported_gltf import exported_gltf
from tests.engines.exported_rig import Expected, from_y_up, number_vertices, predict, seconds
from tests.engines.moving_meshes import FRAMES, MOVES, SHOWN, Move, arm, carried, slide_both
from tests.engines.partly_keyed import world_positions
from tests.engines.ufbx_judge import Ufbx

SHARE_OF_DIAGONAL = 1e-6
"""Measured: 3e-7."""

FOUND = {
    ("gltf", "on a bone"): {"skin-on-bone"},
    ("gltf", "carried by a keyed armature"): set(),
    ("fbx", "carried by a keyed armature"): set(),
}
"""Findings other than about a mesh that moves."""


@pytest.mark.parametrize(("name", "current"), [*((one, False) for one in MOVES), ("keyed", True)])
def test_a_glb_holds_the_mesh_where_it_is_predicted(tmp_path: Path, name: str, *, current: bool):
    arm(MOVES[name], unweighted=True)
    chosen = {"export_animation_mode": "SCENE", "export_current_frame": current}
    profile = exported_so(load_profile("threejs"), chosen)
    expected = predicted(profile)
    arm(MOVES[name], unweighted=True)
    file = exported_gltf(tmp_path, deformed_meshes(bpy.context.scene), **chosen)
    captured = [file.positions("Arm", seconds(frame)) for frame in FRAMES]
    sources = captured[0][1]
    positions = from_y_up(np.array([one for one, _ in captured]))
    assert expected.deviations(positions, sources).max() <= SHARE_OF_DIAGONAL
    off = np.linalg.norm(positions - expected.blender[:, sources], axis=2).max()
    check_findings(MOVES[name], profile, off, FOUND.get(("gltf", name), {"mesh-moves"}), unweighted=True)


@pytest.mark.engines
@pytest.mark.processes
@pytest.mark.parametrize("name", MOVES)
def test_an_fbx_file_holds_the_mesh_where_it_is_predicted(ufbx: Ufbx, tmp_path: Path, name: str):
    arm(MOVES[name])
    chosen = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False, **EVERY_KEY}
    profile = exported_so(fbx_chain(), chosen)
    expected = predicted(profile)
    arm(MOVES[name])
    meshes = deformed_meshes(bpy.context.scene)
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "arm.fbx"), **chosen)
    captured = ufbx.capture(tmp_path / "arm.fbx", [seconds(frame) for frame in FRAMES], tmp_path)
    positions = in_order(captured, meshes)
    assert expected.deviations(positions, np.arange(positions.shape[1])).max() <= SHARE_OF_DIAGONAL
    off = np.linalg.norm(positions - expected.blender, axis=2).max()
    check_findings(MOVES[name], profile, off, FOUND.get(("fbx", name), {"mesh-moves"}))


@pytest.mark.engines
@pytest.mark.processes
@pytest.mark.parametrize("name", ["keyed", "keyed armature", "on a bone"])
def test_a_usd_file_holds_the_mesh_where_it_is_predicted(usd: Engine, tmp_path: Path, name: str):
    arm(MOVES[name])
    profile = load_profile("usd")
    expected = predicted(profile)
    arm(MOVES[name])
    number_vertices(deformed_meshes(bpy.context.scene))
    bpy.ops.wm.usd_export(filepath=str(tmp_path / "arm.usdc"), export_animation=True, export_materials=False)
    positions, sources = usd.capture(tmp_path / "arm.usdc", [seconds(frame) for frame in FRAMES], tmp_path)
    assert expected.deviations(positions, sources).max() <= SHARE_OF_DIAGONAL
    off = np.linalg.norm(positions - expected.blender[:, sources], axis=2).max()
    check_findings(MOVES[name], profile, off, {"mesh-moves"})


@pytest.mark.engines
@pytest.mark.processes
def test_a_parent_that_is_left_out_shears_nothing(ufbx: Ufbx, tmp_path: Path):
    def under_a_stretched_empty() -> None:
        arm(carried)
        empty = bpy.data.objects.new("Stretched", None)
        bpy.context.scene.collection.objects.link(empty)
        empty.scale = (1, 1.6, 0.7)
        bpy.data.objects["Arm"].parent = empty
        bpy.data.objects["Arm"].rotation_euler = (0.5, 0.4, 0)
        bpy.context.scene.frame_set(SHOWN)

    chosen = {"bake_anim_use_nla_strips": False, "bake_anim_use_all_actions": False, **EVERY_KEY}
    profile = exported_so(fbx_chain(), chosen)
    off: list[float] = []
    for types in ({"EMPTY", "ARMATURE", "MESH"}, {"ARMATURE", "MESH"}):
        under_a_stretched_empty()
        expected = predicted(profile)
        under_a_stretched_empty()
        bpy.ops.export_scene.fbx(filepath=str(tmp_path / "arm.fbx"), object_types=types, **chosen)
        captured = ufbx.capture(tmp_path / "arm.fbx", [seconds(frame) for frame in FRAMES], tmp_path)
        positions = in_order(captured, deformed_meshes(bpy.context.scene))
        off.append(expected.deviations(positions, np.arange(positions.shape[1])).max())
    assert off[0] <= SHARE_OF_DIAGONAL
    assert off[1] > 0.05
    report = check_scene(bpy.context.scene, "arm", CheckSettings("cpu", profiles=(profile,)))
    assert "sheared-by-parent" in {one.rule for one in report.findings}


def predicted(profile: Profile) -> Expected:
    meshes = deformed_meshes(bpy.context.scene)
    scene = ScenePlayback(FRAMES[0], FRAMES[-1])
    return predict(meshes, scene, FRAMES, profile, "cpu", exported_with=profile.export_options)


def check_findings(
    move: Move, profile: Profile, off: float, rules: set[str], *, unweighted: bool = False
) -> None:
    """Compare what the check and the sidebar report with how far the file is off."""
    arm(move, unweighted=unweighted)
    scene, depsgraph = bpy.context.scene, bpy.context.evaluated_depsgraph_get()
    playback = ScenePlayback(FRAMES[0], FRAMES[-1])
    scan = ProfileScan(scene, depsgraph, deformed_meshes(scene), [profile], [playback])
    for _ in scan.steps():
        pass
    assert scene.frame_current == SHOWN
    report = check_scene(scene, "arm", CheckSettings("cpu", profiles=(profile,)))
    for meshes, findings in (
        (scan.reports[0].meshes, scan.reports[0].findings),
        (report.meshes, report.findings),
    ):
        assert meshes[0].worst.max == pytest.approx(off, abs=3e-6)
        about_file = [one for one in findings if one.rule != "unweighted-vertices"]
        assert {one.rule for one in about_file} == rules
        assert all(one.deviation == pytest.approx(off, abs=3e-6) for one in about_file)


def give_to_a_bone(armature: bpy.types.Object, skin: bpy.types.Object) -> None:
    """As `mesh-moves` advises: the mesh's motion belongs to a bone above all others."""
    skin.parent = armature
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("mover")
    bone.tail = (0, 0, 1)
    armature.data.edit_bones["b0"].parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame, metres in ((0, 0.0), (12, 1.0)):
        armature.pose.bones["mover"].location = (metres, 0, 0)
        armature.pose.bones["mover"].keyframe_insert("location", frame=frame)


@pytest.mark.parametrize("remedy", [give_to_a_bone, slide_both, carried])
def test_the_advice_helps(tmp_path: Path, remedy: Move):
    """A bone that has the mesh's motion, an armature that carries it, and one in place of a bone."""
    arm(remedy)
    (mesh,) = deformed_meshes(bpy.context.scene)
    file = exported_gltf(tmp_path, [mesh], export_animation_mode="SCENE")
    for frame in FRAMES:
        bpy.context.scene.frame_set(frame)
        positions, sources = file.positions("Arm", seconds(frame))
        off = np.linalg.norm(from_y_up(positions) - world_positions(mesh)[sources], axis=1).max()
        assert off <= 4 * SHARE_OF_DIAGONAL, frame
