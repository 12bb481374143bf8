"""Bone constraints whose target has its own space: their result on a copy of the armature, against Blender's
pose.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from skinning_addon.core.text.errors import BindingError
from skinning_addon.scene.meshes.armature_result import read_armature_result
from tests.scene.modifier_settings import bent_curve, stand
from tests.scene.posed_arm import keyed_arm
from tests.scene.stacked_character import add, play_to, positions_of

TYPES = (
    "CHILD_OF",
    "COPY_LOCATION",
    "COPY_ROTATION",
    "COPY_SCALE",
    "COPY_TRANSFORMS",
    "DAMPED_TRACK",
    "FLOOR",
    "IK",
    "LIMIT_DISTANCE",
    "LOCKED_TRACK",
    "PIVOT",
    "STRETCH_TO",
    "TRACK_TO",
    "TRANSFORM",
)


def unparented(target: bpy.types.Object) -> None:
    """Its local space is the world but for its own rotation and scale."""


def with_deltas(target: bpy.types.Object) -> None:
    target.delta_location, target.delta_rotation_euler = (0.1, 0.2, 0.3), (0.3, 0.1, 0.2)
    target.delta_scale = (1.2, 0.9, 1.1)


def keyed(target: bpy.types.Object) -> None:
    for frame, value in ((1, 0.0), (12, 1.5)):
        target.location.z = target.rotation_euler.y = value
        target.keyframe_insert("location", frame=frame)
        target.keyframe_insert("rotation_euler", frame=frame)


def child(target: bpy.types.Object) -> None:
    target.parent = stand("Parent", None, (0.4, 0.3, 0.2))
    target.parent.scale = (1.5, 0.7, 1.0)
    bpy.context.view_layer.update()
    target.matrix_parent_inverse = target.parent.matrix_world.inverted()
    target.parent.location.x = 0.9


def child_of_a_bone(target: bpy.types.Object) -> None:
    arm = bpy.data.objects["Arm"]
    other = bpy.data.objects.new("Other", arm.data)
    bpy.context.scene.collection.objects.link(other)
    other.location = (0.2, 0.5, -0.3)
    bpy.context.view_layer.update()
    other.pose.bones["b0"].rotation_quaternion = (0.8, 0.6, 0, 0)
    target.parent, target.parent_type, target.parent_bone = other, "BONE", "b0"


def constrained(target: bpy.types.Object) -> None:
    constraint = target.constraints.new("COPY_LOCATION")
    constraint.target = stand("Leader", None, (0.7, 0.2, 0.1))


def constrained_child(target: bpy.types.Object) -> None:
    child(target)
    constrained(target)


TARGETS: dict[str, Callable[[bpy.types.Object], None]] = {
    one.__name__.replace("_", " "): one
    for one in (unparented, with_deltas, keyed, child, child_of_a_bone, constrained, constrained_child)
}


def with_constraint(kind: str, target: bpy.types.Object) -> bpy.types.Constraint:
    """Give the last bone a constraint."""
    constraint = bpy.data.objects["Arm"].pose.bones["b2"].constraints.new(kind)
    constraint.target, constraint.target_space = target, "LOCAL"
    if kind == "TRANSFORM":
        constraint.map_to = "ROTATION"
        constraint.from_max_x, constraint.to_max_x_rot = 2.0, 1.0
    return constraint


def shadow(skin: bpy.types.Object, count: int) -> np.ndarray:
    # Where something explodes behind the armature, no whole copy is compared.
    add(skin, "EXPLODE", "Behind")
    bpy.context.view_layer.update()
    return read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), count).positions


@pytest.mark.parametrize("standing", TARGETS)
@pytest.mark.parametrize("kind", TYPES)
def test_a_target_in_local_space(kind: str, standing: str) -> None:
    keyed_arm()
    skin = bpy.data.objects["Skin"]
    target = stand("Target", None, (0.6, 0.4, 2.2))
    target.scale = (1.3, 0.8, 1.1)
    TARGETS[standing](target)
    with_constraint(kind, target)
    play_to(5)
    expected = positions_of(skin).copy()
    np.testing.assert_array_equal(shadow(skin, len(expected)), expected)


def test_the_space_makes_a_difference() -> None:
    keyed_arm()
    target = stand("Target", None, (0.6, 0.4, 2.2))
    constrained_child(target)
    constraint = with_constraint("COPY_LOCATION", target)
    bpy.context.view_layer.update()
    local = positions_of(bpy.data.objects["Skin"]).copy()
    constraint.target_space = "WORLD"
    bpy.context.view_layer.update()
    assert np.abs(positions_of(bpy.data.objects["Skin"]) - local).max() > 0.1


def test_edits_of_a_target_without_a_key_stay() -> None:
    keyed_arm()
    skin = bpy.data.objects["Skin"]
    target = stand("Target", None, (0.6, 0.4, 2.2))
    keyed(target)
    with_constraint("IK", target)
    play_to(5)
    target.location.z = 3.0
    bpy.context.view_layer.update()
    expected = positions_of(skin).copy()
    blocks = len(bpy.data.objects)
    np.testing.assert_array_equal(shadow(skin, len(expected)), expected)
    assert target.location.z == 3.0
    assert len(bpy.data.objects) == blocks


def test_an_armature_whose_copy_is_posed_otherwise_is_named() -> None:
    """A curve that stands already when a constraint begins to follow it has no path in Blender until it is
    evaluated again.
    """
    arm = keyed_arm()
    skin, path = bpy.data.objects["Skin"], bent_curve()
    add(skin, "EXPLODE", "Behind")
    play_to(5)
    constraint = arm.pose.bones["b2"].constraints.new("FOLLOW_PATH")
    constraint.target, constraint.use_fixed_location, constraint.offset_factor = path, True, 0.6
    bpy.context.view_layer.update()
    shown = arm.pose.bones["b2"].matrix.copy()
    with pytest.raises(BindingError, match=r"A copy of 'Arm' is not posed") as refused:
        read_armature_result(skin, bpy.context.evaluated_depsgraph_get(), 1)
    assert refused.value.rule == "copy-differs"
    assert arm.pose.bones["b2"].matrix == shown
    path.data.update_tag()
    bpy.context.view_layer.update()
    assert (arm.pose.bones["b2"].matrix.translation - shown.translation).length > 0.5
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = read_armature_result(skin, depsgraph, len(skin.data.vertices)).positions
    skin.modifiers.remove(skin.modifiers["Behind"])
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(found, positions_of(skin))
