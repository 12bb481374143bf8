"""`skinscope play` from the outside: every frame against Blender's own, callbacks, and a strip."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.animation.local_pose import LocalPose, compose, decompose
from skinning_addon.animation.rotations import RotationBlend, interpolate
from skinning_addon.command_line.main import run
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.clips.clips import find_clips
from skinning_addon.scene.clips.playback import play_clip, set_frame
from skinning_addon.scene.files import open_file
from tests.scene.posed_arm import keyed_arm

STEP = 1 / 24


@pytest.fixture
def arm_file(tmp_path: Path) -> Path:
    """The keyed arm with two actions: Bend, 11 frames, and Lean, 11 frames, with a marker at its frame 6."""
    armature = keyed_arm()
    bend = armature.animation_data.action
    lean = bend.copy()
    lean.name = "Lean"
    armature.animation_data.action = lean
    for bone in armature.pose.bones:
        bone.rotation_quaternion = (0.9, 0, 0, -0.4)
        bone.keyframe_insert("rotation_quaternion", frame=12)
    marker = lean.pose_markers.new("step")
    marker.frame = 10
    armature.animation_data.action = bend
    lean.use_fake_user = True
    path = tmp_path / "arm.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def _play(*arguments: str | Path) -> tuple[int, str]:
    output = io.StringIO()
    return run(["play", *map(str, arguments), "--device", "cpu"], output), output.getvalue()


def _blenders_pose(path: Path, clip: str, frame: float) -> np.ndarray:
    """to_root of the arm's bones as Blender evaluates them in a clip."""
    open_file(path)
    scene = bpy.context.scene
    play_clip(scene, find_clips(scene, [clip])[0])
    set_frame(scene, frame)
    armature = scene.objects["Arm"]
    return read_armature(armature).read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))


def test_every_frame_is_what_blender_makes_of_the_clip(arm_file: Path, tmp_path: Path):
    status, said = _play(arm_file, "--clips", "Bend", "--output", tmp_path / "frames.npz")
    assert status == 0
    assert "12 frames" in said
    frames = np.load(tmp_path / "frames.npz")
    assert frames["skinned_positions"].shape[0] == 12
    assert frames["to_root"].shape[1:] == frames["final"].shape[1:] == (4, 4, 4)
    for number in (0, 5, 10, 11):
        blender = _blenders_pose(arm_file, "Bend", 1 + number)
        assert np.abs(frames["to_root"][number, 1:] - blender).max() < 1e-5


def test_a_cross_fade_blends_blenders_own_two_poses_bone_by_bone(arm_file: Path, tmp_path: Path):
    _play(arm_file, "--clips", "Bend,Lean", "--transition", "0.25", "--output", tmp_path / "frames.npz")
    frames = np.load(tmp_path / "frames.npz")
    # Eleven frames of Bend; Lean begins six frames before they end.
    assert len(frames["frames"]) == 11 + 11 - 6 + 1
    skeleton = None
    for number in (6, 8, 10):
        open_file(arm_file)
        skeleton = read_armature(bpy.context.scene.objects["Arm"]).skeleton
        poses = [
            decompose(skeleton.to_parent(_blenders_pose(arm_file, clip, frame))[0]).pose
            for clip, frame in (("Bend", 1 + number), ("Lean", 1 + number - 5))
        ]
        share = (number - 5) / 6
        blended = LocalPose(
            poses[0].translation * (1 - share) + poses[1].translation * share,
            interpolate(poses[0].rotation, poses[1].rotation, share, RotationBlend.NLERP),
            poses[0].scale * (1 - share) + poses[1].scale * share,
        )
        expected = skeleton.to_root(compose(blended))
        assert np.abs(frames["to_root"][number, 1:] - expected).max() < 1e-5
        assert frames["weights"][number] == pytest.approx([1 - share, share])


def test_the_artists_own_keys_are_played_straight_and_it_is_said(
    arm_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    _play(arm_file, "--clips", "Bend", "--keys", "--output", tmp_path / "frames.npz")
    assert "3 channels are not linear between keys (BEZIER); leave out --keys" in capsys.readouterr().err
    frames = np.load(tmp_path / "frames.npz")
    assert len(frames["frames"]) == 12
    for number in (0, 11):
        assert (
            np.abs(frames["to_root"][number, 1:] - _blenders_pose(arm_file, "Bend", 1 + number)).max() < 1e-5
        )
    # Blender eases in, where a straight way has gone a good part already.
    assert np.abs(frames["to_root"][2, 1:] - _blenders_pose(arm_file, "Bend", 3)).max() > 0.02


def test_keys_are_left_out_to_a_tolerance_on_vertices_and_it_is_said(arm_file: Path, tmp_path: Path):
    whole, reduced = tmp_path / "whole.npz", tmp_path / "reduced.npz"
    _play(arm_file, "--clips", "Bend", "--output", whole)
    status, said = _play(
        arm_file, "--clips", "Bend", "--reduce", "1cm", "--output", reduced, "--events", tmp_path / "e.json"
    )
    assert status == 0
    (clip,) = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))["clips"]
    assert 3 < clip["keys"] < clip["reduction"]["keys_before"] / 2
    assert f"Bend: {clip['keys']} of {clip['reduction']['keys_before']} keys, " in said
    apart = np.load(whole)["skinned_positions"] - np.load(reduced)["skinned_positions"]
    assert 1e-3 < np.linalg.norm(apart, axis=2).max() <= 0.01


