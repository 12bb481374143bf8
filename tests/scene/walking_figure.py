"""A figure of six bones walking on the spot, for clips retargeted to another figure; made with Blender's
operators only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

BONES: dict[str, tuple[str | None, tuple[float, float, float], tuple[float, float, float]]] = {
    "hips": (None, (0, 0, 1), (0, 0, 1.3)),
    "spine": ("hips", (0, 0, 1.3), (0, 0, 1.8)),
    "arm": ("spine", (0.2, 0, 1.7), (0.7, 0, 1.7)),
    "hand": ("arm", (0.7, 0, 1.7), (0.9, 0, 1.7)),
    "thigh": ("hips", (0.1, 0, 1), (0.1, 0, 0.5)),
    "shin": ("thigh", (0.1, 0, 0.5), (0.1, 0, 0)),
}
FRAMES = 11


def add_figure(name: str = "Figure") -> bpy.types.Object:
    """Add the armature, at rest, and a mesh with one point per bone."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, (parent, head, tail) in BONES.items():
        bone = data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    heads = [(one.head_local + one.tail_local) / 2 for one in data.bones]
    points = [
        tuple(one + Vector(offset)) for one in heads for offset in ((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0))
    ]
    mesh = bpy.data.meshes.new(f"{name}Body")
    mesh.from_pydata(points, [], [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(len(heads))])
    body = bpy.data.objects.new(f"{name}Body", mesh)
    bpy.context.scene.collection.objects.link(body)
    for number, bone in enumerate(data.bones):
        body.vertex_groups.new(name=bone.name).add([3 * number, 3 * number + 1, 3 * number + 2], 1, "REPLACE")
    body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    return armature


def key_walk(armature: bpy.types.Object, name: str = "Walk") -> bpy.types.Action:
    """Key every bone, and the hips' location, at five frames, between which Blender's curves ease."""
    for index, frame in enumerate((1, 3, 6, 9, FRAMES)):
        for number, bone in enumerate(armature.pose.bones):
            axis = Vector((1, 0.3 * number, 0.2)).normalized()
            angle = 0.7 * math.sin(index + number)
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = Matrix.Rotation(angle, 4, axis).to_quaternion()
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        hips = armature.pose.bones["hips"]
        hips.location = (0.1 * index, 0.05 * index**2, -0.02 * index)
        hips.keyframe_insert("location", frame=frame)
    action = armature.animation_data.action
    action.name = name
    action.use_fake_user = True
    return action


def edit_bones(armature: bpy.types.Object, edit: str) -> None:
    """Change the rest pose. edit: Python code run in edit mode, with `bones` and mathutils' names in scope."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    exec(edit, {"bones": armature.data.edit_bones, "Matrix": Matrix, "Vector": Vector, "math": math})  # noqa: S102
    bpy.ops.object.mode_set(mode="OBJECT")


def save(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def play_by_hand(armature: bpy.types.Object, action: bpy.types.Action, slot: object = None) -> None:
    """Have Blender play an action, starting from rest."""
    data = armature.animation_data or armature.animation_data_create()
    data.use_nla = False
    data.action = action
    if slot is not None:
        data.action_slot = slot
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix()


def play_track(armature: bpy.types.Object, track: str) -> bpy.types.Action:
    """Have Blender play the action in an NLA track's strip."""
    (strip,) = armature.animation_data.nla_tracks[track].strips
    play_by_hand(armature, strip.action, getattr(strip, "action_slot", None))
    return strip.action


def blenders_pose(
    armature: bpy.types.Object, frames: Sequence[float], bones: Sequence[str] | None = None
) -> np.ndarray:
    """Return bone -> armature matrices as Blender evaluates them, (F, B, 4, 4), column vectors."""
    poses = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        names = bones or [one.name for one in armature.pose.bones]
        poses.append([np.array(evaluated.pose.bones[name].matrix) for name in names])
    return np.array(poses)


def blenders_mesh(mesh_object: bpy.types.Object) -> np.ndarray:
    """Return vertex positions as Blender evaluates them, (V, 3) float32."""
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty(3 * len(evaluated.data.vertices), dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", positions)
    return positions.reshape(-1, 3)


def turns(armature: bpy.types.Object, poses: np.ndarray, bones: Sequence[str]) -> np.ndarray:
    """Return each bone's rotation from rest in armature space: posed @ inverse(rest), (F, B, 3, 3), column
    vectors.
    """
    rest = np.array([np.array(armature.data.bones[name].matrix_local) for name in bones])
    return (poses @ np.linalg.inv(rest))[..., :3, :3]
