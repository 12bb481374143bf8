"""All that is set on a rig counts; what animation sets, and what Blender computes, does not."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.scene.clips.actions import fcurves
from skinning_addon.scene.objects.settings_digest import UnknownAnimationError, settings_digest
from tests.viewport.cached.recorded import bending_rig


@pytest.fixture
def rig() -> bpy.types.Object:
    armature, _ = bending_rig()
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    bone = armature.pose.bones["lower"]
    bone["slide"] = 0.5
    bone.constraints.new("COPY_LOCATION").target = target
    curve = bone.constraints[0].driver_add("influence")
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = armature, 'pose.bones["lower"]["slide"]'
    curve.driver.expression = "var"
    bone["turn"] = 0.0
    for frame, value in ((1, 0.0), (5, 1.0)):
        bone["turn"] = value
        bone.keyframe_insert('["turn"]', frame=frame)
    bpy.context.view_layer.update()
    return armature


def lower(rig: bpy.types.Object) -> bpy.types.PoseBone:
    return rig.pose.bones["lower"]


def test_another_frame_changes_nothing(rig):
    before = settings_digest(rig), settings_digest(rig.data)
    for frame in (2, 5, 7):
        bpy.context.scene.frame_set(frame)
        assert (settings_digest(rig), settings_digest(rig.data)) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda rig: setattr(rig.pose.bones["upper"].rotation_euler, "x", 0.7),
        lambda rig: setattr(lower(rig).constraints[0], "influence", 0.1),
        lambda rig: lower(rig).__setitem__("turn", 0.7),
    ],
)
def test_what_animation_sets_is_left_out(rig, change):
    before = settings_digest(rig)
    change(rig)
    assert settings_digest(rig) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda rig: setattr(lower(rig).location, "x", 0.3),
        lambda rig: (
            setattr(rig.pose.bones["upper"].rotation_euler, "order", "ZYX")
            or setattr(rig.pose.bones["upper"], "rotation_mode", "ZYX")
        ),
        lambda rig: lower(rig).__setitem__("slide", 0.6),
        lambda rig: lower(rig).__setitem__("new", 1),
        lambda rig: setattr(lower(rig).constraints[0], "use_x", False),
        lambda rig: setattr(lower(rig).constraints[0], "target", None),
        lambda rig: lower(rig).constraints.new("LIMIT_ROTATION"),
        lambda rig: setattr(rig.location, "z", 1.0),
        lambda rig: setattr(rig, "parent", bpy.data.objects["Target"]),
        lambda rig: setattr(rig.animation_data.drivers[0].driver, "expression", "var / 2"),
        lambda rig: setattr(rig.animation_data.drivers[0], "mute", True),
        lambda rig: setattr(next(iter(fcurves(rig.animation_data.action))), "mute", True),
        lambda rig: setattr(rig.animation_data, "action", None),
        lambda rig: setattr(rig.pose, "ik_solver", "ITASC"),
    ],
)
def test_whatever_is_set_counts(rig, change):
    before = settings_digest(rig)
    change(rig)
    assert settings_digest(rig) != before


@pytest.mark.parametrize(
    "change",
    [
        lambda rig: setattr(rig.data, "pose_position", "REST"),
        lambda rig: setattr(rig.data.bones["upper"], "use_deform", False),
        lambda rig: setattr(rig.data.bones["upper"], "inherit_scale", "NONE"),
        lambda rig: setattr(rig.data.bones["upper"], "bbone_segments", 4),
    ],
)
def test_whatever_is_set_on_an_armature_counts(rig, change):
    before = settings_digest(rig.data)
    change(rig)
    assert settings_digest(rig.data) != before


def test_strips_and_actions_of_constraints_are_refused(rig):
    action = rig.animation_data.action
    constraint = rig.pose.bones["upper"].constraints.new("ACTION")
    constraint.action = action
    with pytest.raises(UnknownAnimationError):
        settings_digest(rig)
    constraint.action = None
    settings_digest(rig)
    rig.animation_data.nla_tracks.new().strips.new("Strip", 1, action)
    with pytest.raises(UnknownAnimationError):
        settings_digest(rig)