@pytest.fixture
def walking_file(tmp_path: Path) -> Path:
    """The arm as it walks 2 m along X and 1 m up, lying as FBX files do: its object turned, Y of root space
    up.
    """
    armature = keyed_arm()
    armature.rotation_euler.x = np.radians(90)
    for frame, place in ((1, (0, 0, 0)), (12, (2, 0, 1))):
        bone = armature.pose.bones["b0"]
        bone.location = place
        bone.keyframe_insert("location", frame=frame)
    path = tmp_path / "walk.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_root_motion_is_taken_out_and_told(walking_file: Path, tmp_path: Path):
    frames, events = tmp_path / "frames.npz", tmp_path / "events.json"
    options = ("--clips", "Bend", "--root-bone", "b0", "--root-motion", "extract")
    assert _play(walking_file, *options, "--output", frames, "--events", events)[0] == 0
    motion = json.loads(events.read_text(encoding="utf-8"))["clips"][0]["root_motion"]
    assert (motion["bone"], motion["up"]) == ("b0", "Y")
    in_place = np.load(frames)["to_root"][:, 1:]
    for number in (0, 4, 11):
        blender = _blenders_pose(walking_file, "Bend", 1 + number)
        at = [
            np.interp(number * STEP, motion["seconds"], [one[axis] for one in motion["offset"]])
            for axis in range(3)
        ]
        way = np.eye(4)
        way[3, :3] = at
        assert np.abs(in_place[number] @ way - blender).max() < 1e-5
        assert in_place[number, 0, 3, [0, 2]] == pytest.approx(in_place[0, 0, 3, [0, 2]], abs=1e-5)
    # In root space the bone, which points along Z, goes along X, and down its own Z that is Y there.
    assert motion["offset"][-1] == pytest.approx([2, 0, 0], abs=1e-5)
    assert abs(in_place[-1, 0, 3, 1] - in_place[0, 0, 3, 1]) == pytest.approx(1, abs=1e-5)


def test_kept_root_motion_is_not_told(walking_file: Path, tmp_path: Path):
    _play(walking_file, "--clips", "Bend", "--events", tmp_path / "events.json")
    (clip,) = json.loads((tmp_path / "events.json").read_text(encoding="utf-8"))["clips"]
    assert clip["root_motion"] is None
    assert clip["reduction"] is None


def test_markers_are_written_with_their_times(arm_file: Path, tmp_path: Path):
    status, said = _play(
        arm_file, "--clips", "Bend,Lean", "--transition", "0.25", "--events", tmp_path / "events.json"
    )
    assert status == 0
    assert "1 event." in said
    document = json.loads((tmp_path / "events.json").read_text(encoding="utf-8"))
    (event,) = document["events"]
    assert event["marker"] == "step"
    assert event["clip"] == "Lean"
    assert event["time"] == pytest.approx((5 + 9) * STEP)
    assert document["seconds"] == pytest.approx(16 * STEP)


SCRIPT = """\
instances = 2
seconds = 0.75
once = ["Bend"]

[[track]]
number = 0
clip = "Bend"

[[track]]
number = 1
clip = "Lean"
enabled = false

[[key]]
time = 0.25
what = "enable"
track = 1
value = true
instance = 1

[[key]]
time = 0.25
what = "weight"
track = 0
value = 0
duration = 0.25
instance = 1
"""


