"""The tutorial's rig: an arm of three bones in the X-Y plane, so that every number can be worked out by hand.

    upper arm   from (0, 1, 0) to (0, 3, 0)
    forearm     from (0, 3, 0) to (0, 5, 0)
    hand        from (0, 5, 0) to (0, 6, 0)

Bones along Y have the identity as their rest rotation. The camera looks straight down on the arm and sees
10 x 7.5 units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import bpy

from ..object_data import armature_of

RIG, MESH = "Rig", "Arm"
BONES = (("upper arm", 1.0, 3.0), ("forearm", 3.0, 5.0), ("hand", 5.0, 6.0))
"""Each bone's name, and its start and end along Y."""

ROWS = (
    (1.0, (1.0, 0.0, 0.0)),
    (2.0, (1.0, 0.0, 0.0)),
    (2.5, (0.75, 0.25, 0.0)),
    (3.0, (0.5, 0.5, 0.0)),
    (3.5, (0.25, 0.75, 0.0)),
    (4.0, (0.0, 1.0, 0.0)),
    (4.5, (0.0, 0.75, 0.25)),
    (5.0, (0.0, 0.5, 0.5)),
    (5.5, (0.0, 0.25, 0.75)),
    (6.0, (0.0, 0.0, 1.0)),
)
"""Each vertex pair's Y coordinate, and weights for the three bones."""

MATERIALS = ("Sleeve", "Glove")
GLOVED_FROM = 5.0
"""Faces from this Y coordinate on have the second material."""

ACTIVE_BONE = "forearm"

TRACED_VERTEX = 9
"""On the outside, just past the elbow; a quarter of its weight is on the upper arm."""

CLIPS = (
    ("Bend", ((1, (0, 0, 0)), (13, (30, 60, 0)), (25, (0, 0, 0))), ("bent", 13)),
    ("Wave", ((1, (60, -30, 0)), (7, (60, 30, 0)), (13, (60, -30, 0))), ("out", 7)),
)
"""Name; frames with each bone's degrees about Z; the marker and its frame."""

SHOWN_FRAME = 13


def build_learning_rig(scene: bpy.types.Scene) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Build the rig in an empty scene; return its armature object and its mesh object.

    The scene plays Bend, and its current frame is the one where the arm is bent the most.
    """
    armature = _armature(scene)
    mesh_object = _strip(scene)
    cast("bpy.types.ArmatureModifier", mesh_object.modifiers.new("Armature", "ARMATURE")).object = armature
    scene.render.fps = 24
    animation = armature.animation_data_create()
    for name, keys, (marker, at) in reversed(CLIPS):
        action = bpy.data.actions.new(name)
        animation.action = action
        _key(armature, keys)
        action.pose_markers.new(marker).frame = at
        # Only one is assigned, but the file has to keep both.
        action.use_fake_user = True
    _look_down(scene)
    # The sidebar shows this bone's matrices.
    armature_of(armature).bones.active = armature_of(armature).bones[ACTIVE_BONE]
    scene.frame_start, scene.frame_end = 1, 25
    scene.frame_set(SHOWN_FRAME)
    return armature, mesh_object


def _armature(scene: bpy.types.Scene) -> bpy.types.Object:
    armature = bpy.data.objects.new(RIG, bpy.data.armatures.new(RIG))
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for name, start, end in BONES:
        bone = armature_of(armature).edit_bones.new(name)
        bone.head, bone.tail = (0, start, 0), (0, end, 0)
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def _strip(scene: bpy.types.Scene) -> bpy.types.Object:
    """Create a strip one unit wide along the arm; each row has a vertex on the left, then one on the right."""
    mesh = bpy.data.meshes.new(MESH)
    vertices = [(x, y, 0.0) for y, _ in ROWS for x in (-0.5, 0.5)]
    faces = [(row, row + 1, row + 3, row + 2) for row in range(0, len(vertices) - 2, 2)]
    mesh.from_pydata(vertices, [], faces)
    for name in MATERIALS:
        mesh.materials.append(bpy.data.materials.new(name))
    for polygon, (start, _) in zip(mesh.polygons, ROWS, strict=False):
        polygon.material_index = int(start >= GLOVED_FROM)
    mesh_object = bpy.data.objects.new(MESH, mesh)
    scene.collection.objects.link(mesh_object)
    for index, (name, _, _) in enumerate(BONES):
        group = mesh_object.vertex_groups.new(name=name)
        for row, (_, weights) in enumerate(ROWS):
            if weights[index]:
                group.add([2 * row, 2 * row + 1], weights[index], "REPLACE")
    return mesh_object


def _key(armature: bpy.types.Object, keys: Sequence[tuple[int, tuple[float, ...]]]) -> None:
    """Key the bones' rotations about Z, in degrees, at some frames."""
    pose = cast("bpy.types.Pose", armature.pose)
    for frame, turns in keys:
        for (name, _, _), degrees in zip(BONES, turns, strict=True):
            bone, half = pose.bones[name], math.radians(degrees) / 2
            bone.rotation_quaternion = (math.cos(half), 0, 0, math.sin(half))
            bone.keyframe_insert("rotation_quaternion", frame=frame)


def _look_down(scene: bpy.types.Scene) -> None:
    """Put a camera above the middle of the arm: its focal length equals the sensor width, so that it sees 10
    units from a distance of 10.
    """
    camera = bpy.data.cameras.new("Camera")
    camera.lens = camera.sensor_width = 36.0
    camera_object = bpy.data.objects.new("Camera", camera)
    camera_object.location = (0, 3, 10)
    scene.collection.objects.link(camera_object)
    scene.camera = camera_object
    scene.render.resolution_x, scene.render.resolution_y = 1280, 960
    scene.render.resolution_percentage = 100
