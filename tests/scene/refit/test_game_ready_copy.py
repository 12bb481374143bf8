"""Copies of rigs that need no fit equal the originals, as Blender evaluates both."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.armature_state import ArmatureState
from skinning_addon.scene.clips.clips import list_clips
from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.staging.clip_staging import playback_frames
from tests.scene.opened_rigs import is_readable, open_rig
from tests.scene.refit.evaluated import play, rest_matrices, rest_positions, weights, world_positions
from tests.scene.refit.planning import copied, planned, the_armature

NO_FIT_NEEDED = ["KayKit_Knight.glb", "Fox.glb", "mannequiny.glb", "CesiumMan.glb"]


@pytest.mark.rigs
@pytest.mark.parametrize("name", NO_FIT_NEEDED)
def test_rigs_that_need_no_fit_come_back_unchanged(rigs_folder: Path, name: str):
    open_rig(rigs_folder / name)
    original, scene = the_armature(), bpy.context.scene
    clips = {clip.name: clip for clip in list_clips(scene, [original])}
    plan = planned(original)
    assert plan.cut_vertices == 0
    rest = rest_matrices(original)
    armature, meshes = copied(plan)

    for bone, matrix in rest_matrices(armature).items():
        assert np.array_equal(matrix, rest[bone])
    assert {track.name for track in armature.animation_data.nla_tracks} == set(clips)
    for one, copy in meshes.items():
        assert np.array_equal(rest_positions(copy), rest_positions(bpy.data.objects[one]))
        if copy.modifiers:
            assert weights(copy) == weights(bpy.data.objects[one])
    of_copy = {clip.name: clip for clip in list_clips(scene, [armature])}
    for clip in clips.values():
        lasts = of_copy[clip.name].frame_start, of_copy[clip.name].frame_end
        assert lasts == pytest.approx((clip.frame_start, clip.frame_end), abs=1e-4)
        play(original, clip)
        play(armature, of_copy[clip.name])
        for frame in playback_frames(clip):
            set_frame(scene, frame)
            for one, copy in meshes.items():
                wanted = world_positions(bpy.data.objects[one])
                off = np.abs(world_positions(copy) - wanted).max() / np.linalg.norm(np.ptp(wanted, axis=0))
                assert off <= 1e-5, (clip.name, frame, one)


@pytest.mark.rigs
@pytest.mark.skipif(
    not is_readable("mpfb_rigify_plain.blend"), reason="saved by a newer Blender than this one"
)
def test_a_control_rig_becomes_its_deforming_bones(rigs_folder: Path):
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    original, scene = the_armature(), bpy.context.scene
    clips = {clip.name: clip for clip in list_clips(scene, [original])}
    plan = planned(original)
    # Bones that a clip doesn't key stay as the scene has them.
    state = ArmatureState.of(original)
    rest = rest_matrices(original)
    armature, meshes = copied(plan)
    (mesh,) = meshes.values()
    body = bpy.data.objects[plan.plan.meshes[0].object]

    bones = armature.data.bones
    assert {bone.name for bone in bones} == {bone.name for bone in original.data.bones if bone.use_deform}
    assert {bone.inherit_scale for bone in bones} == {"FULL"}
    assert not any(len(bone.constraints) for bone in armature.pose.bones)
    parents = {bone.name: bone.parent.name if bone.parent else None for bone in bones}
    assert parents["DEF-f_index.02.L"] == "DEF-f_index.01.L"
    # Both arms alike, although only one is stretched.
    assert parents["DEF-forearm.L"] == "DEF-shoulder.L"
    assert parents["DEF-forearm.R"] == "DEF-shoulder.R"
    assert parents["DEF-shin.L.001"] == "DEF-shin.L"
    # By way of ORG bones, which the copy lacks.
    assert parents["DEF-pelvis.L"] == "DEF-spine"
    assert parents["DEF-jaw_master"] == "DEF-spine.006"
    assert parents["DEF-lid.T.L"] == "DEF-eye_master.L"
    # Edit Mode computes rest poses again, in single precision.
    for bone, matrix in rest_matrices(armature).items():
        assert np.abs(matrix - rest[bone]).max() < 3e-5
    assert np.array_equal(rest_positions(mesh), rest_positions(body))

    diagonal = np.linalg.norm(np.ptp(rest_positions(body), axis=0))
    of_copy = {clip.name: clip for clip in list_clips(scene, [armature])}
    largest = 0.0
    for clip in clips.values():
        state.restore(original)
        play(original, clip)
        play(armature, of_copy[clip.name])
        for frame in playback_frames(clip):
            set_frame(scene, frame)
            largest = max(
                largest, np.linalg.norm(world_positions(mesh) - world_positions(body), axis=1).max()
            )
    # A default export is 0.15 of the diagonal off. What is left is the shear of the bones themselves.
    assert 1e-5 < largest / diagonal < 8e-4
    sheared = dict(zip((bone.name for bone in plan.plan.bones), plan.errors, strict=True))
    assert max(sheared.values()) > 1e-4
