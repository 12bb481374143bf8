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
from skinning_addon.ui.settings.animation_settings import loops
from skinning_addon.ui.settings.clip_lists import clip_list, clip_names
from skinning_addon.ui.tracks.script_operators import SKINSCOPE_OT_script_save
from skinning_addon.ui.tracks.script_player import script_player
from skinning_addon.ui.tracks.script_properties import script_of, script_settings
from skinning_addon.ui.tracks.track_events import happenings


def test_what_is_loaded_is_what_the_file_says_and_is_saved_as_it(armature, file: Path, tmp_path: Path):
    bpy.ops.skinscope.script_load(filepath=str(file))
    assert script_of(armature) == read_script(file)
    assert [loops(armature, one) for one in clip_names(armature)] == [True, False]
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
    clip_list(armature).time = 0.4
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
