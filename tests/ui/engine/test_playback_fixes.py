"""Fixes of what files lack of an armature's motion. The judge is the exported .glb, read by `skinned_gltf`: after
the fix it holds what Blender showed before.
"""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.actions import assign, fcurves, keyed_bones
from tests.engines.exported_gltf import exported_gltf
from tests.engines.exported_rig import SOURCE, from_y_up
from tests.engines.partly_keyed import posed_arm, turning_object, world_positions

METRES = 3e-6
"""The arm is 3 m long."""

FRAMES = range(1, 13)

LACKING = 0.99
"""Metres by which the file's *Wave* is off as long as b0 and b2 are posed without keys."""


@pytest.fixture
def arm(session) -> bpy.types.Object:  # noqa: ARG001 - registers the operators
    return prepared(posed_arm("Able", "Wave", active="Able"))


def prepared(armature: bpy.types.Object) -> bpy.types.Object:
    bpy.context.view_layer.objects.active = bpy.data.objects["Skin"]
    bpy.context.scene.skinscope.profiles.profile = "threejs"
    return armature


def shown(armature: bpy.types.Object, action: str | None = None) -> np.ndarray:
    """Return what Blender shows at all frames, (F, V, 3) in world space."""
    scene, data = bpy.context.scene, armature.animation_data
    before, frame = (data.action.name if data and data.action else None), scene.frame_current
    if action is not None:
        play(armature, action)
    found = []
    for one in FRAMES:
        scene.frame_set(one)
        found.append(world_positions(bpy.data.objects["Skin"]))
    if action is not None and before is not None:
        play(armature, before)
    scene.frame_set(frame)
    return np.array(found)


def play(armature: bpy.types.Object, name: str) -> None:
    action = bpy.data.actions[name]
    assign(armature, action, next(iter(keyed_bones(action))))


def off(folder: Path, clip: str, wanted: np.ndarray) -> float:
    """Export with default settings; return how far the file's clip is from the wanted positions, in metres."""
    file = exported_gltf(folder, [bpy.data.objects["Skin"]])
    first = file.seconds(clip)[0]
    far = []
    for frame, positions in zip(FRAMES, wanted, strict=True):
        written, sources = file.positions(clip, first + (frame - FRAMES[0]) / 24)
        far.append(np.linalg.norm(from_y_up(written) - positions[sources], axis=1).max())
    attributes = bpy.data.objects["Skin"].data.attributes
    attributes.remove(attributes[SOURCE])
    return float(max(far))


def curves_of_all_actions() -> dict[str, list[tuple[str, int]]]:
    return {
        action.name: sorted((one.data_path, one.array_index) for one in fcurves(action))
        for action in bpy.data.actions
    }


def test_every_clip_is_in_the_file_as_blender_shows_it(arm: bpy.types.Object, tmp_path: Path):
    wanted = {name: shown(arm, name) for name in ("Able", "Wave")}
    assert off(tmp_path, "Wave", wanted["Wave"]) == pytest.approx(LACKING, abs=0.005)
    # The exporter has left the bones at rest.
    arm = prepared(posed_arm("Able", "Wave", active="Able"))
    assert bpy.ops.skinscope.fix_keys() == {"FINISHED"}
    for name, positions in wanted.items():
        assert np.abs(shown(arm, name) - positions).max() < METRES
        assert off(tmp_path, name, positions) < METRES


def test_the_report_tells_what_the_file_lacked(arm: bpy.types.Object, capfd):
    profiles = bpy.context.scene.skinscope.profiles
    profiles.scanned, profiles.clip = "CLIP", "Wave"
    assert arm.animation_data.action.name == "Able"
    assert bpy.ops.skinscope.fix_keys() == {"FINISHED"}
    told = capfd.readouterr().out
    assert "3 bones keyed in 'Able', 'Wave'; deviation from the authored shape in three.js: " in told
    assert f"three.js: {100 * LACKING:.0f} cm before, 0 mm after" in told


