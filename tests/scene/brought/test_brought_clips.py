"""Clips from another file on a character, against Blender's own result for the same keys."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.brought.brought_clips import bring_clips
from skinning_addon.scene.brought.clip_package import pack_clips, read_packed_clips
from skinning_addon.scene.files import open_file
from tests.scene.brought.bringing import EVERY, bring, figure_here, figure_with_other_rest, new_file, own_pose
from tests.scene.walking_figure import (
    BONES,
    FRAMES,
    add_figure,
    blenders_mesh,
    blenders_pose,
    edit_bones,
    key_walk,
    play_by_hand,
    play_track,
    save,
)


def test_on_its_own_figure_a_clip_poses_every_bone_exactly_as_there(walk: Path, tmp_path: Path):
    between = (*EVERY, 4.37)
    there = own_pose(walk, between)
    new_file()
    brought = bring(walk, tmp_path, add_figure())
    assert brought.names == ("Walk",)
    assert brought.told == ()
    play_track(figure_here(), "Walk")
    assert np.array_equal(blenders_pose(figure_here(), between, list(BONES)), there)


def test_a_single_bone_is_told_as_one(walk: Path, tmp_path: Path):
    new_file()
    figure = add_figure()
    edit_bones(figure, "bones['hand'].name = 'Hand_R'; bones['shin'].roll += 0.5")
    figure.data.bones["arm"].use_inherit_rotation = False
    told = [str(one.message) for one in bring(walk, tmp_path, figure).told]
    assert told == [
        "'Figure' is missing a bone of 'walk.blend'; its animation is left out: 'hand'.",
        "'walk.blend' is missing a bone of 'Figure'; it keeps its rest pose on its parent: 'Hand_R'.",
        (
            "The rest pose of 'shin' differs from 'walk.blend', by 28.65 degrees and 0 mm in position, so the "
            "same keys pose it differently; retarget the clips to turn it as in the file."
        ),
        (
            "'arm' inherits rotation, scale or location differently from 'walk.blend', so the same keys pose it "
            "differently; retarget the clips, or use the same settings for the bone."
        ),
    ]
    figure_here().pose.bones["arm"].constraints.new("LIMIT_ROTATION")
    told = [str(one.message) for one in bring(walk, tmp_path, figure_here(), retarget=True).told]
    assert (
        "Constraints on 'arm' of 'Figure' act on top of the retargeted clips; mute them to play the clips "
        "unchanged."
    ) in told


def test_bones_that_one_side_lacks_are_named_and_the_others_move_alike(walk: Path, tmp_path: Path):
    there = own_pose(walk)
    new_file()
    figure = add_figure()
    edit_bones(
        figure,
        "bones['hand'].name = 'Hand_R'; bones.remove(bones['shin']); hat = bones.new('hat'); hat.parent = "
        "bones['spine']; hat.head, hat.tail = (0, 0, 1.8), (0, 0, 2)",
    )
    brought = bring(walk, tmp_path, figure)
    told = [str(one.message) for one in brought.told]
    assert any(
        "'Figure' is missing 2 bones of 'walk.blend'" in one and "'hand', 'shin'" in one for one in told
    )
    assert any(
        "'walk.blend' is missing 2 bones of 'Figure'" in one and "'Hand_R', 'hat'" in one for one in told
    )
    play_track(figure_here(), "Walk")
    shared = [name for name in BONES if name not in ("hand", "shin")]
    assert np.array_equal(
        blenders_pose(figure_here(), EVERY, shared), there[:, [list(BONES).index(one) for one in shared]]
    )
    # What has no keys stays as it rests on its parent.
    hat = blenders_pose(figure_here(), EVERY, ["spine", "hat"])
    rest = [np.array(figure_here().data.bones[name].matrix_local) for name in ("spine", "hat")]
    assert np.allclose(np.linalg.inv(hat[:, 0]) @ hat[:, 1], np.linalg.inv(rest[0]) @ rest[1], atol=1e-6)


def test_where_rest_poses_differ_the_same_keys_play_as_blender_plays_them(walk: Path, tmp_path: Path):
    figure = figure_with_other_rest()
    brought = bring(walk, tmp_path, figure)
    (told,) = brought.told
    assert told.loses
    # 0.8 rad about one axis and a roll of 0.6 about another: cos(a / 2) = cos(0.4) cos(0.3) - ...; at least the
    # larger.
    assert "6 of the 6 bones" in told.message
    assert "'arm'" in told.message or "'hand'" in told.message
    play_track(figure_here(), "Walk")
    played = blenders_pose(figure_here(), EVERY, list(BONES))
    with bpy.data.libraries.load(str(walk), link=False) as (_, here):
        here.actions = ["Walk"]
    play_by_hand(figure_here(), here.actions[0])
    assert np.array_equal(played, blenders_pose(figure_here(), EVERY, list(BONES)))


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
def test_bones_that_say_rotations_otherwise_turn_alike(walk: Path, tmp_path: Path, mode: str):
    there = own_pose(walk)
    new_file()
    figure = add_figure()
    for bone in figure.pose.bones:
        bone.rotation_mode = mode
    bring(walk, tmp_path, figure)
    play_track(figure_here(), "Walk")
    assert np.abs(blenders_pose(figure_here(), EVERY, list(BONES)) - there).max() < 2e-6


def test_a_clip_lasts_as_long_at_another_frame_rate(tmp_path: Path):
    bpy.context.scene.render.fps = 30
    key_walk(add_figure())
    path = save(tmp_path / "walk30.blend")
    there = own_pose(path)
    new_file()
    bring(path, tmp_path, add_figure())
    action = play_track(figure_here(), "Walk")
    rate = bpy.context.scene.render.fps / 30
    assert np.allclose(action.frame_range, (1 * rate, FRAMES * rate))
    assert (
        np.abs(
            blenders_pose(figure_here(), tuple(rate * frame for frame in EVERY), list(BONES)) - there
        ).max()
        < 1e-5
    )


def test_a_track_of_two_strips_comes_as_it_plays(tmp_path: Path):
    figure = add_figure()
    action = key_walk(figure)
    figure.animation_data.action = None
    track = figure.animation_data.nla_tracks.new()
    track.name = "Twice"
    for start in (1, 1 + FRAMES):
        strip = track.strips.new("walk", start, action)
        if hasattr(strip, "action_slot"):
            strip.action_slot = action.slots[0]
    path = save(tmp_path / "twice.blend")
    frames = tuple(float(frame) for frame in range(1, 2 * FRAMES))
    there = blenders_pose(figure, frames, list(BONES))
    new_file()
    brought = bring(path, tmp_path, add_figure())
    assert "Twice" in brought.names
    play_track(figure_here(), "Twice")
    assert np.abs(blenders_pose(figure_here(), frames, list(BONES)) - there).max() < 2e-6


def test_constraints_are_baked_in_there_and_named_here(walk: Path, tmp_path: Path):
    open_file(walk)
    figure = figure_here()
    copy = figure.pose.bones["shin"].constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = figure, "arm"
    path = save(tmp_path / "constrained.blend")
    play_by_hand(figure, bpy.data.actions["Walk"])
    there = blenders_pose(figure, EVERY, list(BONES))
    new_file()
    brought = bring(path, tmp_path, add_figure())
    assert [
        "pose 'shin' in 'constrained.blend', but only keys are imported" in one.message
        for one in brought.told
    ] == [True]
    new_file()
    figure = add_figure()
    # Limits nothing, but might.
    figure.pose.bones["hand"].constraints.new("LIMIT_SCALE")
    brought = bring(path, tmp_path, figure, retarget=True)
    assert any("Constraints on 'hand' of 'Figure' act on top" in one.message for one in brought.told)
    play_track(figure_here(), "Walk")
    assert np.abs(blenders_pose(figure_here(), EVERY, list(BONES)) - there).max() < 2e-6


@pytest.mark.parametrize("extension", ["glb", "fbx"])
def test_clips_come_out_of_what_blenders_exporters_make(walk: Path, tmp_path: Path, extension: str):
    there = own_pose(walk)
    path = tmp_path / f"walk.{extension}"
    if extension == "glb":
        bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
        bpy.ops.export_scene.gltf(filepath=str(path))
    else:
        bpy.ops.preferences.addon_enable(module="io_scene_fbx")
        bpy.ops.export_scene.fbx(filepath=str(path), add_leaf_bones=False, bake_anim_simplify_factor=0)
    new_file()
    brought = bring(path, tmp_path, add_figure())
    assert brought.told == ()
    (name,) = brought.names
    action = play_track(figure_here(), name)
    shift = action.frame_range[0] - 1
    assert (
        np.abs(blenders_pose(figure_here(), tuple(f + shift for f in EVERY), list(BONES)) - there).max()
        < 5e-6
    )


@pytest.mark.rigs
def test_the_knight_saved_without_clips_plays_the_knights_own_exactly(rigs_folder: Path, tmp_path: Path):
    source = rigs_folder / "KayKit_Knight.glb"
    folder = tmp_path / "packed"
    folder.mkdir()
    pack_clips(source, folder)
    clips, frames = ("Walking_A", "1H_Melee_Attack_Chop"), (0.0, 3.0, 7.5, 12.0, 25.0)
    open_file(source)
    there = {clip: _meshes(clip, frames) for clip in clips}
    armature = figure_here()
    armature.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    open_file(save(tmp_path / "bare.blend"))
    assert not bpy.data.actions
    brought = bring_clips(bpy.context.scene, [figure_here()], read_packed_clips(folder))
    assert len(brought.names) == 76
    assert brought.told == ()
    for clip in clips:
        for before, after in zip(there[clip], _meshes(clip, frames), strict=True):
            assert before.keys() == after.keys()
            assert all(np.array_equal(before[name], after[name]) for name in before)


def _meshes(clip: str, frames: tuple[float, ...]) -> list[dict[str, np.ndarray]]:
    play_track(figure_here(), clip)
    played = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        played.append(
            {one.name: blenders_mesh(one) for one in bpy.context.scene.objects if one.type == "MESH"}
        )
    return played


@pytest.mark.rigs
def test_the_mannequins_clips_on_one_with_bones_renamed_missing_and_added(rigs_folder: Path, tmp_path: Path):
    source = rigs_folder / "mannequiny.glb"
    open_file(source)
    armature = figure_here()
    names = [one.name for one in armature.data.bones]
    clip = next(one.name for one in armature.animation_data.nla_tracks if "fight_kick" in one.name)
    play_track(armature, clip)
    frames = (1.0, 6.0, 11.5, 18.0)
    there = dict(zip(names, np.moveaxis(blenders_pose(armature, frames), 1, 0), strict=True))
    leaf = next(one.name for one in armature.data.bones if not one.children and "thigh" not in one.name)
    edit_bones(
        armature,
        f"bones['calf.l'].name = 'LowerLeg'; bones.remove(bones[{leaf!r}]); tail = bones.new('tail'); "
        "tail.parent = bones['pelvis']; tail.head, tail.tail = (0, 0, 1), (0, 0.2, 1)",
    )
    armature.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    brought = bring(source, tmp_path, armature)
    told = " ".join(one.message for one in brought.told)
    assert all(f"'{name}'" in told for name in ("calf.l", leaf, "LowerLeg", "tail"))
    armature = figure_here()
    assert clip in brought.names
    play_track(armature, clip)
    lowered = {one.name for one in armature.data.bones["LowerLeg"].children_recursive} | {"LowerLeg", "tail"}
    alike = [one.name for one in armature.data.bones if one.name not in lowered]
    assert len(alike) > 35
    here = np.moveaxis(blenders_pose(armature, frames, alike), 1, 0)
    assert all(np.array_equal(there[name], one) for name, one in zip(alike, here, strict=True))
    # Below the bone that was renamed, which rests, the keys still are what they were, relative to their parent.
    foot = armature.pose.bones["foot.l"]
    assert foot.matrix_basis.to_quaternion().angle > 0.01
