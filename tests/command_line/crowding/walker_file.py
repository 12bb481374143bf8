"""A walker as a .blend: two boxes for feet and one for a head, a hip, and the clips Stand, Walk and Run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np

HIP, HEIGHT, STRIDE, DUTY = 0.9, 1.8, 1.2, 0.6
FRAMES = 24
"""Of a walk's cycle, a second; a run takes half as many."""

HEADS = {
    "hip": (0.0, 0.0, HIP),
    "foot.L": (0.1, 0.0, 0.0),
    "foot.R": (-0.1, 0.0, 0.0),
    "head": (0.0, 0.0, 1.6),
}


def walker_file(path: Path, clips: Sequence[str] = ("Idle", "Walk", "Run"), *, bound: bool = True) -> Path:
    """Save the walker; return the path. bound: whether its mesh has an Armature modifier."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    add_walker(clips, bound=bound)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def add_walker(clips: Sequence[str] = ("Idle", "Walk", "Run"), *, bound: bool = True) -> bpy.types.Object:
    """Add the walker to the scene; return its armature."""
    armature = _armature()
    _mesh(armature, bound=bound)
    for name in clips:
        _action(armature, name)
    return armature


def _armature() -> bpy.types.Object:
    armature = bpy.data.objects.new("Walker", bpy.data.armatures.new("Walker"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head in HEADS.items():
        bone = armature.data.edit_bones.new(name)
        # Along Y, so that its own axes are the world's.
        bone.head, bone.tail = head, (head[0], head[1] + 0.1, head[2])
        if name != "hip":
            bone.parent = armature.data.edit_bones["hip"]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def _mesh(armature: bpy.types.Object, *, bound: bool) -> None:
    boxes = {
        "foot.L": ((0.05, -0.2, 0.0), (0.15, 0.1, 0.1)),
        "foot.R": ((-0.15, -0.2, 0.0), (-0.05, 0.1, 0.1)),
        "head": ((-0.2, -0.2, 0.2), (0.2, 0.2, HEIGHT)),
    }
    corners, faces = [], []
    for low, high in boxes.values():
        begin = len(corners)
        corners += [
            (x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1]) for x in (low[0], high[0])
        ]
        quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (1, 5, 7, 3), (3, 7, 6, 2), (2, 6, 4, 0))
        faces += [[begin + one for one in quad] for quad in quads]
    data = bpy.data.meshes.new("Body")
    data.from_pydata(corners, [], faces)
    body = bpy.data.objects.new("Body", data)
    bpy.context.scene.collection.objects.link(body)
    for number, name in enumerate(boxes):
        body.vertex_groups.new(name=name).add(range(8 * number, 8 * number + 8), 1.0, "REPLACE")
    if bound:
        body.modifiers.new("Armature", "ARMATURE").object = armature


def _action(armature: bpy.types.Object, name: str) -> None:
    """Key a clip in place along -Y: feet go back evenly while they are planted, and swing forward."""
    armature.animation_data_create()
    armature.animation_data.action = bpy.data.actions.new(name)
    armature.animation_data.action.use_fake_user = True
    frames = FRAMES // 2 if name == "Run" else FRAMES
    for frame in range(frames + 1):
        for foot, down in (("foot.L", 0.0), ("foot.R", 0.5)):
            phase = (frame / frames - down) % 1
            swing = max(phase - DUTY, 0) / (1 - DUTY)
            front = STRIDE * DUTY / 2
            along = (
                front - STRIDE * phase if phase <= DUTY else -front + 2 * front * swing**2 * (3 - 2 * swing)
            )
            bone = armature.pose.bones[foot]
            moves = name != "Idle"
            bone.location = (0, -along if moves else 0, 0.2 * np.sin(np.pi * swing) if moves else 0)
            bone.keyframe_insert("location", frame=frame)
        head = armature.pose.bones["head"]
        head.location = (0, 0, 0.01 * np.sin(2 * np.pi * frame / frames))
        head.keyframe_insert("location", frame=frame)