def test_curves_are_grouped_by_bone(arm: bpy.types.Object):
    bpy.ops.skinscope.fix_keys()
    for action in bpy.data.actions:
        added = [one for one in fcurves(action) if '"b2"' in one.data_path]
        assert len(added) == 10
        assert {one.group.name for one in added} == {"b2"}
    assert arm is not None


def test_nothing_is_keyed_twice(arm: bpy.types.Object):  # noqa: ARG001
    bpy.ops.skinscope.fix_keys()
    with pytest.raises(RuntimeError, match="key every bone that moves"):
        bpy.ops.skinscope.fix_keys()


def test_muted_curves_are_left_to_the_user(arm: bpy.types.Object):
    for curve in fcurves(bpy.data.actions["Wave"]):
        curve.mute = True
    before = curves_of_all_actions()
    with pytest.raises(RuntimeError, match="Curves of 'b1' are muted in 'Wave'"):
        bpy.ops.skinscope.fix_keys()
    assert curves_of_all_actions() == before
    assert arm is not None


def test_one_undo_takes_the_keys_away(arm: bpy.types.Object):
    before = curves_of_all_actions()
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.fix_keys("EXEC_DEFAULT", True)
    assert curves_of_all_actions() != before
    bpy.ops.ed.undo()
    assert curves_of_all_actions() == before
    assert arm is not None


def test_an_armature_that_is_merely_posed_gets_an_action(session, tmp_path: Path):  # noqa: ARG001
    armature = prepared(posed_arm())
    wanted = shown(armature)
    assert bpy.ops.skinscope.fix_keys() == {"FINISHED"}
    (action,) = bpy.data.actions
    assert off(tmp_path, action.name, wanted) < METRES


@pytest.fixture
def driven(session) -> bpy.types.Object:  # noqa: ARG001 - registers the operators
    """Only a constraint moves it, and a driver."""
    armature = prepared(posed_arm())
    constraint = armature.pose.bones["b1"].constraints.new("COPY_ROTATION")
    constraint.target = turning_object()
    constraint.owner_space = constraint.target_space = "LOCAL"
    driver = armature.pose.bones["b2"].driver_add("rotation_quaternion", 1).driver
    driver.expression = "frame / 20"
    return armature


def test_what_constraints_and_drivers_make_is_in_the_file(driven: bpy.types.Object, tmp_path: Path):
    wanted = shown(driven)
    assert bpy.ops.skinscope.fix_constraints() == {"FINISHED"}
    assert np.abs(shown(driven) - wanted).max() < METRES
    assert all(one.mute for one in driven.pose.bones["b1"].constraints)
    assert off(tmp_path, driven.animation_data.action.name, wanted) < METRES


def test_the_action_that_moves_the_armature_keeps_its_curves(driven: bpy.types.Object, tmp_path: Path):
    bpy.data.objects["Skin"].parent = driven
    for frame, x in ((1, 0.0), (12, 1.5)):
        driven.location.x = x
        driven.keyframe_insert("location", frame=frame)
    wanted = shown(driven)
    own = driven.animation_data.action
    assert bpy.ops.skinscope.fix_constraints() == {"FINISHED"}
    assert driven.animation_data.action == own
    assert np.abs(shown(driven) - wanted).max() < METRES
    assert off(tmp_path, own.name, wanted) < METRES


def test_one_undo_brings_the_constraints_back(driven: bpy.types.Object):
    assert driven is not None
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.fix_constraints("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    armature = bpy.data.objects["Arm"]
    assert not any(one.mute for one in armature.pose.bones["b1"].constraints)
    assert not any(one.mute for one in armature.animation_data.drivers)
    assert armature.animation_data.action is None


def test_an_armature_with_clips_is_left_to_blenders_own_baking(arm: bpy.types.Object):  # noqa: ARG001
    with pytest.raises(RuntimeError, match="'Arm' has clips of its own"):
        bpy.ops.skinscope.fix_constraints()


def test_without_constraints_there_is_nothing_to_bake(session):  # noqa: ARG001
    prepared(posed_arm())
    with pytest.raises(RuntimeError, match="No constraint or driver moves a bone of 'Arm'"):
        bpy.ops.skinscope.fix_constraints()
