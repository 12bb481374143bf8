"""Runs inside Blender, before whatever uses it: the one character that window tests build. It reads no files,
so those tests run in a clone without any rigs.
"""

from typing import TYPE_CHECKING

import bmesh
import bpy
from mathutils import Matrix, Quaternion

if TYPE_CHECKING:
    from tests.windowed.driver import view3d  # The driver provides these to all code it runs.


def build_bar(name: str, cuts: int) -> bpy.types.Object:
    """Build a bar on two bones that bends from frame 1 to frame 20. Its corners are at x = +-0.2 m and z = 0 to
    2 m.

    cuts: of each edge of the initial cube. The armature is named after it, "Bar Rig" for a bar named "Bar".
    """
    scene = bpy.context.scene
    rig = bpy.data.objects.new(f"{name} Rig", bpy.data.armatures.new(f"{name} Rig"))
    scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    with view3d():
        bpy.ops.object.mode_set(mode="EDIT")
        lower = rig.data.edit_bones.new("lower")
        lower.tail = (0, 0, 1)
        upper = rig.data.edit_bones.new("upper")
        upper.head, upper.tail, upper.parent = (0, 0, 1), (0, 0, 2), lower
        bpy.ops.object.mode_set(mode="OBJECT")
    mesh = bpy.data.meshes.new(name)
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1, matrix=Matrix.Diagonal((0.4, 0.4, 2, 1)))
    bmesh.ops.translate(shape, verts=shape.verts, vec=(0, 0, 1))
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=cuts, use_grid_fill=True)
    shape.to_mesh(mesh)
    shape.free()
    bar = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(bar)
    groups = [bar.vertex_groups.new(name=bone) for bone in ("lower", "upper")]
    for vertex in mesh.vertices:
        share = min(max(vertex.co.z - 0.5, 0.0), 1.0)
        groups[0].add([vertex.index], 1 - share, "REPLACE")
        groups[1].add([vertex.index], share, "REPLACE")
    bar.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["upper"]
    for frame, angle in ((1, 0.0), (20, 1.2)):
        bone.rotation_quaternion = Quaternion((0, 0, 1), angle)
        bone.keyframe_insert("rotation_quaternion", frame=frame)
    return bar


def select_only(one: bpy.types.Object) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == one)
    bpy.context.view_layer.objects.active = one
