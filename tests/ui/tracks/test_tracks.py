"""The Tracks panel's operators: the same scripts as `skinscope play --script`, edited while they play."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bpy_extras.io_utils import ExportHelper

from skinning_addon.animation.events import EventKind
from skinning_addon.animation.script import Script, ScriptKey, ScriptTrack, controller_of
from skinning_addon.animation.script_file import read_script, script_text
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.ui.settings.animation_settings import animation_settings
from skinning_addon.ui.settings.tracks_settings import concerns
from skinning_addon.ui.tracks.script_operators import SKINSCOPE_OT_script_save
from skinning_addon.ui.tracks.script_player import ended_by_deletion, problem_of, script_player
from skinning_addon.ui.tracks.script_properties import script_of, script_settings
from skinning_addon.ui.tracks.track_events import happenings
from skinning_addon.ui.tracks.track_operators import active_key, active_track
from tests.scene.posed_arm import keyed_arm

MOVE = """\
instances = 2
seconds = 2.5
priority_blend = 0.3
once = ["Lean"]

[[track]]
number = 0
clip = "Bend"

[[track]]
number = 1
clip = "Lean"
enabled = false
speed = -0.7
weight = 0.1
position = 0.4
mask = { b1 = 0.9, b2 = 1.0 }
priority = "high"

[[track]]
number = 0
clip = "Lean"
instance = 1

[[key]]
time = 0.25
what = "enable"
track = 1
value = true

[[key]]
time = 0.25
what = "weight"
track = 1
value = 0.8
duration = 0.5
transition = "ease-in-ease-out"

[[key]]
time = 0.3
what = "priority"
track = 1
value = "low"
instance = 1

[[key]]
time = 0.5
what = "priority-blend"
value = 0.6
duration = 0.25

[[key]]
time = 0.75
what = "position"
track = 0
value = 0.1

[[key]]
time = 0.75
what = "mask"
track = 1
value = 0.5
duration = 0.1

