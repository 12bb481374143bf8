"""Real characters that none of us made: every clip, and random poses, against Blender's evaluated mesh."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from skinning_addon.measurement.scan import SceneScan
from skinning_addon.scene.clips import list_clips
from skinning_addon.scene.deformed_meshes import deformed_meshes
from skinning_addon.scene.playback import Playback, ScenePlayback, reset_pose
from tests.scene.comparison import relative_distance
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


def test_every_clip_equals_blender(rig: str, device: str) -> None:
    clips = list_clips(bpy.context.scene)
    worst = 0.0
    with SceneScan(bpy.context.scene, deformed_meshes(bpy.context.scene), device) as scan:
        for sample in scan.samples(clips, first_middle_last):
            mesh = bpy.context.scene.objects[sample.mesh]
            here = relative_distance(mesh, sample.measurement.skinned.positions)
            assert sample.measurement.deviation.relative == pytest.approx(here, rel=1e-3, abs=1e-9)
            worst = max(worst, here)
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
