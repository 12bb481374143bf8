"""Runs inside Blender, after bar_character.py: edits that a user makes to characters, each with random choices.

A LookupError means that there is nothing to edit.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
from mathutils import Quaternion

if TYPE_CHECKING:
    from tests.windowed.bar_character import build_bar, select_only
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.

Action = Callable[[random.Random], None]

MODES = ("OBJECT", "EDIT", "WEIGHT_PAINT", "VERTEX_PAINT", "SCULPT")
MOST_OBJECTS = 9


def add_character(name: str, place: float) -> bpy.types.Object:
    """Build a bar parented to its armature, beside the others."""
    leave_mode()
    bar = build_bar(name, cuts=5)
    rig = armature_of(bar)
    bar.parent = rig
    rig.location.x = place
    return bar


def armature_of(mesh_object: bpy.types.Object) -> bpy.types.Object:
    return next(one.object for one in mesh_object.modifiers if one.type == "ARMATURE" and one.object)


def leave_mode() -> None:
    active = bpy.context.view_layer.objects.active
    if active is not None and active.mode != "OBJECT":
        with view3d():
            bpy.ops.object.mode_set(mode="OBJECT")


def pick(chance: random.Random, of_type: str) -> bpy.types.Object:
    """Choose one of the view layer's objects of a type. Raises LookupError if there is none."""
    ones = sorted(
        (one for one in bpy.context.view_layer.objects if one.type == of_type), key=lambda one: one.name
    )
    if not ones:
        raise LookupError(of_type)
    return chance.choice(ones)


def scrub(chance: random.Random) -> None:
    bpy.context.scene.frame_set(chance.randint(0, 22), subframe=chance.choice((0.0, 0.5)))


def pose(chance: random.Random) -> None:
    bone = chance.choice(pick(chance, "ARMATURE").pose.bones)
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion(
        (chance.random(), chance.random(), chance.random()), chance.uniform(-2, 2)
    )
    bone.scale = [chance.uniform(0.5, 1.5) for _ in range(3)]


def key_pose(chance: random.Random) -> None:
    bone = chance.choice(pick(chance, "ARMATURE").pose.bones)
    # Set its own rotation: whether animation has overwritten an earlier one by now depends on what was
    # evaluated.
    bone.rotation_quaternion = Quaternion((0, 1, 0), chance.uniform(-1, 1))
    bone.keyframe_insert("rotation_quaternion")


def clear_animation(chance: random.Random) -> None:
    pick(chance, "ARMATURE").animation_data_clear()


