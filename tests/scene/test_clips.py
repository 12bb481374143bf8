"""Which clips a scene holds, and that each plays alone."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

from skinning_addon.core.errors import SourceFileError, UsageError
from skinning_addon.scene.clips import Clip, find_clips, list_clips
from skinning_addon.scene.files import open_file
from skinning_addon.scene.playback import (
    ScenePlayback,
    play,
    reset_pose,
    sample_frames,
    scene_is_animated,
    set_frame,
    what_plays,
)

RIG = re.compile(r"^\| (?P<file>\S+\.(?:glb|gltf|fbx|blend)) \|(?:[^|]*\|){8} (?P<clips>\d+) \|")


def rows_of_manifest(rigs_folder: Path) -> dict[str, int]:
    lines = (rigs_folder / "MANIFEST.md").read_text(encoding="utf-8").splitlines()
    rows = {match["file"]: int(match["clips"]) for line in lines if (match := RIG.match(line))}
    assert len(rows) == 11
    return rows


def open_or_skip(path: Path) -> bpy.types.Scene:
    try:
        open_file(path)
    except SourceFileError as error:
        if bpy.app.version < (5, 0) and "newer Blender" in str(error):
            pytest.skip(str(error))
        raise
    return bpy.context.scene


def make_armature(name: str, bones: tuple[str, ...] = ("a", "b")) -> bpy.types.Object:
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for place, bone_name in enumerate(bones):
        bone = armature.data.edit_bones.new(bone_name)
        bone.head, bone.tail = (place, 0, 0), (place, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def key_action(armature: bpy.types.Object, name: str, bones: str = "a", end: float = 10, height: float = 1):
    """Make an action that lifts bones by `height` from frame 1 to `end`, and leave it assigned."""
    action = bpy.data.actions.new(name)
    (armature.animation_data or armature.animation_data_create()).action = action
    for bone in bones:
        for frame, lift in ((1, 0.0), (end, height)):
            armature.pose.bones[bone].location = (0, lift, 0)
            armature.pose.bones[bone].keyframe_insert("location", frame=frame)
    return action


def push_down(armature: bpy.types.Object, track_name: str, *actions: bpy.types.Action) -> bpy.types.NlaTrack:
    """Put actions into one track, one behind another, and leave none assigned."""
    data = armature.animation_data
    data.action = None
    track = data.nla_tracks.new()
    track.name = track_name
    start = 1
    for action in actions:
        strip = track.strips.new(action.name, start, action)
        start = int(strip.frame_end) + 1
    return track


def heads(armature: bpy.types.Object) -> dict[str, float]:
    """How high each bone stands above rest at the present frame, as Blender evaluates it."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: round(bone.head.z, 4) for bone in evaluated.pose.bones}


def test_every_rig_has_the_clips_of_the_manifest(rigs_folder: Path):
    counts = rows_of_manifest(rigs_folder)
    if bpy.app.version < (5, 0):
        # Saved by 5.2, in a format that older Blenders do not know.
        counts = {file: count for file, count in counts.items() if not file.startswith("mpfb_")}
    found = {}
    for file in counts:
        open_file(rigs_folder / file)
        found[file] = len(list_clips(bpy.context.scene))
    assert found == counts


@pytest.mark.parametrize(
    ("file", "ranges"),
    [
        ("Fox.glb", {"Run": (0, 27.8), "Survey": (0, 82), "Walk": (0, 17)}),
        ("m2m_bird.blend", {"Fly": (0, 20), "Glide": (0, 50), "Idle": (0, 200), "TPose": (1, 3)}),
        ("mpfb_rigify_plain.blend", {"FKBend": (1, 33), "Torso": (1, 40)}),
    ],
)
def test_clips_have_their_own_frames(rigs_folder: Path, file: str, ranges: dict[str, tuple[float, float]]):
    scene = open_or_skip(rigs_folder / file)
    clips = {clip.name: (clip.frame_start, clip.frame_end) for clip in list_clips(scene)}
    assert clips == {name: pytest.approx(frames, abs=1e-4) for name, frames in ranges.items()}


def test_stashed_actions_go_by_their_own_names(rigs_folder: Path):
    scene = open_or_skip(rigs_folder / "raylib_robot.blend")
    names = [clip.name for clip in list_clips(scene)]
    assert names == sorted(names, key=str.casefold)
    assert all(name.startswith("Robot_") for name in names)


