"""Edits to objects: moving, parenting, joining, copying, hiding, deleting."""

from __future__ import annotations

import random

import bpy
from mathutils import Euler, Matrix

from tests.fuzz.edits.picking import (
    NothingToDoError,
    leave_mode,
    one_of,
    pick,
    pick_mesh,
    pick_rig,
    refuse_to_grow,
    select_only,
)
from tests.fuzz.edits.start_scene import add_character

Random = random.Random


def move_object(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE", "EMPTY", "LATTICE")
    one.location = [chance.uniform(-2, 2) for _ in range(3)]
    one.rotation_euler = [chance.uniform(-1, 1) for _ in range(3)]
    if chance.random() < 0.4:
        one.scale = [chance.choice((0.5, 1.0, 2.0, -1.0)) for _ in range(3)]
    if chance.random() < 0.1:
        one.scale = (1, 0, 1)


def key_object(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    for frame in (1, 15):
        one.location = [chance.uniform(-1, 1) for _ in range(3)]
        one.keyframe_insert("location", frame=frame)


def set_delta(chance: Random) -> None:
    pick(chance, "MESH", "ARMATURE").delta_location = [chance.uniform(-1, 1) for _ in range(3)]


def parent_by_property(chance: Random) -> None:
    """Parent an object as scripts do."""
    leave_mode()
    child, parent = pick(chance, "MESH", "ARMATURE"), pick(chance, "ARMATURE", "ARMATURE", "EMPTY", "LATTICE")
    if child == parent or parent in child.children_recursive:
        raise NothingToDoError
    child.parent = parent
    kinds = {"ARMATURE": ("OBJECT", "ARMATURE", "BONE"), "LATTICE": ("OBJECT", "LATTICE")}
    child.parent_type = chance.choice(kinds.get(parent.type, ("OBJECT",)))
    if child.parent_type == "BONE":
        child.parent_bone = chance.choice([*sorted(parent.data.bones.keys()), "missing"])
    if chance.random() < 0.5:
        turned = Euler([chance.uniform(-1, 1) for _ in range(3)]).to_matrix().to_4x4()
        child.matrix_parent_inverse = Matrix.Translation((chance.uniform(-1, 1), 0, 0)) @ turned


def parent_by_operator(chance: Random) -> None:
    """Parent an object as the Ctrl-P menu does."""
    mesh, rig = pick_mesh(chance), pick_rig(chance)
    select_only(rig, mesh)
    kind = chance.choice(
        ("OBJECT", "ARMATURE", "ARMATURE_NAME", "ARMATURE_ENVELOPE", "BONE", "BONE_RELATIVE")
    )
    if kind.startswith("BONE"):
        rig.data.bones.active = one_of(chance, rig.data.bones)
    bpy.ops.object.parent_set(type=kind, keep_transform=chance.random() < 0.5)


def unparent(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    if one.parent is None:
        raise NothingToDoError
    if chance.random() < 0.5:
        one.parent = None
        return
    select_only(one)
    bpy.ops.object.parent_clear(type=chance.choice(("CLEAR", "CLEAR_KEEP_TRANSFORM", "CLEAR_INVERSE")))


def apply_transform(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    select_only(one)
    what = chance.randrange(3)
    if what == 0:
        bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    elif what == 1:
        bpy.ops.object.visual_transform_apply()
    else:
        bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY")


def join(chance: Random) -> None:
    kind = chance.choice(("MESH", "MESH", "ARMATURE"))
    one, other = pick(chance, kind), pick(chance, kind)
    if one == other:
        raise NothingToDoError
    select_only(one, other)
    bpy.ops.object.join()


def duplicate(chance: Random) -> None:
    refuse_to_grow()
    one = pick(chance, "MESH", "MESH", "ARMATURE")
    select_only(one)
    bpy.ops.object.duplicate(linked=chance.random() < 0.5)


def duplicate_character(chance: Random) -> None:
    refuse_to_grow()
    select_only(pick_mesh(chance), pick_rig(chance))
    bpy.ops.object.duplicate()


def delete(chance: Random) -> None:
    leave_mode()
    one = pick(chance, "MESH", "MESH", "ARMATURE", "EMPTY")
    if chance.random() < 0.5:
        bpy.data.objects.remove(one)
        return
    select_only(one)
    bpy.ops.object.delete(use_global=chance.random() < 0.5)


def add_again(chance: Random) -> None:
    leave_mode()
    refuse_to_grow()
    add_character(chance.choice(("Body", "Another")), chance.choice(("Rig", "Rig of another")))


def add_empty(chance: Random) -> None:
    refuse_to_grow()
    data = bpy.data.lattices.new("Lattice") if chance.random() < 0.5 else None
    empty = bpy.data.objects.new("Empty" if data is None else "Lattice", data)
    empty.location.z = chance.uniform(0, 2)
    bpy.context.scene.collection.objects.link(empty)


def rename_object(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    one.name = chance.choice(
        ("Body", "Rig", "A", "이름", "With spaces and a name that is rather long", "a\nb")
    )
    if chance.random() < 0.3:
        one.data.name = chance.choice(("Body", "Rig", "B"))


def swap_names(chance: Random) -> None:
    """Swap the names of two objects."""
    kind = chance.choice(("MESH", "ARMATURE"))
    one, other = pick(chance, kind), pick(chance, kind)
    first, second = one.name, other.name
    one.name = "meanwhile"
    other.name = first
    one.name = second


def hide(chance: Random) -> None:
    one = pick(chance, "MESH", "ARMATURE")
    what = chance.randrange(3)
    if what == 0:
        one.hide_set(not one.hide_get())
    elif what == 1:
        one.hide_viewport = not one.hide_viewport
    else:
        one.display_type = chance.choice(("WIRE", "SOLID", "BOUNDS", "TEXTURED"))


def move_to_collection(chance: Random) -> None:
    """Put an object into a collection that may be hidden or excluded, or include those again."""
    one = pick(chance, "MESH", "ARMATURE")
    found = bpy.data.collections.get("Shelf")
    if found is None:
        found = bpy.data.collections.new("Shelf")
        bpy.context.scene.collection.children.link(found)
    if one.name not in found.objects:
        found.objects.link(one)
    if one.name in bpy.context.scene.collection.objects:
        bpy.context.scene.collection.objects.unlink(one)
    child = bpy.context.view_layer.layer_collection.children.get("Shelf")
    if child is not None:
        child.exclude = chance.random() < 0.3
        child.hide_viewport = chance.random() < 0.3


def instance_collection(chance: Random) -> None:
    refuse_to_grow()
    found = one_of(chance, bpy.data.collections)
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", found
    bpy.context.scene.collection.objects.link(empty)


def convert(chance: Random) -> None:
    select_only(pick_mesh(chance))
    bpy.ops.object.convert(target="MESH")


OBJECT_EDITS = (
    (move_object, 8),
    (key_object, 2),
    (set_delta, 1),
    (parent_by_property, 5),
    (parent_by_operator, 3),
    (unparent, 3),
    (apply_transform, 3),
    (join, 2),
    (duplicate, 4),
    (duplicate_character, 2),
    (delete, 3),
    (add_again, 4),
    (add_empty, 2),
    (rename_object, 4),
    (swap_names, 2),
    (hide, 4),
    (move_to_collection, 2),
    (instance_collection, 1),
    (convert, 1),
)
"""Edits with their relative frequencies."""