def move_object(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    one.location = [chance.uniform(-2, 2) for _ in range(3)]
    one.rotation_euler = [chance.uniform(-1, 1) for _ in range(3)]
    one.scale = (
        [chance.choice((1.0, -1.0, 0.0, 0.5)) for _ in range(3)] if chance.random() < 0.2 else (1, 1, 1)
    )


def move_vertices(chance: random.Random) -> None:
    leave_mode()
    mesh = pick(chance, "MESH").data
    for vertex in chance.sample(list(mesh.vertices), min(8, len(mesh.vertices))):
        vertex.co.x += chance.uniform(-0.2, 0.2)
    mesh.update()


def paint_weights(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, "MESH")
    group = chance.choice(one.vertex_groups) if one.vertex_groups else one.vertex_groups.new(name="upper")
    group.add(
        range(0, len(one.data.vertices), 3), chance.random(), chance.choice(("REPLACE", "ADD", "SUBTRACT"))
    )


def change_groups(chance: random.Random) -> None:
    leave_mode()
    groups = pick(chance, "MESH").vertex_groups
    if groups and chance.random() < 0.5:
        groups.remove(chance.choice(groups))
    else:
        groups.new(name=chance.choice(("lower", "upper", "nobody")))


def add_modifier(chance: random.Random) -> None:
    one = pick(chance, "MESH")
    if len(one.modifiers) > 4:
        one.modifiers.remove(one.modifiers[-1])
        return
    kind = chance.choice(("ARMATURE", "SUBSURF", "CAST", "TRIANGULATE", "WEIGHTED_NORMAL", "MASK", "MIRROR"))
    modifier = one.modifiers.new(kind.title(), kind)
    if kind == "ARMATURE":
        modifier.object = pick(chance, "ARMATURE")
    one.modifiers.move(len(one.modifiers) - 1, chance.randrange(len(one.modifiers)))


def change_modifier(chance: random.Random) -> None:
    one = pick(chance, "MESH")
    if not one.modifiers:
        return
    modifier = chance.choice(one.modifiers)
    what = chance.randrange(4)
    if what == 0:
        one.modifiers.remove(modifier)
    elif what == 1:
        modifier.show_viewport = not modifier.show_viewport
    elif modifier.type == "ARMATURE":
        if what == 2:
            modifier.use_deform_preserve_volume = not modifier.use_deform_preserve_volume
        else:
            modifier.vertex_group = chance.choice(("", "upper", "missing"))


def change_bones(chance: random.Random) -> None:
    armature = pick(chance, "ARMATURE").data
    bone = chance.choice(armature.bones)
    what = chance.randrange(4)
    if what == 0:
        bone.use_deform = not bone.use_deform
    elif what == 1:
        bone.bbone_segments = chance.choice((1, 3, 8))
    elif what == 2:
        bone.name = chance.choice(("lower", "upper", "renamed"))
    else:
        armature.pose_position = chance.choice(("REST", "POSE"))


def edit_bones(chance: random.Random) -> None:
    leave_mode()
    select_only(pick(chance, "ARMATURE"))
    with view3d():
        bpy.ops.object.mode_set(mode="EDIT")
        bones = bpy.context.object.data.edit_bones
        if len(bones) < 4 and chance.random() < 0.4:
            extra = bones.new("extra")
            extra.head, extra.tail = (0, 0, 1), (0.5, 0, 1)
        elif bones:
            chance.choice(bones).tail.x += chance.uniform(-0.3, 0.3)
        bpy.ops.object.mode_set(mode="OBJECT")


def switch_mode(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, chance.choice(("MESH", "MESH", "ARMATURE")))
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.mode_set(
            mode=chance.choice(MODES if one.type == "MESH" else ("OBJECT", "EDIT", "POSE"))
        )


def shape_keys(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, "MESH")
    if one.data.shape_keys is None:
        one.shape_key_add(name="Basis")
        key = one.shape_key_add(name="Wide")
        for point in key.data:
            point.co.x *= 1.5
    one.data.shape_keys.key_blocks[-1].value = chance.random()


def delete(chance: random.Random) -> None:
    leave_mode()
    one = pick(chance, chance.choice(("MESH", "MESH", "ARMATURE")))
    if chance.random() < 0.5:
        bpy.data.objects.remove(one)
        return
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.delete()


def duplicate(chance: random.Random) -> None:
    leave_mode()
    if len(bpy.data.objects) >= MOST_OBJECTS:
        delete(chance)
        return
    one = pick(chance, "MESH")
    one.hide_set(False)
    select_only(one)
    with view3d():
        bpy.ops.object.duplicate(linked=chance.random() < 0.5)


def add_again(chance: random.Random) -> None:
    if len(bpy.data.objects) < MOST_OBJECTS:
        add_character(chance.choice(("Bar", "Other")), chance.uniform(-2, 2))


def rename(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    one.name = chance.choice(("Bar", "A", "이름", "With spaces and a name that is rather long"))


def hide(chance: random.Random) -> None:
    one = pick(chance, chance.choice(("MESH", "ARMATURE")))
    if chance.random() < 0.5:
        one.hide_set(not one.hide_get())
    else:
        one.hide_viewport = not one.hide_viewport


EDITS: tuple[tuple[Action, int], ...] = (
    (scrub, 12),
    (pose, 10),
    (key_pose, 3),
    (clear_animation, 1),
    (move_object, 6),
    (move_vertices, 4),
    (paint_weights, 4),
    (change_groups, 2),
    (add_modifier, 5),
    (change_modifier, 5),
    (change_bones, 5),
    (edit_bones, 3),
    (switch_mode, 8),
    (shape_keys, 2),
    (delete, 3),
    (duplicate, 4),
    (add_again, 6),
    (rename, 2),
    (hide, 4),
)
"""Edits with their relative frequencies."""
