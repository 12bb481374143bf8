"""`check` names what it can't reproduce or measure, and still checks everything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.command_line.checking.check_findings import besides_its_weights
from tests.command_line.conftest import Program
from tests.command_line.rig_files import blender_positions, rig_file
from tests.scene.random_rig import RandomRig, RigOptions


def _displace_between(rig: RandomRig) -> None:
    push = rig.mesh.modifiers.new("Push", "DISPLACE")
    push.strength = 0.3
    rig.mesh.modifiers.move(2, 1)


def test_what_cannot_be_reproduced_is_named_and_fails(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", RigOptions(modifiers=2), _displace_between)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    assert result.status == 1
    (file,) = result.json["files"]
    (mesh,) = file["meshes"]
    assert mesh["exact"] is False
    assert "'Push' is between two Armature modifiers" in mesh["reasons"][0]
    assert mesh["deviation"]["max"] > 0.01
    assert [(one["rule"], one["severity"]) for one in besides_its_weights(file["findings"])] == [
        ("modifier-between", "warning")
    ]


def test_the_worst_frame_is_that_of_blenders_largest_distance(tmp_path: Path, skinscope: Program):
    """The pass that is left out is known, so how far off the result is can be computed from Blender's own
    meshes.
    """
    path = rig_file(tmp_path / "rig.blend", RigOptions(modifiers=2), _displace_between)
    mesh = skinscope("check", path, "--device", "cpu", "--format", "json").json["files"][0]["meshes"][0]
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    bpy.data.objects["Random mesh"].modifiers["Push"].show_viewport = False
    without = tmp_path / "without.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(without))
    distances = [
        np.linalg.norm(
            blender_positions(path, "Random mesh", frame) - blender_positions(without, "Random mesh", frame),
            axis=1,
        )
        for frame in range(1, 10)
    ]
    deviation = mesh["deviation"]
    at_its_frame = distances[int(deviation["frame"]) - 1]
    assert deviation["max"] == pytest.approx(max(map(np.max, distances)), rel=1e-3)
    assert deviation["max"] == pytest.approx(at_its_frame[deviation["worst_vertex"]], rel=1e-3)
    assert deviation["rms"] == pytest.approx(np.sqrt((at_its_frame**2).mean()), rel=1e-3)


def _subdivide_after(rig: RandomRig) -> None:
    rig.mesh.modifiers.new("Smooth", "SMOOTH").iterations = 5
    rig.mesh.modifiers.new("Split", "EDGE_SPLIT")


def test_modifiers_after_the_armature_are_switched_off_and_named(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=_subdivide_after)
    before = path.read_bytes()
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    assert result.status == 0
    (file,) = result.json["files"]
    assert file["meshes"][0]["exact"]
    (finding,) = besides_its_weights(file["findings"])
    assert (finding["rule"], finding["severity"], finding["object"]) == (
        "modifier-after",
        "info",
        "Random mesh",
    )
    assert "'Smooth'" in finding["message"]
    assert path.read_bytes() == before


def test_a_hidden_mesh_is_measured_as_it_deforms(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: setattr(rig.mesh, "hide_viewport", True))
    (mesh,) = skinscope("check", path, "--device", "cpu", "--format", "json").json["files"][0]["meshes"]
    # Hidden, Blender's mesh would be the rest pose, and off by the whole movement.
    assert mesh["deviation"]["relative"] <= 1e-5


def _hide_by_keys(rig: RandomRig) -> None:
    for frame, hidden in ((1, False), (3, True), (8, False)):
        rig.mesh.hide_viewport = hidden
        rig.mesh.keyframe_insert("hide_viewport", frame=frame)


def _hide_by_keys_of_a_strip(rig: RandomRig) -> None:
    _hide_by_keys(rig)
    animation = rig.mesh.animation_data
    action, animation.action = animation.action, None
    animation.nla_tracks.new().strips.new("Hide", 1, action)


def _hide_by_a_driver(rig: RandomRig) -> None:
    rig.mesh.driver_add("hide_viewport").driver.expression = "frame > 3"


@pytest.mark.parametrize("hide", [_hide_by_keys, _hide_by_keys_of_a_strip, _hide_by_a_driver])
def test_a_mesh_that_is_hidden_at_some_frames_is_measured_as_it_deforms(
    hide: Callable[[RandomRig], None], tmp_path: Path, skinscope: Program
):
    path = rig_file(tmp_path / "rig.blend", change=hide)
    (mesh,) = skinscope("check", path, "--device", "cpu", "--format", "json").json["files"][0]["meshes"]
    assert mesh["deviation"]["relative"] <= 1e-5


CAN_NOT_BE_SKINNED = {
    "no-bones": lambda rig: setattr(rig.armature, "data", bpy.data.armatures.new("Empty")),
    "no-vertices": lambda rig: setattr(rig.mesh, "data", bpy.data.meshes.new("Empty")),
    "not-skinnable": lambda rig: setattr(rig.mesh, "scale", (0, 1, 1)),
    "no-skinned-mesh": lambda rig: bpy.data.objects.remove(rig.mesh),
}


@pytest.mark.parametrize("rule", CAN_NOT_BE_SKINNED)
def test_a_mesh_that_cannot_be_skinned_fails_with_a_sentence(rule: str, tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=CAN_NOT_BE_SKINNED[rule])
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    assert result.status == 1
    (file,) = result.json["files"]
    assert file["meshes"] == []
    (finding,) = file["findings"]
    assert (finding["rule"], finding["severity"]) == (rule, "error")
    assert finding["message"].endswith(".")
    assert result.complaints == ()


def test_a_bone_scaled_to_zero_is_no_trouble(tmp_path: Path, skinscope: Program):
    def crush(rig: RandomRig) -> None:
        rig.armature.animation_data.action = None
        rig.armature.pose.bones[1].scale = (0, 0, 0)

    path = rig_file(tmp_path / "rig.blend", change=crush)
    assert skinscope("check", path, "--device", "cpu").status == 0


def test_a_mesh_without_groups_is_warned_of(tmp_path: Path, skinscope: Program):
    path = rig_file(tmp_path / "rig.blend", change=lambda rig: rig.mesh.vertex_groups.clear())
    result = skinscope("check", path, "--device", "cpu")
    assert result.status == 0
    assert (
        "warning  None of the vertices of 'Random mesh' is weighted to a deforming bone of 'Random'"
        in result.output
    )
    assert "[no-weights]" in result.output


def test_an_armature_modifier_without_an_armature_is_warned_of(tmp_path: Path, skinscope: Program):
    def add_lost_mesh(rig: RandomRig) -> None:
        lost = bpy.data.objects.new("Lost", rig.mesh.data.copy())
        bpy.context.scene.collection.objects.link(lost)
        lost.modifiers.new("Armature", "ARMATURE")

    path = rig_file(tmp_path / "rig.blend", change=add_lost_mesh)
    result = skinscope("check", path, "--device", "cpu", "--format", "json")
    assert result.status == 0
    (file,) = result.json["files"]
    assert [mesh["object"] for mesh in file["meshes"]] == ["Random mesh"]
    assert [(one["rule"], one["object"]) for one in besides_its_weights(file["findings"])] == [
        ("no-armature", "Lost")
    ]