def _script(folder: Path, text: str = SCRIPT) -> Path:
    path = folder / "move.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_script_plays_two_instances_each_as_blender_has_their_clips(arm_file: Path, tmp_path: Path):
    options = ("--script", _script(tmp_path), "--output", tmp_path / "f.npz", "--events", tmp_path / "e.json")
    status, said = _play(arm_file, *options)
    assert status == 0
    assert "f-0.npz, f-1.npz, e.json: 19 frames, 0.75 s, 1 event." in said
    still, moved = (np.load(tmp_path / f"f-{instance}.npz") for instance in range(2))
    assert (still["weights"] == [1, 0]).all()
    assert moved["weights"][[6, 9, 12, 18]].tolist() == [[1, 1], [0.5, 1], [0, 1], [0, 1]]
    # Bend, of eleven frames and 0.46 s, is set to stay at its end.
    for frames, number, clip, frame in (
        (still, 5, "Bend", 6),
        (still, 18, "Bend", 12),
        (moved, 5, "Bend", 6),
        (moved, 12, "Lean", 7),
    ):
        blender = _blenders_pose(arm_file, clip, frame)
        assert np.abs(frames["to_root"][number, 1:] - blender).max() < 1e-5
    document = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert (document["script"], document["transition"]) == (str(tmp_path / "move.toml"), None)
    (event,) = document["events"]
    # Lean's frame 10 is nine after its first.
    assert (event["marker"], event["instance"]) == ("step", 1)
    assert event["time"] == pytest.approx(0.25 + 9 * STEP)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (SCRIPT.replace('"Lean"', '"Fly"'), (), ("move.toml': track 1: there is no clip 'Fly'; there are "
                                                "'Bend' and 'Lean'.")),
        (SCRIPT.replace('"Lean"', '"Laen"'), (), ("move.toml': track 1: there is no clip 'Laen'; did you "
                                                 "mean 'Lean' or 'Bend'?\n")),
        (SCRIPT.replace("time = 0.25", "time = -1"), (), "move.toml': key 1: a key can't be set at -1 seconds"),
        (SCRIPT.replace("track = 0", "track = 7"), (), ("move.toml': key 2: there is no track 7 in the "
                                                       "script; add it, or")),
        (
            SCRIPT.replace("enabled = false", "mask = { tail = 1 }"),
            (),
            "move.toml': track 1: there is no bone 'tail' to mask; choose a bone of the armature.",
        ),
        (SCRIPT, ("--clips", "Bend"), "--script and --clips can't be used together; leave out one of them."),
        (SCRIPT, ("--speed", "2"), "--script and --speed can't be used together; leave out one of them."),
    ],
)  # fmt: skip
def test_a_script_that_can_not_play_is_refused_in_one_line(
    arm_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    text: str,
    options: tuple[str, ...],
    says: str,
):
    script = _script(tmp_path, text)
    assert _play(arm_file, "--script", script, "--events", tmp_path / "e.json", *options)[0] == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "e.json").exists()


@pytest.mark.gpu
def test_a_strip_is_drawn(arm_file: Path, tmp_path: Path):
    output = io.StringIO()
    assert (
        run(["play", str(arm_file), "--clips", "Bend", "--render", str(tmp_path / "strip.png")], output) == 0
    )
    image = bpy.data.images.load(str(tmp_path / "strip.png"))
    width, height = image.size
    assert width > 4 * height
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    pictures = np.split(pixels.reshape(height, width, 4)[: height * 3 // 4], 7, axis=1)
    # The arm bends on, from one picture to the next.
    assert all(np.abs(a - b).max() > 0.1 for a, b in pairwise(pictures))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "no output to write"),
        (("--events", "x.json", "--clips", "Fly"), "no clip 'Fly'"),
        (("--events", "x.json", "--clips", "Bend,Lean", "--transition", "9"), "longer than the"),
        (("--events", "x.json", "--transition", "-1"), "is not a duration"),
        (("--events", "x.json", "--speed", "0"), "is not a speed"),
        (("--events", "x.json", "--rate", "0"), "not a frame rate"),
        (("--events", "x.json", "--rate", "1e9"), "write a number above 0, up to 1000, such as 30."),
        (("--events", "x.json", "--reduce", "0mm"), "is not a tolerance"),
        (("--events", "x.json", "--root-motion", "drop"), "extract-turning"),
        (
            ("--events", "x.json", "--root-motion", "extract", "--root-bone", "tail"),
            "no bone 'tail' to extract",
        ),
        (("--events", "x.json", "--root-bone", "b0"), "add --root-motion extract"),
    ],
)
def test_wrong_use_is_one_line_and_two(
    arm_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str
):
    arguments = tuple(str(tmp_path / one) if one == "x.json" else one for one in arguments)
    assert _play(arm_file, *arguments)[0] == 2
    assert says in capsys.readouterr().err


@pytest.mark.gpu
def test_a_strip_has_a_row_for_each_instance(arm_file: Path, tmp_path: Path):
    strip = tmp_path / "strip.png"
    script = _script(tmp_path)
    assert run(["play", str(arm_file), "--script", str(script), "--render", str(strip)], io.StringIO()) == 0
    image = bpy.data.images.load(str(strip))
    width, height = image.size
    pixels = np.empty(width * height * 4, dtype=np.float32)
    image.pixels.foreach_get(pixels)
    second, first = np.split(pixels.reshape(height, width, 4), 2)
    # What is written in the corners is left out: the arms are the same until Lean begins in the second one, at
    # 0.25 s of 0.75.
    middle = slice(height // 6, height // 3)
    parts = [np.split(one[middle], 7, axis=1) for one in (first, second)]
    apart = [np.abs(one - other).max() for one, other in zip(*parts, strict=True)]
    assert max(apart[:2]) == 0
    assert min(apart[4:]) > 0.1
