"""The scene that every sequence starts from: two meshes on one rig, one on another, and a library
to link from.
"""

from __future__ import annotations

import math
from pathlib import Path

import bpy

SIDES = 6
RINGS = 8
CHAIN = ("root", "lower", "upper", "tip")
LINKED = "Linked"
"""Prefix of the names in the library."""


def build_start(folder: Path) -> Path:
    """Build the scene in an empty file, with the library beside it; return the library's path."""
    library = folder / "library.blend"
    if not library.exists():
        _empty_file()
        add_character(f"{LINKED} body", f"{LINKED} rig")
        bpy.ops.wm.save_as_mainfile(filepath=str(library), check_existing=False)
    _empty_file()
    body, rig = add_character("Body", "Rig")
    shirt = tube("Shirt", radius=0.45)
    weigh(shirt)
    shirt.modifiers.new("Armature", "ARMATURE").object = rig
    shirt.parent = rig
    arm, _ = add_character("Arm", "Other rig")
    arm.location.x = 2.0
    key_swing(rig)
    bpy.context.view_layer.objects.active = body
    bpy.context.view_layer.update()
    return library


def _empty_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.preferences.edit.use_global_undo = True
    bpy.context.preferences.filepaths.use_auto_save_temporary_files = False
    bpy.context.preferences.filepaths.save_version = 0


def add_character(mesh_name: str, rig_name: str) -> tuple[bpy.types.Object, bpy.types.Object]:
    rig = chain(rig_name)
    mesh = tube(mesh_name)
    weigh(mesh)
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    return mesh, rig


def chain(name: str) -> bpy.types.Object:
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index, bone_name in enumerate(CHAIN):
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = (0, 0, 0.5 * index), (0, 0.05, 0.5 * index + 0.5)
        bone.parent, bone.use_connect = parent, False
        bone.envelope_distance, bone.head_radius, bone.tail_radius = 0.3, 0.1, 0.12
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def tube(name: str, radius: float = 0.3) -> bpy.types.Object:
    vertices, faces = [], []
    for ring in range(RINGS):
        for side in range(SIDES):
            turn = math.tau * side / SIDES
            vertices.append((radius * math.cos(turn), radius * math.sin(turn), 2.0 * ring / (RINGS - 1)))
            if ring:
                ahead = (side + 1) % SIDES
                above = (ring - 1) * SIDES
                faces.append((above + side, above + ahead, ring * SIDES + ahead, ring * SIDES + side))
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    mesh = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(mesh)
    return mesh


def weigh(mesh: bpy.types.Object) -> None:
    """Weight each vertex by its distance to the bones' middles, up to three bones each, so that sums differ
    from 1.
    """
    groups = [mesh.vertex_groups.new(name=name) for name in CHAIN]
    for vertex in mesh.data.vertices:
        for index, group in enumerate(groups):
            weight = 1.0 - abs(vertex.co.z - 0.5 * index - 0.25) / 0.8
            if weight > 0:
                group.add([vertex.index], weight, "REPLACE")


def key_swing(rig: bpy.types.Object) -> None:
    """Swing two bones between frames 1 and 20."""
    for name, angle in (("lower", 1.1), ("upper", -1.9)):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        for frame, turn in ((1, 0.0), (10, angle), (20, -angle / 2)):
            bone.rotation_euler = (turn, 0.2 * turn, 0.5 * turn)
            bone.keyframe_insert("rotation_euler", frame=frame)
