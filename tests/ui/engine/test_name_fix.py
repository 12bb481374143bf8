"""Rename Shared Bones: every name occurs once, and nothing moves otherwise. The judge of what it is good for is
PlayCanvas (tests/engines/test_playcanvas.py).
"""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.clips.actions import assign, fcurves, keyed_bones
from tests.engines.partly_keyed import posed_arm, world_positions


@pytest.fixture
def arm(session) -> bpy.types.Object:  # noqa: ARG001 - registers the operators
    armature = posed_arm("Able", "Wave", active="Able")
    bpy.context.view_layer.objects.active = bpy.data.objects["Skin"]
    bpy.context.scene.skinscope.profiles.profile = "playcanvas"
    return armature


def share(armature: bpy.types.Object) -> bpy.types.Object:
    """Add an armature whose bones are called alike; it has no clips."""
    other = bpy.data.objects.new("Other", armature.data.copy())
    bpy.context.scene.collection.objects.link(other)
    for one in other.data.bones:
        if one.name == "b2":
            one.name = "free"
    return other


def shown(armature: bpy.types.Object, name: str) -> np.ndarray:
    action = bpy.data.actions[name]
    assign(armature, action, next(iter(keyed_bones(action))))
    bpy.context.scene.frame_set(9)
    return world_positions(bpy.data.objects["Skin"])


def renamed() -> None:
    assert bpy.ops.skinscope.fix_names() == {"FINISHED"}


def own_actions(armature: bpy.types.Object) -> None:
    """Key a bone that the other armature lacks, so that the actions are made for this one alone."""
    for action in bpy.data.actions:
        assign(armature, action, next(iter(keyed_bones(action))))
        for name in ("b0", "b2"):
            armature.pose.bones[name].keyframe_insert("scale", frame=1)


def test_bones_of_two_armatures(arm: bpy.types.Object):
    other = share(arm)
    for one in list(other.data.bones)[1:]:
        one.name = f"free {one.name}"
    own_actions(arm)
    arm.pose.bones["b2"].constraints.new("LIMIT_LOCATION")
    follower = arm.pose.bones["b2"].constraints.new("COPY_SCALE")
    follower.target, follower.subtarget = arm, "b0"
    before = {name: shown(arm, name) for name in ("Able", "Wave")}
    renamed()
    assert [one.name for one in arm.data.bones] == ["Arm_b0", "b1", "b2"]
    assert bpy.data.objects["Skin"].vertex_groups[0].name == "Arm_b0"
    assert follower.subtarget == "Arm_b0"
    for name, positions in before.items():
        assert np.array_equal(shown(arm, name), positions)
        keyed = {one.data_path.split('"')[1] for one in fcurves(bpy.data.actions[name])}
        assert keyed == {"Arm_b0", "b1", "b2"}


def test_an_object_called_like_a_bone(arm: bpy.types.Object):
    bpy.data.objects["Skin"].name = "b1"
    before = arm.data.bones.keys()
    renamed()
    assert [one.name for one in arm.data.bones] == [before[0], "Arm_b1", before[2]]
    assert bpy.data.objects["b1"].vertex_groups[1].name == "Arm_b1"


def test_a_new_name_is_free(arm: bpy.types.Object):
    bpy.data.objects["Skin"].name = "b1"
    arm.data.bones["b2"].name = "Arm_b1"
    renamed()
    assert "2_Arm_b1" in arm.data.bones


def test_an_action_that_moves_both_is_refused(arm: bpy.types.Object):
    share(arm)
    before = arm.data.bones.keys()
    with pytest.raises(
        RuntimeError, match="moves 'Other' too, by the same names; give 'Arm' actions of its own"
    ):
        bpy.ops.skinscope.fix_names()
    assert arm.data.bones.keys() == before


def test_names_that_nothing_shares_are_left(arm: bpy.types.Object):
    with pytest.raises(RuntimeError, match="No bone of 'Skin' shares its name"):
        bpy.ops.skinscope.fix_names()
    assert arm.data.bones.keys() == ["b0", "b1", "b2"]


def test_one_undo_brings_the_names_back(arm: bpy.types.Object):
    bpy.data.objects["Skin"].name = "b1"
    assert arm is not None
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.skinscope.fix_names("EXEC_DEFAULT", True)
    assert "Arm_b1" in bpy.data.objects["Arm"].data.bones
    bpy.ops.ed.undo()
    assert bpy.data.objects["Arm"].data.bones.keys() == ["b0", "b1", "b2"]
    assert [one.name for one in bpy.data.objects["b1"].vertex_groups] == ["b0", "b1", "b2"]
