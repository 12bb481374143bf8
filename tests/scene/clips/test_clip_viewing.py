"""A clip shown in the user's scene is assigned to the armatures that it is shown for, and to no others."""

from __future__ import annotations

import bpy

from skinning_addon.scene.clips.clip_viewing import show_clip
from tests.scene.lifted_bones import key_action, make_armature, push_down


def armature_with_clips(name: str) -> bpy.types.Object:
    """Return one that plays an action of its own and has the clip Run on a track."""
    armature = make_armature(name)
    push_down(armature, "Run", key_action(armature, f"{name} Run"))
    armature.animation_data.nla_tracks["Run"].mute = True
    key_action(armature, f"{name} Idle")
    return armature


def plays(armature: bpy.types.Object) -> str:
    """Name the action that an armature plays, or the track that it plays alone."""
    data = armature.animation_data
    tracks = [track.name for track in data.nla_tracks if track.is_solo]
    return tracks[0] if tracks else data.action.name


def test_only_the_armatures_concerned_and_those_they_follow_play_it():
    bpy.ops.wm.read_homefile(use_empty=True)
    character, control, other = (armature_with_clips(one) for one in ("Character", "Control", "Other"))
    follows = character.pose.bones["b"].constraints.new("COPY_LOCATION")
    follows.target, follows.subtarget = control, "a"
    show_clip(bpy.context.scene, "Run", [character])
    assert plays(other) == "Other Idle"
    assert "Idle" not in plays(character)
    assert "Idle" not in plays(control)
    bpy.context.scene.frame_set(10)
    assert [round(one.pose.bones["a"].location.y, 3) for one in (character, control)] == [1, 1]


def test_a_clip_of_other_armatures_plays_on_them():
    bpy.ops.wm.read_homefile(use_empty=True)
    character, plain = armature_with_clips("Character"), make_armature("Plain", ("c", "d"))
    show_clip(bpy.context.scene, "Run", [plain])
    assert "Idle" not in plays(character)
