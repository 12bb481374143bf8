"""Which clips a scene contains, their names, and the armatures they move."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import pytest

from skinning_addon.core.text.errors import UsageError
from skinning_addon.scene.clips.clip_player import ClipPlayer
from skinning_addon.scene.clips.clips import find_clips, list_clips
from skinning_addon.scene.clips.playback import set_frame
from skinning_addon.scene.files import open_file
from tests.command_line.rig_files import animated_rig
from tests.scene.lifted_bones import heads, key_action, make_armature, push_down
from tests.scene.opened_rigs import is_readable, open_rig
from tests.scene.random_rig import RigOptions
from tests.scene.refit.planning import copied, planned

RIG = re.compile(r"^\| (?P<file>\S+\.(?:glb|gltf|fbx|blend)) \|(?:[^|]*\|){8} (?P<clips>\d+) \|")


def rows_of_manifest(rigs_folder: Path) -> dict[str, int]:
    lines = (rigs_folder / "MANIFEST.md").read_text(encoding="utf-8").splitlines()
    rows = {match["file"]: int(match["clips"]) for line in lines if (match := RIG.match(line))}
    assert len(rows) == 11
    return rows


def test_every_rig_has_the_clips_of_the_manifest(rigs_folder: Path):
    counts = {file: count for file, count in rows_of_manifest(rigs_folder).items() if is_readable(file)}
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
    open_rig(rigs_folder / file)
    clips = {clip.name: (clip.frame_start, clip.frame_end) for clip in list_clips(bpy.context.scene)}
    assert clips == {name: pytest.approx(frames, abs=1e-4) for name, frames in ranges.items()}


def test_stashed_actions_go_by_their_own_names(rigs_folder: Path):
    open_rig(rigs_folder / "raylib_robot.blend")
    names = [clip.name for clip in list_clips(bpy.context.scene)]
    assert names == sorted(names, key=str.casefold)
    assert all(name.startswith("Robot_") for name in names)


def test_a_scene_without_animation_has_no_clips():
    make_armature("Rig")
    assert list_clips(bpy.context.scene) == []
    with pytest.raises(UsageError, match="no clips"):
        find_clips(bpy.context.scene, ["all"])
    with pytest.raises(UsageError, match="no clip 'Walk'; none of the actions or NLA tracks"):
        find_clips(bpy.context.scene, ["Walk"])


def test_a_track_names_the_clip_and_the_action_still_finds_it():
    armature = make_armature("Rig")
    push_down(armature, "Walk", key_action(armature, "Walk_root"))

    assert [clip.name for clip in list_clips(bpy.context.scene)] == ["Walk"]
    assert [clip.name for clip in find_clips(bpy.context.scene, ["Walk_root", "Walk"])] == [
        "Walk_root",
        "Walk",
    ]


def test_tracks_of_one_name_play_together():
    first, second = make_armature("First"), make_armature("Second", ("c",))
    push_down(first, "Dance", key_action(first, "dance of first", height=1))
    push_down(second, "Dance", key_action(second, "dance of second", "c", end=20, height=2))

    (clip,) = list_clips(bpy.context.scene)
    assert set(clip.armatures) == {"First", "Second"}
    assert (clip.frame_start, clip.frame_end) == (1, 20)
    ClipPlayer(bpy.context.scene).play(clip)
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
    ClipPlayer(bpy.context.scene).play(lift)
    set_frame(bpy.context.scene, 10)
    assert heads(first) == heads(twin) == {"a": 1, "b": 1}


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
    with pytest.raises(UsageError, match="there are 'Jump', 'Walk' and 'Walk fast'"):
        find_clips(bpy.context.scene, ["?"])
    for name in ("Walk", "Walk fast"):
        bpy.data.actions.remove(bpy.data.actions[name])
    with pytest.raises(UsageError, match="there is 'Jump'"):
        find_clips(bpy.context.scene, ["?"])


def test_all_is_every_clip_and_a_name_counts_once():
    armature = make_armature("Rig")
    for name in ("b", "a"):
        key_action(armature, name)
    assert [clip.name for clip in find_clips(bpy.context.scene, ["all"])] == ["a", "b"]
    assert [clip.name for clip in find_clips(bpy.context.scene, ["b", "b"])] == ["b"]


@pytest.mark.parametrize("name", ["all", "Bend"])
def test_a_game_ready_copy_has_its_clips_beside_its_original(name: str):
    """The copy has them on tracks, which are called as the original's action."""
    rig = animated_rig(RigOptions(seed=3, scale="none"))
    rig.armature.animation_data.action.name = "Bend"
    copy, _ = copied(planned(rig.armature, [rig.mesh]))
    (clip,) = find_clips(bpy.context.scene, [name])
    assert set(clip.armatures) == {rig.armature.name, copy.name}
    actions = {one.armature: one.action for one in clip.parts}
    assert actions == {rig.armature.name: "Bend", copy.name: "Bend game-ready"}
    # Each by itself has its own alone.
    for one in (rig.armature, copy):
        (alone,) = find_clips(bpy.context.scene, [name], [one])
        assert alone.armatures == (one.name,)
