"""Real third-party characters: every clip, and random poses, against Blender's evaluated mesh."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from skinning_addon.measurement.check.scan import SceneScan
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import Playback, ScenePlayback, reset_pose
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.comparison import Comparison, compare, relative_distance
from tests.scene.opened_rigs import open_rig

from .accuracy_log import log_accuracy

EXACT = 1e-5
RIGS = {
    "CesiumMan.glb": 1,
    "Fox.glb": 1,
    "KayKit_Knight.glb": 6,
    "SimpleSkin.gltf": 1,
    "assimp_animation_with_skeleton.fbx": 1,
    "m2m_bird.blend": 1,
    "mannequiny.glb": 1,
    "mpfb_game_engine_53k.blend": 1,
    "mpfb_rigify_plain.blend": 1,
    "raylib_robot.blend": 14,
    "ufbx_maya_dq_weights.fbx": 1,
}
RANDOM_POSES = 3


@pytest.fixture(params=RIGS)
def rig(request: pytest.FixtureRequest, rigs_folder: Path) -> str:
    open_rig(rigs_folder / request.param)
    assert len(deformed_meshes(bpy.context.scene)) == RIGS[request.param]
    return request.param


def first_middle_last(playback: Playback) -> Sequence[float]:
    return playback.frame_start, (playback.frame_start + playback.frame_end) / 2, playback.frame_end


def size_of_character(mesh: bpy.types.Object) -> float:
    """Return the diagonal of all that the mesh's armature deforms, and of its bones, at rest; in units of the
    mesh's space.

    Each object keeps its current transform. By the largest scale of the mesh, which gives the smallest value.
    """
    armature = mesh.find_armature() or mesh.parent
    points = [
        armature.matrix_world @ end
        for bone in armature.data.bones
        for end in (bone.head_local, bone.tail_local)
    ]
    for one in bpy.context.scene.objects:
        if one.type == "MESH" and (one == mesh or one.find_armature() == armature):
            points += [one.matrix_world @ vertex.co for vertex in one.data.vertices]
    diagonal = np.linalg.norm(np.ptp(np.array(points, dtype=np.float64), axis=0))
    scales = np.linalg.svd(np.array(mesh.matrix_world.to_3x3()), compute_uv=False)
    return float(diagonal / scales[0])


def documented_relative(compared: Comparison, character: float) -> float:
    """Return the largest distance as a share of size and movement, as docs/check-report.md has it."""
    # Scaled unevenly, a mesh may be larger in its own space than its character is by the mesh's largest scale.
    return compared.distance / (max(compared.diagonal, character) + compared.moved)


def test_every_clip_equals_blender(rig: str, device: str) -> None:
    clips = list_clips(bpy.context.scene)
    characters = {one.name: size_of_character(one) for one in deformed_meshes(bpy.context.scene)}
    worst = 0.0
    with SceneScan(bpy.context.scene, deformed_meshes(bpy.context.scene), device) as scan:
        for sample in scan.samples(clips, first_middle_last):
            mesh = bpy.context.scene.objects[sample.mesh]
            compared = compare(mesh, sample.measurement.skinned.positions)
            told = documented_relative(compared, characters[mesh.name])
            assert sample.measurement.deviation.relative == pytest.approx(told, rel=1e-3, abs=1e-9)
            worst = max(worst, compared.relative)
        assert not scan.refused
        assert all(one.binding.exact for one in scan.measured.values())
    log_accuracy("rigs, every clip at 3 frames", f"{rig}, {len(clips)} clips", device, worst)
    assert clips
    assert worst <= EXACT


def test_random_poses_with_rotation_and_scale_equal_blender(rig: str, device: str) -> None:
    random = np.random.default_rng(7)
    scene = bpy.context.scene
    armatures = [one for one in scene.objects if one.type == "ARMATURE"]
    for armature in armatures:
        armature.animation_data_clear()
    present = ScenePlayback(scene.frame_current, scene.frame_current)
    worst = 0.0
    with SceneScan(scene, deformed_meshes(scene), device) as scan:
        for _ in range(RANDOM_POSES):
            for armature in armatures:
                _pose_randomly(armature, random)
            for sample in scan.samples([present], lambda playback: [playback.frame_start]):
                mesh = scene.objects[sample.mesh]
                worst = max(worst, relative_distance(mesh, sample.measurement.skinned.positions))
        assert not scan.refused
    log_accuracy("rigs, random poses", rig, device, worst)
    assert worst <= EXACT


def _pose_randomly(armature: bpy.types.Object, random: np.random.Generator) -> None:
    reset_pose(armature)
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = Quaternion(random.normal(size=3), random.uniform(0, 0.8))
        bone.scale = random.uniform(0.7, 1.4, 3)
