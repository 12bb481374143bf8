"""`--clips-from` from the outside: playback against Blender's own, messages, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program
from tests.scene.walking_figure import (
    FRAMES,
    add_figure,
    blenders_mesh,
    edit_bones,
    key_walk,
    play_by_hand,
    save,
)


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A file with the figure and its walk."""
    key_walk(add_figure())
    return save(tmp_path / "walk.blend")


@pytest.fixture
def still(walk: Path) -> Path:
    """A file with the figure alone."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    add_figure()
    return save(walk.with_name("still.blend"))


@pytest.fixture
def rolled(still: Path) -> Path:
    """A file with a figure that has other rest frames, one bone too many and one with a different name."""
    edit_bones(
        bpy.context.scene.objects["Figure"],
        "for one in bones: one.roll += 0.5\n"
        "bones['hand'].name = 'Hand'; hat = bones.new('hat'); hat.head, hat.tail = (0, 0, 1.8), (0, 0, 2)",
    )
    return save(still.with_name("rolled.blend"))


def _blenders_frames(path: Path, clip: str = "Walk") -> np.ndarray:
    """The body of a file as Blender deforms it in the file's own clip, (F, V, 3)."""
    open_file(path)
    play_by_hand(bpy.context.scene.objects["Figure"], bpy.data.actions[clip])
    frames = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        frames.append(blenders_mesh(bpy.data.objects["FigureBody"]))
    return np.array(frames)


def test_play_writes_what_blender_makes_of_the_clip_in_its_own_file(
    skinscope: Program, walk: Path, still: Path
):
    path = still.with_name("frames.npz")
    ran = skinscope("play", still, "--clips-from", walk, "--output", path, "--device", "cpu")
    assert (ran.status, ran.complaints) == (0, ())
    played = np.load(path)["skinned_positions"]
    assert np.abs(played - _blenders_frames(walk)).max() < 1e-5


def test_export_has_blenders_own_positions_of_the_other_files_clip(
    skinscope: Program, walk: Path, still: Path
):
    folder = still.with_name("bundle")
    ran = skinscope("export", still, "--clips-from", walk, "--output", folder, "--device", "cpu")
    assert (ran.status, ran.complaints) == (0, ())
    bundle = json.loads((folder / "bundle.json").read_text())
    assert bundle["clips_from"] == str(walk)
    assert [one["name"] for one in bundle["clips"]] == ["Walk"]
    frames = np.load(folder / "figurebody" / "frames.npz")
    blender = _blenders_frames(walk)
    assert np.array_equal(frames["blender_positions"], blender)
    assert np.abs(frames["skinned_positions"] - blender).max() < 1e-5


def test_check_plays_it_and_reports_what_does_not_fit(skinscope: Program, walk: Path, rolled: Path):
    ran = skinscope("check", rolled, "--clips-from", walk, "--device", "cpu", "--format", "json")
    (file,) = ran.json["files"]
    assert [one["deviation"]["clip"] for one in file["meshes"]] == ["Walk"]
    told = [one for one in file["findings"] if one["rule"] == "foreign-clips"]
    assert {one["severity"] for one in told} == {"warning", "info"}
    text = " ".join(one["message"] for one in told)
    assert "its animation is left out: 'hand'" in text
    assert "they keep their rest pose on their parents: 'Hand', 'hat'" in text
    # A roll of half a radian.
    assert "5 of the 5 bones" in text
    assert f"by up to {np.degrees(0.5):.4g} degrees" in text
    again = skinscope(
        "check", rolled, "--clips-from", walk, "--retarget", "--device", "cpu", "--format", "json"
    )
    told = " ".join(one["message"] for one in again.json["files"][0]["findings"])
    assert "the clips are retargeted" in told
    assert "translations of 'walk.blend' are used unchanged because its bones are equally long." in told


