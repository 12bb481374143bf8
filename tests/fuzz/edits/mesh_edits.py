"""A modeler's and a skinner's edits: vertices, faces, groups, weights, shape keys, mesh data."""

from __future__ import annotations

import random

import bmesh
import bpy

from tests.fuzz.edits.picking import (
    MOST_VERTICES,
    NothingToDoError,
    leave_mode,
    one_of,
    pick_mesh,
    select_only,
)
from tests.fuzz.edits.start_scene import CHAIN, tube

Random = random.Random


def move_vertices(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance).data
    for vertex in list(mesh.vertices)[:: chance.randint(2, 7)]:
        vertex.co.x += chance.uniform(-0.2, 0.2)
    if chance.random() < 0.7:
        mesh.update()


def change_topology(chance: Random) -> None:
    leave_mode()
    data = pick_mesh(chance).data
    if len(data.vertices) > MOST_VERTICES:
        raise NothingToDoError
    built = bmesh.new()
    built.from_mesh(data)
    built.verts.ensure_lookup_table()
    what = chance.randrange(4)
    if what == 0:
        bmesh.ops.delete(built, geom=built.verts[: chance.randint(1, 12)], context="VERTS")
    elif what == 1:
        bmesh.ops.subdivide_edges(built, edges=built.edges[:10], cuts=1)
    elif what == 2:
        bmesh.ops.create_icosphere(built, subdivisions=1, radius=0.4)
    else:
        bmesh.ops.triangulate(built, faces=built.faces[:])
    built.to_mesh(data)
    built.free()
    data.update()


def edit_mesh(chance: Random) -> None:
    """Enter Edit Mode, make an edit, and perhaps stay there."""
    mesh = pick_mesh(chance)
    select_only(mesh)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    what = chance.randrange(6)
    if what == 0 and len(mesh.data.vertices) < MOST_VERTICES:
        bpy.ops.mesh.subdivide()
    elif what == 1:
        bpy.ops.transform.translate(value=(chance.uniform(-0.3, 0.3), 0, 0.1))
    elif what == 2:
        bpy.ops.mesh.select_random(ratio=0.3, seed=chance.randint(0, 99))
        bpy.ops.mesh.delete(type=chance.choice(("VERT", "FACE")))
    elif what == 3 and mesh.vertex_groups:
        mesh.vertex_groups.active_index = chance.randrange(len(mesh.vertex_groups))
        bpy.ops.object.vertex_group_assign()
    elif what == 4:
        bpy.ops.mesh.remove_doubles(threshold=0.1)
    if chance.random() < 0.7:
        bpy.ops.object.mode_set(mode="OBJECT")


def switch_mode(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance)
    select_only(mesh)
    bpy.ops.object.mode_set(mode=chance.choice(("EDIT", "WEIGHT_PAINT", "SCULPT", "VERTEX_PAINT", "OBJECT")))


def to_object_mode(_chance: Random) -> None:
    leave_mode()


def paint_weights(chance: Random) -> None:
    mesh = pick_mesh(chance)
    if mesh.mode == "EDIT":
        leave_mode()
    group = one_of(chance, mesh.vertex_groups) if mesh.vertex_groups else mesh.vertex_groups.new(name="upper")
    group.add(
        range(0, len(mesh.data.vertices), chance.randint(1, 4)),
        chance.choice((0.0, chance.random(), 1.0)),
        chance.choice(("REPLACE", "ADD", "SUBTRACT")),
    )


def erase_weights(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance)
    one_of(chance, mesh.vertex_groups).remove(range(0, len(mesh.data.vertices), chance.randint(1, 4)))


def change_groups(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance)
    groups = mesh.vertex_groups
    # Operators do this; from Python, 4.2 doesn't and keeps showing the old mesh.
    mesh.update_tag()
    what = chance.randrange(4)
    if what == 0:
        groups.remove(one_of(chance, groups))
    elif what == 1:
        groups.new(name=chance.choice((*CHAIN, "mask", "nobody")))
    elif what == 2:
        one_of(chance, groups).name = chance.choice((*CHAIN, "mask", "nobody", "뼈"))
    else:
        groups.clear()


def clean_weights(chance: Random) -> None:
    select_only(pick_mesh(chance))
    what = chance.randrange(5)
    if what == 0:
        bpy.ops.object.vertex_group_normalize_all(lock_active=False)
    elif what == 1:
        bpy.ops.object.vertex_group_limit_total(limit=2)
    elif what == 2:
        bpy.ops.object.vertex_group_sort(sort_type="NAME")
    elif what == 3:
        bpy.ops.object.vertex_group_invert(group_select_mode="ALL")
    else:
        bpy.ops.object.vertex_group_quantize(group_select_mode="ALL", steps=3)


def shape_keys(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance)
    keys = mesh.data.shape_keys
    if keys is None:
        mesh.shape_key_add(name="Basis")
        key = mesh.shape_key_add(name="Wide")
        for point in key.data:
            point.co.x *= 1.4
        key.value = chance.random()
        return
    key = chance.choice(keys.key_blocks)
    what = chance.randrange(7)
    if what < 2:
        key.value = chance.random()
    elif what == 2:
        for frame in (1, 12):
            key.value = chance.random()
            key.keyframe_insert("value", frame=frame)
    elif what == 3:
        key.mute = not key.mute
    elif what == 4:
        mesh.shape_key_remove(key)
    elif what == 5:
        for point in list(key.data)[:: chance.randint(1, 3)]:
            point.co.y += chance.uniform(-0.1, 0.1)
    else:
        mesh.show_only_shape_key = not mesh.show_only_shape_key


def shape_key_group(chance: Random) -> None:
    mesh = pick_mesh(chance)
    if mesh.data.shape_keys is None:
        raise NothingToDoError
    mesh.data.shape_keys.key_blocks[-1].vertex_group = chance.choice(("", *CHAIN))


def swap_mesh(chance: Random) -> None:
    leave_mode()
    mesh = pick_mesh(chance)
    what = chance.randrange(4)
    if what == 0:
        mesh.data = one_of(chance, bpy.data.meshes)
    elif what == 1:
        mesh.data = mesh.data.copy()
    elif what == 2:
        other = tube("Slim", radius=0.2)
        mesh.data = other.data
        bpy.data.objects.remove(other)
    else:
        select_only(mesh)
        bpy.ops.object.make_single_user(object=True, obdata=True)


def empty_mesh(chance: Random) -> None:
    leave_mode()
    pick_mesh(chance).data.clear_geometry()


MESH_EDITS = (
    (move_vertices, 4),
    (change_topology, 4),
    (edit_mesh, 4),
    (switch_mode, 3),
    (to_object_mode, 3),
    (paint_weights, 6),
    (erase_weights, 2),
    (change_groups, 4),
    (clean_weights, 3),
    (shape_keys, 6),
    (shape_key_group, 1),
    (swap_mesh, 4),
    (empty_mesh, 1),
)
"""Edits with their relative frequencies."""
