"""Each clip plays on its own; and the frames at which a scene is sampled."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from skinning_addon.core.profiles.export_options import AnimationMode, GltfOptions
from skinning_addon.core.text.errors import UsageError
from skinning_addon.scene.clips.armature_state import reset_pose
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.clips import SceneClip, find_clips, list_clips
from skinning_addon.scene.clips.playback import (
    ScenePlayback,
    sample_frames,
    scene_is_animated,
    set_frame,
    what_plays,
)
from tests.scene.lifted_bones import heads, key_action, make_armature, push_down
from tests.scene.opened_rigs import open_rig

RESET = GltfOptions(mode=AnimationMode.NLA_TRACKS)
"""Options with which the exporter puts bones without keys at rest in every clip."""


def test_clips_of_a_real_rig_move_as_the_manifest_measured(rigs_folder: Path):
    # Figures of the manifest for the clip Run at frame 10.
    open_rig(rigs_folder / "Fox.glb")
    scene = bpy.context.scene
    (run,) = find_clips(scene, ["Run"])
    # Another clip first: what it leaves must not be seen.
    player = ClipPlayer(scene)
    for clip in (*find_clips(scene, ["Survey"]), run):
        player.play(clip)
        set_frame(scene, 10)
    fox = bpy.data.objects["fox"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty(3 * len(fox.data.vertices), dtype=np.float32)
    fox.data.vertices.foreach_get("co", positions)
    world = np.c_[positions.reshape(-1, 3), np.ones(len(fox.data.vertices))] @ np.array(fox.matrix_world).T
    assert world[:, :3].min(axis=0) == pytest.approx([-13.1556, -71.5405, 4.1283], abs=1e-3)
    assert world[:, :3].max(axis=0) == pytest.approx([13.785, 93.1792, 70.9976], abs=1e-3)


def test_old_actions_play_whatever_their_slots(rigs_folder: Path):
    open_rig(rigs_folder / "raylib_robot.blend")
    scene = bpy.context.scene
    armature = scene.objects["RobotArmature"]
    still = []
    for clip in list_clips(scene):
        ClipPlayer(scene).play(clip)
        poses = []
        for frame in sample_frames(clip.frame_start, clip.frame_end, at_most=5):
            set_frame(scene, frame)
            poses.append(heads(armature))
        if all(pose == poses[0] for pose in poses):
            still.append(clip.name)
    assert still == []


def test_a_plain_strip_plays_its_action_over_the_actions_own_frames():
    armature = make_armature("Rig")
    track = push_down(armature, "Lift", key_action(armature, "lift", end=9, height=8))
    strip = track.strips[0]
    strip.frame_start_ui, strip.frame_end_ui = 101, 109

    (clip,) = list_clips(bpy.context.scene)
    assert (clip.frame_start, clip.frame_end) == (1, 9)
    ClipPlayer(bpy.context.scene).play(clip)
    set_frame(bpy.context.scene, 9)
    assert heads(armature)["a"] == 8


def test_a_track_of_several_strips_plays_alone_as_it_stands():
    armature = make_armature("Rig")
    lift, high = key_action(armature, "lift", end=5, height=1), key_action(armature, "high", end=5, height=3)
    push_down(armature, "Shot", lift, high)
    other = push_down(armature, "Other", key_action(armature, "other", "b", end=5, height=7))

    (shot,) = find_clips(bpy.context.scene, ["Shot"])
    assert (shot.frame_start, shot.frame_end) == (1, 10)
    player = ClipPlayer(bpy.context.scene)
    player.play(shot, RESET)
    set_frame(bpy.context.scene, 10)
    assert heads(armature) == {"a": 3, "b": 0}

    # And an action afterwards is not mixed with the track that played alone.
    player.play(find_clips(bpy.context.scene, [other.name])[0], RESET)
    set_frame(bpy.context.scene, 5)
    assert heads(armature) == {"a": 0, "b": 7}


def test_nothing_of_another_clip_remains():
    armature = make_armature("Rig")
    key_action(armature, "both", "ab", height=5)
    key_action(armature, "one", "a", height=2)
    for bone in armature.pose.bones:
        bone.rotation_quaternion = Quaternion((0, 1, 0, 0))
        bone.scale = (2, 2, 2)

        bone.location = (0, 0.5, 0)
    player = ClipPlayer(bpy.context.scene)

    for name in ("one", "both", "one"):
        player.play(find_clips(bpy.context.scene, [name])[0])
        set_frame(bpy.context.scene, 10)

    a, b = armature.pose.bones
    assert (a.location[1], b.location[1]) == (2, 0.5)
    assert all(tuple(bone.scale) == (2, 2, 2) for bone in (a, b))
    assert all(bone.rotation_quaternion == Quaternion((0, 1, 0, 0)) for bone in (a, b))


def test_a_clip_that_an_exporter_switches_to_starts_from_rest():
    armature = make_armature("Rig")
    key_action(armature, "one", "a", height=2)
    for bone in armature.pose.bones:
        bone.scale = (2, 2, 2)
        bone.location = (0, 0.5, 0)
    player = ClipPlayer(bpy.context.scene)
    (clip,) = find_clips(bpy.context.scene, ["one"])

    player.play(clip, RESET)
    set_frame(bpy.context.scene, 10)
    assert heads(armature) == {"a": 2, "b": 0}
    assert all(tuple(bone.scale) == (1, 1, 1) for bone in armature.pose.bones)

    # And Blender's own playback afterwards has the scene's pose again.
    player.play(clip)
    set_frame(bpy.context.scene, 10)
    assert [tuple(bone.scale) for bone in armature.pose.bones] == [(2, 2, 2)] * 2


def test_custom_properties_keep_nothing_of_another_clip():
    armature = make_armature("Rig")
    armature.pose.bones["b"]["blend"] = 0.25
    key_action(armature, "switched", "a")
    for frame, value in ((1, 0.0), (10, 1.0)):
        armature.pose.bones["b"]["blend"] = value
        armature.pose.bones["b"].keyframe_insert('["blend"]', frame=frame)
    key_action(armature, "plain", "a")
    armature.pose.bones["b"]["blend"] = 0.25
    player = ClipPlayer(bpy.context.scene)

    for name, expected in (("switched", 1.0), ("plain", 0.25)):
        player.play(find_clips(bpy.context.scene, [name])[0])
        set_frame(bpy.context.scene, 10)
        assert armature.pose.bones["b"]["blend"] == expected


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_reset_poses_rest_in_every_rotation_mode(mode: str):
    armature = make_armature("Rig")
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
        bone.matrix_basis = Quaternion((0, 0, 1), 1).to_matrix().to_4x4()
    bpy.context.view_layer.update()

    reset_pose(armature)
    bpy.context.view_layer.update()

    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    for bone in evaluated.pose.bones:
        assert np.array(bone.matrix) == pytest.approx(np.array(bone.bone.matrix_local), abs=1e-6)


def test_the_nla_and_tweaking_do_not_disturb_a_clip():
    armature = make_armature("Rig")
    loud = push_down(armature, "Loud", key_action(armature, "loud", "b", height=4))
    key_action(armature, "quiet", "a", height=2)
    data = armature.animation_data
    data.action_influence, data.action_blend_type = 0.5, "ADD"
    loud.mute = False

    ClipPlayer(bpy.context.scene).play(find_clips(bpy.context.scene, ["quiet"])[0], RESET)
    set_frame(bpy.context.scene, 10)

    assert heads(armature) == {"a": 2, "b": 0}


def test_stretched_time_does_not_change_a_clips_speed():
    armature = make_armature("Rig")
    key_action(armature, "lift", height=2)
    bpy.context.scene.render.frame_map_new = 200
    (clip,) = list_clips(bpy.context.scene)
    ClipPlayer(bpy.context.scene).play(clip)
    set_frame(bpy.context.scene, 10)
    assert heads(armature)["a"] == 2


@pytest.mark.skipif(bpy.app.version < (4, 4), reason="actions have slots from 4.4 on")
def test_each_armature_plays_its_own_slot():
    first, second = make_armature("First"), make_armature("Second")
    action = key_action(first, "duet", height=1)
    second.animation_data_create().action = action
    second.animation_data.action_slot = action.slots.new("OBJECT", "Second")
    for frame, lift in ((1, 0.0), (10, 5.0)):
        second.pose.bones["a"].location = (0, lift, 0)
        second.pose.bones["a"].keyframe_insert("location", frame=frame)

    (clip,) = list_clips(bpy.context.scene)
    ClipPlayer(bpy.context.scene).play(clip)
    set_frame(bpy.context.scene, 10)
    assert (heads(first)["a"], heads(second)["a"]) == (1, 5)


def test_what_plays_is_the_scene_where_it_moves():
    armature = make_armature("Rig")
    key_action(armature, "lift")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 8
    assert what_plays(scene, [armature]) == [ScenePlayback(3, 8)]
    assert [one.name for one in what_plays(scene, [armature], ["lift"])] == ["lift"]


def test_what_plays_is_every_clip_where_the_scene_stands_still(rigs_folder: Path):
    open_rig(rigs_folder / "raylib_robot.blend")
    scene = bpy.context.scene
    scene.frame_set(7)
    clips = what_plays(scene, [scene.objects["RobotArmature"]])
    assert len(clips) == 14
    assert all(isinstance(clip, SceneClip) for clip in clips)
    assert scene.frame_current == 7


def test_what_plays_is_the_present_frame_where_there_are_no_clips():
    armature = make_armature("Rig")
    set_frame(bpy.context.scene, 12.5)
    assert what_plays(bpy.context.scene, [armature]) == [ScenePlayback(12.5, 12.5)]


def test_a_driver_animates_a_scene():
    armature = make_armature("Rig")
    assert not scene_is_animated(bpy.context.scene, [armature])
    armature.pose.bones["a"].driver_add("location", 1).driver.expression = "frame / 10"
    assert scene_is_animated(bpy.context.scene, [armature])


def test_a_single_pose_does_not_animate_a_scene():
    armature = make_armature("Rig")
    key_action(armature, "pose", height=0)
    assert not scene_is_animated(bpy.context.scene, [armature])


@pytest.mark.parametrize(
    ("arguments", "frames"),
    [
        ((1, 5), (1, 2, 3, 4, 5)),
        ((0.8, 3.2), (0.8, 1, 2, 3, 3.2)),
        ((-2.5, -0.5), (-2.5, -2, -1, -0.5)),
        ((7, 7), (7,)),
        ((1, 10, 3), (1, 4, 7, 10)),
        ((1, 9, 3), (1, 4, 7)),
        ((0, 1, 0.25), (0, 0.25, 0.5, 0.75, 1)),
    ],
)
def test_sampled_frames(arguments: tuple[float, ...], frames: tuple[float, ...]):
    assert sample_frames(*arguments) == pytest.approx(frames)


@pytest.mark.parametrize(("start", "end"), [(1, 250), (0.25, 1000.75), (-300, 12), (1, 51)])
def test_at_most_fifty_frames_spread_evenly(start: float, end: float):
    frames = sample_frames(start, end)
    assert len(frames) == 50
    assert (frames[0], frames[-1]) == (start, end)
    assert all(frame == round(frame) for frame in frames[1:-1])
    steps = np.diff(frames)
    assert steps.max() - steps.min() <= 2


@pytest.mark.parametrize("arguments", [(5, 1), (1, 5, 0), (1, 5, -1), (float("nan"), 5)])
def test_frames_that_make_no_sense(arguments: tuple[float, ...]):
    with pytest.raises(UsageError):
        sample_frames(*arguments)


@pytest.mark.parametrize("frame", [3, 2.75, 0, -0.25, -3.5])
def test_frames_between_frames_are_evaluated_there(frame: float):
    armature = make_armature("Rig")
    armature.pose.bones["a"].driver_add("location", 1).driver.expression = "frame"
    set_frame(bpy.context.scene, frame)
    assert bpy.context.scene.frame_current_final == pytest.approx(frame)
    assert heads(armature)["a"] == pytest.approx(frame)
