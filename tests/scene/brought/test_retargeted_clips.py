"""Clips from another file, retargeted by rest rotation, against Blender's own result."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from skinning_addon.scene.files import open_file
from tests.scene.brought.bringing import EVERY, bring, figure_here, figure_with_other_rest, new_file, own_pose
from tests.scene.walking_figure import (
    BONES,
    FRAMES,
    add_figure,
    blenders_pose,
    edit_bones,
    play_by_hand,
    play_track,
    save,
    turns,
)


def test_retargeted_every_bone_turns_as_it_does_there(walk: Path, tmp_path: Path):
    there = own_pose(walk)
    turned = turns(figure_here(), there, list(BONES))
    rest_there = {name: np.array(figure_here().data.bones[name].matrix_local) for name in BONES}
    brought = bring(walk, tmp_path, figure_with_other_rest(), retarget=True)
    play_track(figure_here(), "Walk")
    played = blenders_pose(figure_here(), EVERY, list(BONES))
    assert np.abs(turns(figure_here(), played, list(BONES)) - turned).max() < 2e-6
    hips = played[:, 0, :3, 3] - np.array(figure_here().data.bones["hips"].matrix_local)[:3, 3]
    assert np.abs(hips - (there[:, 0, :3, 3] - rest_there["hips"][:3, 3])).max() < 1e-6
    moved = np.linalg.norm(hips, axis=-1).max()
    assert (
        f"'hips' moves up to {100 * moved:.0f} cm from its rest position; translations of 'walk.blend' are "
        f"used unchanged "
        "because its bones are equally long." in [one.message for one in brought.told]
    )


def test_retargeted_to_one_twice_as_tall_that_lies_on_its_side(walk: Path, tmp_path: Path):
    there = own_pose(walk)
    turned = turns(figure_here(), there, list(BONES))
    moved = there[:, 0, :3, 3] - np.array(figure_here().data.bones["hips"].matrix_local)[:3, 3]
    new_file()
    figure = add_figure()
    edit_bones(
        figure, "for one in bones: one.transform(Matrix.Rotation(-math.pi / 2, 4, 'X') @ Matrix.Scale(2, 4))"
    )
    brought = bring(walk, tmp_path, figure, retarget=True)
    length = np.linalg.norm(moved, axis=-1).max()
    said = (
        f"'hips' moves up to {2 * length:.1f} m from its rest position; translations of 'walk.blend' "
        f"are multiplied by 2 "
    )
    assert any(one.message.startswith(said) for one in brought.told)
    play_track(figure_here(), "Walk")
    played = blenders_pose(figure_here(), EVERY, list(BONES))
    lying = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    assert np.abs(turns(figure_here(), played, list(BONES)) - lying @ turned @ lying.T).max() < 5e-6
    hips = played[:, 0, :3, 3] - np.array(figure_here().data.bones["hips"].matrix_local)[:3, 3]
    assert np.abs(hips - 2 * moved @ lying.T).max() < 5e-6


def test_how_far_a_retargeted_figure_goes_is_told_in_the_scenes_unit_and_not_where_it_stays(
    walk: Path, tmp_path: Path
):
    moved = own_pose(walk)[:, 0, :3, 3] - np.array(figure_here().data.bones["hips"].matrix_local)[:3, 3]
    figure = figure_with_other_rest()
    figure.scale = (0.01, 0.01, 0.01)
    bpy.context.scene.unit_settings.scale_length = 0.1
    brought = bring(walk, tmp_path, figure, retarget=True)
    millimetres = np.linalg.norm(moved, axis=-1).max()
    assert any(f"moves up to {millimetres:.2g} mm from its rest" in one.message for one in brought.told)
    open_file(walk)
    figure = figure_here()
    figure.animation_data_clear()
    figure.pose.bones["hips"].location = (0, 0, 0)
    for frame, angle in ((1, 0), (FRAMES, 1)):
        figure.pose.bones["arm"].rotation_quaternion = Matrix.Rotation(angle, 4, "X").to_quaternion()
        figure.pose.bones["arm"].keyframe_insert("rotation_quaternion", frame=frame)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    still = save(tmp_path / "still.blend")
    new_file()
    tall = add_figure()
    edit_bones(tall, "for one in bones: one.transform(Matrix.Scale(2, 4))")
    told = bring(still, tmp_path, tall, retarget=True).told
    assert not [one.message for one in told if "from its rest" in one.message]


def test_retargeted_over_a_bone_that_is_missing_between_the_bones_below_still_turn(
    walk: Path, tmp_path: Path
):
    below = ["hips", "thigh", "arm", "hand"]
    there = own_pose(walk)[:, [list(BONES).index(one) for one in below]]
    turned = turns(figure_here(), there, below)
    new_file()
    figure = add_figure()
    edit_bones(figure, "bones['arm'].parent = bones['hips']; bones.remove(bones['spine'])")
    bring(walk, tmp_path, figure, retarget=True)
    play_track(figure_here(), "Walk")
    assert (
        np.abs(turns(figure_here(), blenders_pose(figure_here(), EVERY, below), below) - turned).max() < 2e-6
    )


def test_retargeted_without_its_root_the_figure_goes_its_way_and_without_hips_limbs_stay_on(
    walk: Path, tmp_path: Path
):
    open_file(walk)
    figure = figure_here()
    figure.animation_data.action = None
    edit_bones(
        figure,
        "root = bones.new('root'); root.head, root.tail = (0, 0, 0), (0, 0.3, 0); bones['hips'].parent = root",
    )
    figure.animation_data.action = bpy.data.actions["Walk"]
    for frame in (1, FRAMES):
        figure.pose.bones["root"].location = (0, 0.1 * frame, 0)
        figure.pose.bones["root"].keyframe_insert("location", frame=frame)
    path = save(tmp_path / "rooted.blend")
    there = blenders_pose(figure, EVERY, ["hips", "arm"])
    new_file()
    brought = bring(path, tmp_path, add_figure(), retarget=True)
    assert (
        "'Figure' is missing a bone of 'rooted.blend', and bones below it turn as if it were there: "
        "'root'." in [one.message for one in brought.told]
    )
    play_track(figure_here(), "Walk")
    assert np.abs(blenders_pose(figure_here(), EVERY, ["hips", "arm"]) - there).max() < 2e-6
    new_file()
    figure = add_figure()
    edit_bones(figure, "bones['hips'].name = 'Pelvis'")
    bring(path, tmp_path, figure, retarget=True)
    play_track(figure_here(), "Walk")
    thigh = blenders_pose(figure_here(), EVERY, ["thigh"])[:, 0, :3, 3]
    assert np.abs(thigh - np.array(figure_here().data.bones["thigh"].head_local)).max() < 1e-6


def test_bones_that_inherit_otherwise_are_named_and_retargeted_all_the_same(walk: Path, tmp_path: Path):
    open_file(walk)
    figure_here().animation_data.action = bpy.data.actions["Walk"]
    figure_here().pose.bones["arm"].location = (0.1, 0.2, 0.3)
    figure_here().pose.bones["arm"].keyframe_insert("location", frame=1)
    save(walk)
    there = own_pose(walk)
    new_file()
    figure = add_figure()
    figure.data.bones["arm"].use_inherit_rotation = False
    for bone in figure.data.bones:
        bone.use_local_location = False
    (told,) = bring(walk, tmp_path, figure).told
    assert told.message.startswith("6 of the bones, such as 'hips', inherit")
    assert told.loses
    bring(walk, tmp_path, figure_here(), retarget=True)
    play_track(figure_here(), "Walk (walk.blend)")
    assert np.abs(blenders_pose(figure_here(), EVERY, list(BONES)) - there).max() < 2e-6
    # With the same inheritance, keys do, and nothing is reported.
    path = save(tmp_path / "alike.blend")
    play_by_hand(figure_here(), bpy.data.actions["Walk"])
    there = blenders_pose(figure_here(), EVERY, list(BONES))
    figure_here().animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    assert bring(path, tmp_path, figure_here()).told == ()
    play_track(figure_here(), "Walk")
    assert np.array_equal(blenders_pose(figure_here(), EVERY, list(BONES)), there)
