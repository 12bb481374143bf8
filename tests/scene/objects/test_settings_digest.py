"""All that is set on a rig counts; what animation sets, and what Blender computes, does not."""

from __future__ import annotations

from typing import Any

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


# What is only about the interface, or what Blender computes.
OF_NO_EFFECT = {
    "active",
    "color",
    "hide",
    "is_in_ik_chain",
    "name",
    "select",
    "show_expanded",
    "use_custom_shape_bone_size",
}
CONSTRAINTS = [one.identifier for one in bpy.types.Constraint.bl_rna.properties["type"].enum_items]


def changed(one: Any, name: str) -> bool:
    """Change a setting, if it can be; return whether it is another now."""
    setting, before = one.bl_rna.properties[name], getattr(one, name)
    if getattr(setting, "is_array", False) or setting.type not in {"BOOLEAN", "INT", "FLOAT", "ENUM"}:
        return False
    if setting.type == "ENUM":
        others = [each.identifier for each in setting.enum_items if each.identifier != before]
        values: list[Any] = [] if setting.is_enum_flag else others
    else:
        values = [not before] if setting.type == "BOOLEAN" else [before + 1, before - 1, before / 2]
    for value in values:
        try:
            setattr(one, name, type(before)(value))
        except (TypeError, ValueError, AttributeError):
            continue
        if getattr(one, name) != before:
            return True
    return False


@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_each_setting_of_each_constraint_counts(rig, kind):
    """Read from Blender's own list of them: `mode` of Maintain Volume counts, though that of an object does not."""
    bone = rig.pose.bones["upper"]
    try:
        constraint = bone.constraints.new(kind)
    except (TypeError, RuntimeError):
        pytest.skip("not for bones")
    names = [one.identifier for one in constraint.bl_rna.properties if not one.is_readonly]
    count = 0
    for name in names:
        before = settings_digest(rig)
        if name not in OF_NO_EFFECT and changed(constraint, name):
            assert settings_digest(rig) != before, name
            count += 1
    assert count


def test_each_setting_of_bones_counts(rig):
    for bone, block in ((rig.pose.bones["upper"], rig), (rig.data.bones["upper"], rig.data)):
        for name in [one.identifier for one in bone.bl_rna.properties if not one.is_readonly]:
            before = settings_digest(block)
            if name not in OF_NO_EFFECT and not name.startswith("select") and changed(bone, name):
                assert settings_digest(block) != before, name