def test_check_finds_a_character_that_a_collection_brings_in(skinscope: Program, walk: Path, still: Path):
    scene = bpy.context.scene
    collection = bpy.data.collections.new("Cast")
    for one in list(scene.collection.objects):
        scene.collection.objects.unlink(one)
        collection.objects.link(one)
    instance = bpy.data.objects.new("Hero", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", collection
    scene.collection.objects.link(instance)
    save(still)
    ran = skinscope("check", still, "--clips-from", walk, "--device", "cpu", "--format", "json")
    assert ran.status == 0
    assert [one["deviation"]["clip"] for one in ran.json["files"][0]["meshes"]] == ["Walk"]


def test_a_clip_of_the_artists_own_keys(skinscope: Program, walk: Path, still: Path):
    own, other = still.with_name("own.npz"), still.with_name("other.npz")
    assert skinscope("play", walk, "--keys", "--output", own, "--device", "cpu").status == 0
    ran = skinscope("play", still, "--clips-from", walk, "--keys", "--output", other, "--device", "cpu")
    assert ran.status == 0
    with np.load(own) as there, np.load(other) as here:
        assert np.array_equal(there["to_root"], here["to_root"])
        assert np.ptp(here["to_root"], axis=0).max() > 0.5


def test_a_script_names_clips_of_the_other_file(skinscope: Program, walk: Path, still: Path):
    script, output = still.with_name("script.toml"), still.with_name("frames.npz")
    script.write_text('[[track]]\nnumber = 0\nclip = "Walk"\n')
    ran = skinscope(
        "play", still, "--script", script, "--clips-from", walk, "--output", output, "--device", "cpu"
    )
    assert (ran.status, ran.complaints) == (0, ())


def test_a_configuration_names_the_file_for_all_but_itself(skinscope: Program, walk: Path, still: Path):
    still.with_name("skinscope.toml").write_text('[check]\nclips_from = "walk.blend"\nretarget = true\n')
    ran = skinscope("check", still, walk, "--device", "cpu", "--format", "json")
    assert ran.status == 0
    clips = {Path(one["file"]).name: one["meshes"][0]["deviation"]["clip"] for one in ran.json["files"]}
    assert clips == {"still.blend": "Walk", "walk.blend": "(scene)"}


def test_a_kept_result_is_not_used_once_the_clips_have_changed(skinscope: Program, walk: Path, still: Path):
    arguments = ("check", still, "--clips-from", walk, "--device", "cpu", "--format", "json")
    cached = (*arguments, "--cache", still.with_name("cache"))
    assert skinscope(*cached).output == skinscope(*cached).output
    open_file(walk)
    bpy.data.actions["Walk"].name = "Stroll"
    save(walk)
    ran = skinscope(*cached)
    assert ran.json["files"][0]["meshes"][0]["deviation"]["clip"] == "Stroll"


def test_two_clips_of_one_name_are_told_apart(skinscope: Program, walk: Path, tmp_path: Path):
    other = tmp_path / "other.blend"
    other.write_bytes(walk.read_bytes())
    path = tmp_path / "frames.npz"
    ran = skinscope("play", walk, "--clips-from", other, "--output", path, "--device", "cpu")
    assert ran.status == 0
    (told,) = ran.complaints
    assert told == (
        "A clip 'Walk' already exists here, so the one from 'other.blend' is called 'Walk (other.blend)'."
    )
    named = skinscope(
        "play",
        walk,
        "--clips-from",
        other,
        "--clips",
        "Walk (other.blend)",
        "--output",
        path,
        "--device",
        "cpu",
    )
    assert named.status == 0


@pytest.fixture
def other(walk: Path) -> Path:
    """A file with the same figure, whose clip of the name moves one bone, as the walk does not; one is in this
    file alone.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    arm = add_figure().pose.bones["arm"]
    arm.rotation_mode = "QUATERNION"
    armature = arm.id_data
    for name, turn in (("Walk", 1.2), ("Wave", -0.9)):
        armature.animation_data_create().action = None
        for frame, angle in ((1, 0.0), (FRAMES, turn)):
            arm.rotation_quaternion = Matrix.Rotation(angle, 4, (1, 0, 1)).to_quaternion()
            arm.keyframe_insert("rotation_quaternion", frame=frame)
        armature.animation_data.action.name = name
        armature.animation_data.action.use_fake_user = True
    return save(walk.with_name("other.blend"))


@pytest.mark.parametrize("named", ["Walk", "Walk (other.blend)"])
@pytest.mark.parametrize("by_script", [False, True])
def test_a_name_that_both_files_have_means_the_other_files_clip(
    skinscope: Program, walk: Path, other: Path, named: str, by_script: bool
):
    script, path, events = (walk.with_name(one) for one in ("s.toml", "frames.npz", "events.json"))
    script.write_text(f'once = ["{named}"]\n[[track]]\nnumber = 0\nclip = "{named}"\n')
    what = ("--script", script) if by_script else ("--clips", named)
    outputs = ("--output", path, "--events", events, "--device", "cpu")
    ran = skinscope("play", walk, "--clips-from", other, *what, *outputs)
    assert ran.status == 0
    (told,) = ran.complaints
    assert "Walk (other.blend)" in told
    there, here = _blenders_frames(other), _blenders_frames(walk)
    with np.load(path) as played:
        assert np.abs(played["skinned_positions"] - there).max() < 1e-5
    assert np.abs(there - here).max() > 0.1
    (clip,) = json.loads(events.read_text())["clips"]
    assert (clip["name"], clip["file"]) == ("Walk (other.blend)", str(other))


def test_check_and_export_take_the_other_files_clip_of_a_name_that_both_have(
    skinscope: Program, walk: Path, other: Path
):
    folder = walk.with_name("bundle")
    named = ("--clips-from", other, "--clips", "Walk", "--device", "cpu")
    assert skinscope("export", walk, *named, "--output", folder, "--frames", f"1:{FRAMES}").status == 0
    (clip,) = json.loads((folder / "bundle.json").read_text())["clips"]
    assert (clip["name"], clip["file"]) == ("Walk (other.blend)", str(other))
    assert np.array_equal(
        np.load(folder / "figurebody" / "frames.npz")["blender_positions"], _blenders_frames(other)
    )
    options = skinscope("check", walk, *named, "--format", "json")
    walk.with_name("skinscope.toml").write_text('[check]\nclips_from = "other.blend"\nclips = ["Walk"]\n')
    configured = skinscope("check", walk, other, "--device", "cpu", "--format", "json")
    played = [
        one["meshes"][0]["deviation"]["clip"] for one in options.json["files"] + configured.json["files"]
    ]
    assert played == ["Walk (other.blend)", "Walk (other.blend)", "Walk"]


def test_a_clip_that_the_character_alone_has_is_played_and_told(skinscope: Program, walk: Path, other: Path):
    events = walk.with_name("events.json")
    ran = skinscope(
        "play", other, "--clips-from", walk, "--clips", "Wave", "--events", events, "--device", "cpu"
    )
    assert ran.status == 0
    assert (
        "'Wave' is the character's own clip because 'walk.blend' has no clip of that name." in ran.complaints
    )
    (clip,) = json.loads(events.read_text())["clips"]
    assert (clip["name"], clip["file"]) == ("Wave", str(other))


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("still.blend", "is the character's own file"),
        ("no.glb", "does not exist; check the path."),
        ("broken.glb", "can't be imported"),
        ("note.txt", "files ending in '.txt' are not supported"),
        ("empty.blend", "'empty.blend' has no clips"),
        ("foreign.blend", "'foreign.blend' has no bone names in common"),
    ],
)
def test_what_has_no_clips_for_the_character_is_refused_in_a_sentence(
    skinscope: Program, walk: Path, still: Path, named: str, sentence: str
):
    folder = still.parent
    (folder / "broken.glb").write_bytes(b"glTF\2\0\0\0 and then nothing of the kind")
    (folder / "note.txt").write_text("Walk")
    save(folder / "empty.blend")
    open_file(walk)
    edit_bones(bpy.context.scene.objects["Figure"], "for one in bones: one.name = 'x' + one.name")
    save(folder / "foreign.blend")
    output = folder / "frames.npz"
    ran = skinscope("play", still, "--clips-from", folder / named, "--output", output, "--device", "cpu")
    assert ran.status == 2
    assert sentence in ran.complaints[-1]
    assert not output.exists()


def test_retargeting_needs_a_file(skinscope: Program, still: Path):
    for command in ("play", "check", "export"):
        ran = skinscope(command, still, "--retarget", "--output", still.with_name("out"), "--device", "cpu")
        assert ran.status == 2
        assert ran.complaints[-1].startswith("--retarget needs clips of another file")
