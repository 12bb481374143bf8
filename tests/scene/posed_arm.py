"""A keyed arm of three bones with a box around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import bmesh
import bpy


def keyed_arm(frames: Sequence[int] = (1, 12), degrees: float = 35, *, cuts: int = 6) -> bpy.types.Object:
    """Build an armature 'Arm' with bones b0, b1, b2 that deforms 'Skin'; its action 'Bend' turns them with
    Blender's own easing.

    cuts: number of cuts along each edge of the box.
    """
    scene = bpy.context.scene
    armature = bpy.data.objects.new("Arm", bpy.data.armatures.new("Arm"))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for number in range(3):
        bone = armature.data.edit_bones.new(f"b{number}")
        bone.head, bone.tail = (0, 0, number), (0, 0, number + 1)
        if number:
            bone.parent = armature.data.edit_bones[f"b{number - 1}"]
    bpy.ops.object.mode_set(mode="OBJECT")
    skin = bpy.data.objects.new("Skin", bpy.data.meshes.new("Skin"))
    scene.collection.objects.link(skin)
    box = bmesh.new()
    bmesh.ops.create_cube(box, size=1.0)
    for vertex in box.verts:
        vertex.co.z = 3.0 * (vertex.co.z + 0.5)
    bmesh.ops.subdivide_edges(box, edges=box.edges, cuts=cuts, use_grid_fill=True)
    box.to_mesh(skin.data)
    box.free()
    for number in range(3):
        group = skin.vertex_groups.new(name=f"b{number}")
        for vertex in skin.data.vertices:
            weight = max(0.0, 1.0 - abs(vertex.co.z - number - 0.5))
            if weight:
                group.add([vertex.index], weight, "REPLACE")
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    for step, frame in enumerate(frames):
        for number, bone in enumerate(armature.pose.bones):
            half = math.radians(degrees * step * (1 + number)) / 2
            bone.rotation_quaternion = (math.cos(half), math.sin(half), 0, 0)
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    armature.animation_data.action.name = "Bend"
    bpy.context.view_layer.update()
    return armature
