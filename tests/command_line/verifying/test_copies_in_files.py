"""`check-file` on what Blender exports of a scene with a game-ready copy, whose actions have names of their own."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from tests.command_line.conftest import Program, skinscope
from tests.command_line.verifying.tubes import empty_scene, ready_tube, stored_tube, tube

__all__ = ["skinscope"]

TOLERANCE = ("--tolerance", "1e-5", "--format", "json")

CHOICES = pytest.mark.parametrize("clips", [(), ("--clips", "all"), ("--clips", "Bend")], ids="-".join)


def saved(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def exported(path: Path, *only: bpy.types.Object) -> Path:
    """Export objects, or all; a lone armature gets no actions but its own."""
    for one in bpy.context.scene.objects:
        one.select_set(one in only)
    bpy.ops.export_scene.gltf(
        filepath=str(path),
        export_all_influences=True,
        use_selection=bool(only),
        export_anim_single_armature=not only,
    )
    return path


@CHOICES
def test_a_copy_is_compared_with_its_own_animation(
    tmp_path: Path, skinscope: Program, clips: tuple[str, ...]
):
    """Their turns differ, so that neither can pass with the other's."""
    empty_scene()
    stored_tube("Tube", "Bend", 0.5)
    ready_tube("Tube", "Bend", 0.6)
    rig, file = saved(tmp_path / "rig.blend"), exported(tmp_path / "rig.glb")
    result = skinscope("check-file", file, "--against", rig, *clips, *TOLERANCE)
    (told,) = result.json["files"]
    assert result.status == 0, result.output
    assert told["verified"]["clips"] == ["Bend"]
    assert not told["findings"]
    assert [(one["object"], one["deviation"]["frames"]) for one in told["meshes"]] == [
        ("Tube", 9),
        ("Tube game-ready", 9),
    ]


def test_a_copy_whose_animation_is_another_is_off(tmp_path: Path, skinscope: Program):
    empty_scene()
    stored_tube("Tube", "Bend", 0.5)
    armature, _ = ready_tube("Tube", "Bend", 0.6)
    file = exported(tmp_path / "rig.glb")
    bone = armature.pose.bones[1]
    bone.rotation_euler.x += 0.1
    bone.keyframe_insert("rotation_euler", frame=5)
    result = skinscope("check-file", file, "--against", saved(tmp_path / "rig.blend"), *TOLERANCE)
    assert result.status == 1
    passed = {one["object"]: one["deviation"]["relative"] < 1e-5 for one in result.json["files"][0]["meshes"]}
    assert passed == {"Tube": True, "Tube game-ready": False}


@CHOICES
def test_the_copy_alone_is_found_in_its_scene(tmp_path: Path, skinscope: Program, clips: tuple[str, ...]):
    empty_scene()
    stored_tube("Tube", "Bend", 0.5)
    copy = ready_tube("Tube", "Bend", 0.6)
    rig, file = saved(tmp_path / "rig.blend"), exported(tmp_path / "copy.glb", *copy)
    result = skinscope("check-file", file, "--against", rig, *clips, *TOLERANCE)
    (told,) = result.json["files"]
    assert [(one["object"], one["deviation"]["frames"]) for one in told["meshes"]] == [("Tube game-ready", 9)]
    assert told["meshes"][0]["deviation"]["relative"] < 1e-5
    assert {one["rule"] for one in told["findings"]} == {"mesh-not-in-file"}


@CHOICES
def test_the_copy_alone_is_compared_with_its_original(
    tmp_path: Path, skinscope: Program, clips: tuple[str, ...]
):
    empty_scene()
    tube("Tube", "Bend", 0.5)
    rig = saved(tmp_path / "rig.blend")
    file = exported(tmp_path / "copy.glb", *ready_tube("Tube", "Bend", 0.5))
    result = skinscope("check-file", file, "--against", rig, *clips, *TOLERANCE)
    (told,) = result.json["files"]
    assert result.status == 0, result.output
    assert told["verified"]["clips"] == ["Bend"]
    assert [(one["object"], one["deviation"]["frames"]) for one in told["meshes"]] == [("Tube", 9)]


def test_an_original_that_stands_still_in_the_file_is_not_compared_with_its_copys_animation(
    tmp_path: Path, skinscope: Program
):
    """The scene without the copy, and a file with both, in which only the copy bends."""
    empty_scene()
    armature, _ = tube("Tube", "Bend", 0.5)
    bone = armature.pose.bones[0]
    sway = bpy.data.actions.new("Sway")
    bend = armature.animation_data.action
    bend.use_fake_user = True
    armature.animation_data.action = sway
    bone.keyframe_insert("location", frame=1)
    bone.location.x = 1
    bone.keyframe_insert("location", frame=9)
    rig = saved(tmp_path / "rig.blend")
    # Without a track, of which older exporters write the name.
    tube("Tube game-ready", "Bend game-ready", 0.5)
    result = skinscope(
        "check-file", exported(tmp_path / "both.glb"), "--against", rig, "--clips", "all", *TOLERANCE
    )
    (told,) = result.json["files"]
    assert told["verified"]["clips"] == ["Sway"]
    assert [one["clip"] for one in told["findings"] if one["rule"] == "clip-not-in-file"] == ["Bend"]


def test_an_animation_that_moves_a_part_is_not_mixed_with_another_that_has_its_actions_name(
    tmp_path: Path, skinscope: Program
):
    """A file of tracks, in which the action of a part has its name from another clip: that one bends bones which
    the action leaves at rest.
    """
    empty_scene()
    stored_tube("Tube", "Walk", 0.5)
    armature, _ = tube("Other", "Leap", 0.4)
    data = armature.animation_data
    leap, leap_slot = data.action, getattr(data, "action_slot", None)
    data.action = run = bpy.data.actions.new("Run")
    for bone in armature.pose.bones:
        bone.rotation_euler = (0.0, 0.0, 0.0)
    for frame, turn in ((1, 0.2), (9, -0.3)):
        armature.pose.bones[0].rotation_euler.x = turn
        armature.pose.bones[0].keyframe_insert("rotation_euler", frame=frame)
    run_slot = getattr(data, "action_slot", None)
    data.action = None
    for name, action, slot in (("Walk", run, run_slot), ("Run", leap, leap_slot)):
        track = data.nla_tracks.new()
        track.name, track.mute = name, True
        strip = track.strips.new(action.name, 1, action)
        if slot is not None:
            strip.action_slot = slot
    armature.pose.bones[0].rotation_euler.x = 0.0
    rig, file = saved(tmp_path / "rig.blend"), tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(
        filepath=str(file),
        export_all_influences=True,
        export_animation_mode="NLA_TRACKS",
        export_optimize_animation_keep_anim_armature=False,
    )
    result = skinscope("check-file", file, "--against", rig, "--clips", "Walk", *TOLERANCE)
    assert result.status == 0, result.output
    assert len(result.json["files"][0]["meshes"]) == 2