[[key]]
time = 0.8
what = "speed"
track = 0
value = -1.5
"""


@pytest.fixture
def armature(session) -> bpy.types.Object:  # noqa: ARG001
    """The keyed arm with two actions, Bend and Lean, which has a marker 9 frames in; its clips are listed."""
    armature = keyed_arm()
    bend = armature.animation_data.action
    lean = bend.copy()
    lean.name = "Lean"
    lean.use_fake_user = bend.use_fake_user = True
    lean.pose_markers.new("step").frame = 10
    bpy.context.view_layer.objects.active = armature
    bpy.ops.skinscope.clips_refresh()
    return armature


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "move.toml"
    path.write_text(MOVE, encoding="utf-8")
    return path


def test_what_is_loaded_is_what_the_file_says_and_is_saved_as_it(armature, file: Path, tmp_path: Path):
    bpy.ops.skinscope.script_load(filepath=str(file))
    assert script_of(armature) == read_script(file)
    assert [one.looping for one in animation_settings(armature).clips] == [True, False]
    bpy.ops.skinscope.script_save(filepath=str(tmp_path / "again"))
    assert read_script(tmp_path / "again.toml") == read_script(file)


def test_what_a_file_may_say_at_most_is_held_as_it_is(armature, file: Path):
    widest = Script(
        (ScriptTrack(255, "Bend", speed=-1000.0, position=-3600.0), ScriptTrack(0, "Lean", position=3600.0)),
        (
            ScriptKey(3600.0, EventKind.WEIGHT, 0.0, 255, duration=3600.0),
            ScriptKey(3600.0, EventKind.SPEED, 1000.0, 0),
            ScriptKey(0.0, EventKind.POSITION, -3600.0, 0, instance=999),
            ScriptKey(0.0, EventKind.POSITION, 3600.0, 0),
        ),
        instances=1000,
        seconds=3600.0,
    )
    file.write_text(script_text(widest), encoding="utf-8")
    bpy.ops.skinscope.script_load(filepath=str(file))
    assert script_of(armature) == read_script(file) == widest


def test_a_mask_without_bones_keeps_the_track_from_all_of_them_in_file_and_side_bar(armature, file: Path):
    file.write_text('[[track]]\nnumber = 0\nclip = "Bend"\nmask = {}\n', encoding="utf-8")
    bpy.ops.skinscope.script_load(filepath=str(file))
    assert script_of(armature).tracks[0].mask == {}
    bpy.ops.skinscope.script_play()
    player = script_player(armature)
    player.advance(0.2)
    rest = [np.array(bone.bone.matrix_local, dtype=np.float32).T for bone in armature.pose.bones]
    assert np.abs(player.to_root - rest).max() < 1e-5
    bpy.ops.skinscope.track_mask(clear=True)
    assert script_of(armature).tracks[0].mask is None


@pytest.mark.parametrize(
    ("typed", "becomes"),
    [
        ("/a/mine", "/a/mine.toml"),
        ("/a/mine.toml", "/a/mine.toml"),
        ("/a/x.txt", "/a/x.toml"),
        ("//mine", "//mine.toml"),
        ("/a/b.c.d", "/a/b.c.toml"),
        ("/a/", "/a/"),
    ],
)
def test_a_name_gets_its_suffix_while_it_is_typed_as_in_blenders_exporters(typed: str, becomes: str):
    # Blender warns of a file that is there already by the name that the operator has made of what was typed.
    ours, blenders = (
        SimpleNamespace(filepath=typed, filename_ext=".toml", check_extension=True) for _ in range(2)
    )
    told = SKINSCOPE_OT_script_save.check(ours, bpy.context)
    assert (told, ours.filepath) == (becomes != typed, becomes)
    ExportHelper.check(blenders, bpy.context)
    assert blenders.filepath == becomes


def test_the_panel_plays_what_the_command_line_plays(armature, file: Path, session):
    bpy.ops.skinscope.script_load(filepath=str(file))
    bpy.ops.skinscope.script_play()
    player = script_player(armature)
    assert player.playing
    player.advance(0.9)
    clips = [one.clip for one in session.players.baked_of(armature).values()]
    expected = controller_of(read_script(file), read_armature(armature).skeleton, clips)
    expected.advance(0.9)
    assert player.to_root.tobytes() == expected.to_root()[0].tobytes()
    # The other instance, once the panel is about it.
    script_settings(armature).every = False
    script_settings(armature).instance = 1
    session.players.tick()
    assert player.controller.now >= 0.9
    expected.advance(player.controller.timeline.clock - expected.timeline.clock)
    assert player.to_root.tobytes() == expected.to_root()[1].tobytes()
    assert player.to_root.tobytes() != expected.to_root()[0].tobytes()
    # It pauses at its end, exactly.
    player.advance(99)
    assert (player.controller.now, player.playing) == (2.5, False)


def test_events_are_listed_before_and_after_they_pass(armature, file: Path, session):
    bpy.ops.skinscope.script_load(filepath=str(file))
    bpy.ops.skinscope.script_play()
    player = script_player(armature)
    settings = script_settings(armature)
    bpy.ops.skinscope.script_play()
    settings.every, settings.instance = False, 1
    settings.time = 0.4
    session.players.tick()
    listed = happenings(player)
    # The marker is 0.375 s into Lean, which track 0 of this instance plays from the start. Track 1 comes to it
    # backwards, from 0.4 by 0.7 times its speed: 0.25 + 0.025 / 0.7.
    assert [(one.text, one.passed) for one in listed[:5]] == [
        ("0.29 s  step (Lean, 11%)", True),
        ("0.30 s  Track 1: Priority Low", True),
        ("0.38 s  step (Lean, 100%)", True),
        ("0.50 s  Priority Blend 0.60", False),
        ("0.75 s  Track 0: Position 0.10", False),
    ]
    settings.instance = 0
    session.players.tick()
    assert not [one for one in happenings(player) if "Priority Low" in one.text]


def test_an_edit_is_followed_at_the_same_moment(armature, session):
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.script_play()
    player, settings = script_player(armature), script_settings(armature)
    assert not player.playing
    settings.time = 0.2
    session.players.tick()
    assert settings.time == pytest.approx(0.2)
    before = player.to_root.copy()
    settings.tracks[0].speed = 0.5
    session.players.tick()
    assert player.controller.now == pytest.approx(0.2)
    assert player.controller.position(0) == pytest.approx([0.1])
    assert np.abs(player.to_root - before).max() > 0.01
    # A key at the moment that is shown.
    bpy.ops.skinscope.track_key_add()
    key = settings.keys[0]
    assert (key.kind, key.number) == ("WEIGHT", 0)
    assert key.time == pytest.approx(0.2)
    key.kind, key.speed, key.duration = "SPEED", 0.0, 0.0
    settings.time = 0.4
    session.players.tick()
    assert player.controller.position(0) == pytest.approx([0.1])
    bpy.ops.skinscope.script_rewind()
    session.players.tick()
    assert player.controller.position(0) == [0]


def test_what_can_not_play_is_told_and_the_rest_plays_on(armature, session):
    assert problem_of(armature) == "The script has no track; add one that plays a clip."
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.script_play()
    player, settings = script_player(armature), script_settings(armature)
    bpy.ops.skinscope.track_key_add()
    settings.keys[0].number = 3
    session.players.tick()
    assert player.refused == "Key 1: there is no track 3 in the script; add it, or choose 0."
    assert problem_of(armature) == player.refused
    assert (player.playing, player.error) == (True, "")
    with pytest.raises(RuntimeError, match="there is no track 3 in the script"):
        bpy.ops.skinscope.script_save(filepath="/nowhere.toml")
    settings.keys[0].number = 0
    session.players.tick()
    assert player.refused is None
    # A clip that was never baked is baked once it is played.
    settings.tracks[0].clip = "Lean"
    session.players.tick()
    assert player.refused == "Clips must be baked first; pause and play"
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.script_play()
    session.players.tick()
    assert player.controller.clips[0].name == "Lean"


def test_a_track_is_removed_with_its_keys_and_masked_by_selected_bones(armature):
    settings = script_settings(armature)
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.skinscope.track_key_add()
    for _ in range(2):
        bpy.ops.skinscope.track_add()
        bpy.ops.skinscope.track_key_add()
    assert [one.number for one in settings.tracks] == [0, 1]
    with pytest.raises(RuntimeError, match="'Arm' has no selected bones"):
        bpy.ops.skinscope.track_mask()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        # 5.0 moved the selection of bones from the armature to the pose.
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in {"b1", "b2"}
    bpy.ops.skinscope.track_mask()
    assert script_of(armature).tracks[1].mask == {"b1": 1.0, "b2": 1.0}
    bpy.ops.skinscope.track_mask(clear=True)
    assert script_of(armature).tracks[1].mask is None
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.skinscope.track_remove()
    assert [one.number for one in settings.tracks] == [0]
    assert [one.number for one in settings.keys] == [0]
    # What the mixer plays is its own.
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.mixer_play()
    assert script_player(armature) is None


def test_a_file_that_can_not_play_here_is_refused_and_changes_nothing(armature, file: Path, tmp_path: Path):
    bpy.ops.skinscope.track_add()
    file.write_text(MOVE.replace('"Lean"', '"Fly"'), encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"move\.toml': track 1: there is no clip 'Fly'"):
        bpy.ops.skinscope.script_load(filepath=str(file))
    with pytest.raises(RuntimeError, match="can't be read"):
        bpy.ops.skinscope.script_load(filepath=str(tmp_path / "none.toml"))
    with pytest.raises(RuntimeError, match="can't be written"):
        bpy.ops.skinscope.script_save(filepath=str(tmp_path / "none" / "a.toml"))
    assert [one.clip for one in script_of(armature).tracks] == ["Bend"]


def test_a_track_of_an_instance_that_is_gone_is_listed_and_one_that_is_not_listed_is_not_edited(armature):
    settings = script_settings(armature)
    settings.instances = 2
    bpy.ops.skinscope.track_add()
    settings.every, settings.instance = False, 1
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.track_key_add()
    own, key = settings.tracks[1], settings.keys[0]
    assert (own.every, own.instance, key.every, key.instance) == (False, 1, False, 1)
    # Another instance is chosen: neither is in its lists, nor can be changed unseen.
    settings.instance = 0
    assert not concerns(own, settings)
    assert (active_track(settings), active_key(settings)) == (None, None)
    for remove in (bpy.ops.skinscope.track_remove, bpy.ops.skinscope.track_key_remove):
        with pytest.raises(RuntimeError, match="poll"):
            remove()
    # No such instance: they are listed again, to be removed.
    settings.instances = 1
    assert concerns(own, settings)
    assert concerns(key, settings)
    assert problem_of(armature) == (
        "Track 1: it is for instance 1, but the last one is 0; raise instances, or remove it."
    )
    bpy.ops.skinscope.track_remove()
    assert problem_of(armature) is None


def test_a_key_is_made_for_the_instance_whose_own_the_track_is(armature):
    settings = script_settings(armature)
    settings.instances = 2
    bpy.ops.skinscope.track_add()
    settings.tracks[0].every, settings.tracks[0].instance = False, 1
    bpy.ops.skinscope.track_key_add()
    assert (settings.keys[0].every, settings.keys[0].instance) == (False, 1)


def test_an_armature_that_was_deleted_while_it_played_tells_so_once_it_is_back(armature, session):
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.script_play()
    script_player(armature).advance(0.25)
    name = armature.name
    bpy.ops.ed.undo_push(message="Played")
    bpy.data.objects.remove(bpy.data.objects[name])
    bpy.ops.ed.undo_push(message="Deleted")
    session.players.tick()
    bpy.ops.ed.undo()
    back = bpy.data.objects[name]
    bpy.context.view_layer.objects.active = back
    assert script_player(back) is None
    assert ended_by_deletion(back) == "The armature was deleted, so playing ended at 0.25 s; play it again"
    bpy.ops.skinscope.script_play()
    assert ended_by_deletion(back) is None
