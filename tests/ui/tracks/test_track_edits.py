"""Tracks and keys edited in the panel: followed while they play, and kept to what can play."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.ui.settings.clip_lists import clip_list
from skinning_addon.ui.settings.tracks_settings import concerns
from skinning_addon.ui.tracks.script_player import problem_of, script_player
from skinning_addon.ui.tracks.script_properties import script_of, script_settings
from skinning_addon.ui.tracks.track_operators import active_key, active_track
from skinning_addon.ui.undone import follow_undo
from tests.ui.tracks.move_script import MOVE


def test_an_edit_is_followed_at_the_same_moment(armature, session):
    bpy.ops.skinscope.track_add()
    bpy.ops.skinscope.script_play()
    bpy.ops.skinscope.script_play()
    player, settings = script_player(armature), script_settings(armature)
    assert not player.playing
    clip_list(armature).time = 0.2
    session.players.tick()
    assert clip_list(armature).time == pytest.approx(0.2)
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
    clip_list(armature).time = 0.4
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
    # Another instance is chosen: neither is in its lists, so neither can be changed unseen.
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


@pytest.mark.parametrize("what", ["script", "mixer"])
def test_what_played_goes_on_once_its_deleted_armature_is_back(armature, session, what: str):
    if what == "script":
        bpy.ops.skinscope.track_add()
        bpy.ops.skinscope.script_play()
    else:
        bpy.ops.skinscope.mixer_play()
    (player,) = session.players
    player.advance(0.25)
    name = armature.name
    bpy.ops.ed.undo_push(message="Played")
    bpy.data.objects.remove(bpy.data.objects[name])
    bpy.ops.ed.undo_push(message="Deleted")
    session.players.tick()
    assert list(session.players) == []
    seconds = player.seconds
    bpy.ops.ed.undo()
    follow_undo()
    assert list(session.players) == [player]
    assert session.players.of(bpy.data.objects[name]) is player
    assert (player.playing, player.seconds) == (True, seconds)
    bpy.ops.ed.redo()
    follow_undo()
    session.players.tick()
    assert list(session.players) == []
