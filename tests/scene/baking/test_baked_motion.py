"""Baked clips against Blender's own vertices at the same frames, including between keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.fitting import fit_hierarchy
from skinning_addon.animation.local_pose import compose, greatest_stretch
from skinning_addon.animation.reduction import reduce_clip
from skinning_addon.animation.sampling import ClipSampler
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.skinning.deviation import measure_deviation
from skinning_addon.core.verdicts.tolerance import Tolerance
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.baking.clip_baking import (
    EXACT_BETWEEN,
    BakedClip,
    BakeSettings,
    bake_clips,
    bone_boxes,
)
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.clips import SceneClip, find_clips, list_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from skinning_addon.scene.meshes.blender_result import read_blender_positions
from skinning_addon.scene.objects.deformed_meshes import deformed_meshes
from tests.scene.opened_rigs import open_rig
from tests.scene.posed_arm import keyed_arm

EXACT = 1e-5


def _armature() -> bpy.types.Object:
    return next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")


def _frames(clip: SceneClip, whole: int, fractional: int) -> list[float]:
    random = np.random.default_rng(7)
    span = np.linspace(clip.frame_start, clip.frame_end, whole)
    return [
        *np.round(span[1:-1]),
        *span[[0, -1]],
        *random.uniform(clip.frame_start, clip.frame_end, fractional),
    ]


def _worst(clip: SceneClip, baked: BakedClip, frames: list[float]) -> float:
    """The largest relative deviation of a baked clip's vertices from Blender's evaluated meshes."""
    scene, armature = bpy.context.scene, _armature()
    skeleton = read_armature(armature).skeleton
    sampler = ClipSampler(baked.clip, skeleton)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    meshes = deformed_meshes(scene)
    bindings = [read_binding(one, depsgraph) for one in meshes]
    readers = [FrameReader(binding) for binding in bindings]
    skinners = [SoftwareSkinner(binding.passes, binding.mesh) for binding in bindings]
    play_clip(scene, clip)
    worst = 0.0
    for frame in frames:
        set_frame(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        poses = {armature.name: skeleton.to_root(compose(sampler.sample([frame])))[0]}
        for one, binding, reader, skinner in zip(meshes, bindings, readers, skinners, strict=True):
            read = reader.read(one, depsgraph, poses=poses)
            mesh = binding.mesh
            deviation = measure_deviation(
                skinner.skin(read.palettes).positions,
                read_blender_positions(one, depsgraph, mesh.vertex_count),
                mesh.positions,
                diagonal=mesh.diagonal,
                vertex_areas=mesh.vertex_areas,
                mesh_to_world=read.mesh_to_world,
                metres_per_unit=1.0,
            )
            worst = max(worst, deviation.relative)
    return worst


@pytest.mark.rigs
@pytest.mark.parametrize(
    ("rig", "clips"),
    [
        ("Fox.glb", ("Run", "Survey", "Walk")),
        ("mannequiny.glb", ("air_jump_root.001", "idle_root.001")),
        ("KayKit_Knight.glb", ("Walking_A", "Death_A")),
        ("raylib_robot.blend", ("Robot_Sitting",)),
    ],
)
def test_clips_equal_blender_at_whole_and_fractional_frames(
    rigs_folder: Path, rig: str, clips: tuple[str, ...]
):
    open_rig(rigs_folder / rig)
    scene = bpy.context.scene
    names = [
        one for one in list_clips(scene) if one.name.split("_root")[0] in [c.split("_root")[0] for c in clips]
    ]
    assert len(names) == len(clips)
    for clip, baked in zip(names, bake_clips(scene, _armature(), names), strict=True):
        assert not baked.shear
        assert _worst(clip, baked, _frames(clip, 5, 6)) <= EXACT


@pytest.mark.rigs
def test_where_there_is_shear_it_explains_the_rest(rigs_folder: Path):
    open_rig(rigs_folder / "mpfb_rigify_plain.blend")
    scene, armature = bpy.context.scene, _armature()
    (clip,) = find_clips(scene, ["FKBend"])
    # Hundreds of frames between two whole ones, of 930 bones each: a part of the clip will do.
    clip = replace(clip, frame_start=10, frame_end=16)
    (baked,) = bake_clips(scene, armature, [clip])
    assert baked.shear
    assert baked.shear[0].amount == max(one.amount for one in baked.shear)
    amounts = {one.bone: one.amount for one in baked.shear}
    reader, boxes = read_armature(armature), bone_boxes(scene, armature)
    skeleton, sampler = reader.skeleton, ClipSampler(baked.clip, reader.skeleton)
    reach = boxes.reach(skeleton)
    parents = np.maximum(skeleton.parents, 0)
    ClipPlayer(scene).play(clip)
    for frame in (round((clip.frame_start + clip.frame_end) / 2), 10.61, 12.17, 15.003):
        set_frame(scene, frame)
        blender = reader.read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))
        fit = fit_hierarchy(skeleton, blender[None])
        to_parent = compose(sampler.sample([frame]))[0].astype(np.float64)
        ours = skeleton.to_root(to_parent[None])[0]
        missed = boxes.distances(ours, blender)
        assert missed.max() > EXACT * boxes.size
        # With the reported shear added to the clip's pose, bone by bone, nothing is left.
        to_parent[:, :3, :3] += fit.shear[0]
        above = np.where((skeleton.parents >= 0)[:, None, None], ours[parents], np.eye(4))
        assert boxes.shares(to_parent @ above, blender, skeleton.rest_to_root).max() <= EXACT
        # Scale further up stretches what a bone loses.
        stretch = greatest_stretch(above[:, :3, :3])
        for bone in np.flatnonzero(missed > EXACT * boxes.size):
            most = amounts[skeleton.names[bone]] * stretch[bone] * reach[bone]
            assert missed[bone] <= most + EXACT * boxes.size


@pytest.mark.rigs
@pytest.mark.parametrize("share", [1e-2, 1e-3, 1e-4])
def test_reduction_keeps_its_tolerance_on_vertices(rigs_folder: Path, share: float):
    open_rig(rigs_folder / "Fox.glb")
    scene, armature = bpy.context.scene, _armature()
    clips = list_clips(scene)
    boxes = bone_boxes(scene, armature)
    tolerance = share * boxes.size
    for clip, baked in zip(
        clips,
        bake_clips(scene, armature, clips, BakeSettings(reduction=Tolerance(share, relative=True))),
        strict=True,
    ):
        assert baked.reduction is not None
        assert baked.reduction.distance <= tolerance
        assert baked.reduction.bytes_after < 0.6 * baked.reduction.bytes_before
        # `relative` is of the diagonal and the movement; the boxes' size is the diagonal.
        assert _worst(clip, baked, _frames(clip, 5, 6)) <= share + EXACT


def test_a_reduction_to_nothing_keeps_everything():
    armature = keyed_arm()
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    (baked,) = bake_clips(scene, armature, [clip])
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    reduction = reduce_clip(baked.clip, skeleton, boxes, 0.0)
    assert reduction.distance == 0


def test_curved_interpolation_is_followed_between_frames():
    armature = keyed_arm(frames=(1, 2, 12), degrees=5)
    scene = bpy.context.scene
    (clip,) = list_clips(scene)
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    coarse, fine = (
        bake_clips(scene, armature, [clip], BakeSettings(between=between))[0]
        for between in (None, EXACT_BETWEEN)
    )
    play_clip(scene, clip)
    missed = {}
    for name, baked in (("coarse", coarse), ("fine", fine)):
        sampler = ClipSampler(baked.clip, skeleton)
        missed[name] = 0.0
        for frame in np.arange(1, 12, 0.07):
            set_frame(scene, float(frame))
            truth = read_armature(armature).read_to_root(
                armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
            )
            ours = skeleton.to_root(compose(sampler.sample([frame])))[0]
            missed[name] = max(missed[name], boxes.distances(ours, truth).max() / boxes.size)
    assert missed["coarse"] > 5e-4
    assert missed["fine"] <= EXACT


def test_constraints_and_drivers_that_look_at_the_armature_follow_the_copy():
    armature = keyed_arm()
    scene = bpy.context.scene
    copied = armature.pose.bones["b2"].constraints.new("COPY_ROTATION")
    copied.target, copied.subtarget = armature, "b0"
    copied.target_space = copied.owner_space = "LOCAL"
    curve = armature.pose.bones["b1"].driver_add("location", 1)
    curve.driver.type = "SCRIPTED"
    variable = curve.driver.variables.new()
    variable.name, variable.type = "turn", "TRANSFORMS"
    target = variable.targets[0]
    target.id, target.bone_target = armature, "b0"
    target.transform_type, target.transform_space = "ROT_X", "LOCAL_SPACE"
    curve.driver.expression = "turn"
    (clip,) = list_clips(scene)
    (baked,) = bake_clips(scene, armature, [clip])
    skeleton, boxes = read_armature(armature).skeleton, bone_boxes(scene, armature)
    play_clip(scene, clip)
    for frame in (1.0, 6.0, 9.5):
        set_frame(scene, frame)
        truth = read_armature(armature).read_to_root(
            armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        )
        ours = skeleton.to_root(compose(ClipSampler(baked.clip, skeleton).sample([frame])))[0]
        assert boxes.distances(ours, truth).max() <= EXACT * boxes.size
    set_frame(scene, 6.0)
    assert armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones["b1"].location.y > 0.1