def test_clips_of_a_real_rig_move_as_the_manifest_measured(rigs_folder: Path):
    # Figures of the manifest for the clip Run at frame 10.
    scene = open_or_skip(rigs_folder / "Fox.glb")
    (run,) = find_clips(scene, ["Run"])
    # Another clip first: what it leaves must not be seen.
    for clip in (*find_clips(scene, ["Survey"]), run):
        play(scene, clip)
        set_frame(scene, 10)
    fox = bpy.data.objects["fox"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty(3 * len(fox.data.vertices), dtype=np.float32)
    fox.data.vertices.foreach_get("co", positions)
    world = np.c_[positions.reshape(-1, 3), np.ones(len(fox.data.vertices))] @ np.array(fox.matrix_world).T
    assert world[:, :3].min(axis=0) == pytest.approx([-13.1556, -71.5405, 4.1283], abs=1e-3)
    assert world[:, :3].max(axis=0) == pytest.approx([13.785, 93.1792, 70.9976], abs=1e-3)


def test_old_actions_play_whatever_their_slots(rigs_folder: Path):
    scene = open_or_skip(rigs_folder / "raylib_robot.blend")
    armature = scene.objects["RobotArmature"]
    still = []
    for clip in list_clips(scene):
        play(scene, clip)
        poses = []
        for frame in sample_frames(clip.frame_start, clip.frame_end, at_most=5):
            set_frame(scene, frame)
            poses.append(heads(armature))
        if all(pose == poses[0] for pose in poses):
            still.append(clip.name)
    assert still == []


def test_a_scene_without_animation_has_no_clips():
    make_armature("Rig")
    assert list_clips(bpy.context.scene) == []
    with pytest.raises(UsageError, match="no clips"):
        find_clips(bpy.context.scene, ["all"])
    with pytest.raises(UsageError, match="no clip 'Walk'; no action or NLA track"):
        find_clips(bpy.context.scene, ["Walk"])


def test_a_track_names_the_clip_and_the_action_still_finds_it():
    armature = make_armature("Rig")
    push_down(armature, "Walk", key_action(armature, "Walk_root"))

    assert [clip.name for clip in list_clips(bpy.context.scene)] == ["Walk"]
    assert [clip.name for clip in find_clips(bpy.context.scene, ["Walk_root", "Walk"])] == [
        "Walk_root",
        "Walk",
    ]


def test_a_plain_strip_plays_its_action_over_the_actions_own_frames():
    armature = make_armature("Rig")
    track = push_down(armature, "Lift", key_action(armature, "lift", end=9, height=8))
    strip = track.strips[0]
    strip.frame_start_ui, strip.frame_end_ui = 101, 109

    (clip,) = list_clips(bpy.context.scene)
    assert (clip.frame_start, clip.frame_end) == (1, 9)
    play(bpy.context.scene, clip)
    set_frame(bpy.context.scene, 9)
    assert heads(armature)["a"] == 8


def test_a_track_of_several_strips_plays_alone_as_it_stands():
    armature = make_armature("Rig")
    lift, high = key_action(armature, "lift", end=5, height=1), key_action(armature, "high", end=5, height=3)
    push_down(armature, "Shot", lift, high)
    other = push_down(armature, "Other", key_action(armature, "other", "b", end=5, height=7))

    (shot,) = find_clips(bpy.context.scene, ["Shot"])
    assert (shot.frame_start, shot.frame_end) == (1, 10)
    play(bpy.context.scene, shot)
    set_frame(bpy.context.scene, 10)
    assert heads(armature) == {"a": 3, "b": 0}

    # And an action afterwards is not mixed with the track that played alone.
    play(bpy.context.scene, find_clips(bpy.context.scene, [other.name])[0])
    set_frame(bpy.context.scene, 5)
    assert heads(armature) == {"a": 0, "b": 7}


def test_nothing_of_another_clip_remains():
    armature = make_armature("Rig")
    key_action(armature, "both", "ab", height=5)
    key_action(armature, "one", "a", height=2)
    for bone in armature.pose.bones:
        bone.rotation_quaternion = Quaternion((0, 1, 0, 0))
        bone.scale = (2, 2, 2)

    for name in ("both", "one"):
        play(bpy.context.scene, find_clips(bpy.context.scene, [name])[0])
        set_frame(bpy.context.scene, 10)

    assert heads(armature) == {"a": 2, "b": 0}
    assert all(tuple(bone.scale) == (1, 1, 1) for bone in armature.pose.bones)
    assert all(bone.rotation_quaternion == Quaternion() for bone in armature.pose.bones)


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

    play(bpy.context.scene, find_clips(bpy.context.scene, ["quiet"])[0])
    set_frame(bpy.context.scene, 10)

    assert heads(armature) == {"a": 2, "b": 0}


def test_stretched_time_does_not_change_a_clips_speed():
    armature = make_armature("Rig")
    key_action(armature, "lift", height=2)
    bpy.context.scene.render.frame_map_new = 200
    (clip,) = list_clips(bpy.context.scene)
    play(bpy.context.scene, clip)
    set_frame(bpy.context.scene, 10)
    assert heads(armature)["a"] == 2


def test_tracks_of_one_name_play_together():
    first, second = make_armature("First"), make_armature("Second", ("c",))
    push_down(first, "Dance", key_action(first, "dance of first", height=1))
    push_down(second, "Dance", key_action(second, "dance of second", "c", end=20, height=2))

    (clip,) = list_clips(bpy.context.scene)
    assert set(clip.armatures) == {"First", "Second"}
    assert (clip.frame_start, clip.frame_end) == (1, 20)
    play(bpy.context.scene, clip)
    set_frame(bpy.context.scene, 20)
    assert (heads(first)["a"], heads(second)["c"]) == (1, 2)


def test_an_action_plays_on_every_armature_that_it_fits():
    first, twin = make_armature("First"), make_armature("Twin")
    stranger = make_armature("Stranger", ("a", "x", "y", "z"))
    key_action(stranger, "strange", "axyz")
    key_action(first, "lift", "ab")
    stranger.animation_data.action = None

    (lift,) = find_clips(bpy.context.scene, ["lift"])
    assert set(lift.armatures) == {"First", "Twin", "Stranger"}
    (strange,) = find_clips(bpy.context.scene, ["strange"])
    # They share the bone 'a' alone; the action keys four.
    assert strange.armatures == ("Stranger",)
    play(bpy.context.scene, lift)
    set_frame(bpy.context.scene, 10)
    assert heads(first) == heads(twin) == {"a": 1, "b": 1}


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
    play(bpy.context.scene, clip)
    set_frame(bpy.context.scene, 10)
    assert (heads(first)["a"], heads(second)["a"]) == (1, 5)


def test_actions_that_move_no_bone_are_no_clips():
    armature = make_armature("Rig")
    action = bpy.data.actions.new("slide")
    armature.animation_data_create().action = action
    armature.keyframe_insert("location", frame=1)
    cube = bpy.data.objects.new("Cube", None)
    bpy.context.scene.collection.objects.link(cube)
    cube.keyframe_insert("location", frame=1)
    assert list_clips(bpy.context.scene) == []


def test_an_unknown_clip_offers_the_nearest_names():
    armature = make_armature("Rig")
    for name in ("Walk", "Walk fast", "Jump"):
        key_action(armature, name)
    with pytest.raises(UsageError, match=r"no clip 'wlak'; did you mean 'Walk'"):
        find_clips(bpy.context.scene, ["wlak"])
    with pytest.raises(UsageError, match="there is 'Jump', 'Walk' and 'Walk fast'"):
        find_clips(bpy.context.scene, ["?"])


def test_all_is_every_clip_and_a_name_counts_once():
    armature = make_armature("Rig")
    for name in ("b", "a"):
        key_action(armature, name)
    assert [clip.name for clip in find_clips(bpy.context.scene, ["all"])] == ["a", "b"]
    assert [clip.name for clip in find_clips(bpy.context.scene, ["b", "b"])] == ["b"]


def test_what_plays_is_the_scene_where_it_moves():
    armature = make_armature("Rig")
    key_action(armature, "lift")
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 8
    assert what_plays(scene, [armature]) == [ScenePlayback(3, 8)]
    assert [one.name for one in what_plays(scene, [armature], ["lift"])] == ["lift"]


def test_what_plays_is_every_clip_where_the_scene_stands_still(rigs_folder: Path):
    scene = open_or_skip(rigs_folder / "raylib_robot.blend")
    scene.frame_set(7)
    clips = what_plays(scene, [scene.objects["RobotArmature"]])
    assert len(clips) == 14
    assert all(isinstance(clip, Clip) for clip in clips)
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
