"""Measures the cost of bendy bones per frame: their joints, computed here and queried from Blender one per
call, and their palette.

    .venv/bin/python benchmarks/bendy_joints.py [BONES [SEGMENTS]]
    blender --background --factory-startup --python benchmarks/bendy_joints.py

Every posable setting is keyed at every frame; the armature deforms no mesh, so Blender's own `frame_set` only
plays the pose. The candidates take turns, frame by frame, each right after Blender has evaluated the frame, so
that other load on the machine affects all of them equally. Times are the process's CPU time: the minimum over
all frames is what an idle machine takes, the median what this one took.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion, Vector

sys.path.insert(0, str(Path(__file__).parents[1]))

from skinning_addon.core.bendy.spline import BendyJoints, bendy_joints
from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.palette import final_matrices
from skinning_addon.scene.armatures import bendy_reader
from skinning_addon.scene.armatures.armature_reader import ArmatureReader, read_armature
from skinning_addon.scene.armatures.bendy_reader import blenders_joints
from skinning_addon.scene.matrices import MATRICES_ARE_BUFFERS

CHAIN = 5
FRAMES = 101
AIM = 2.0


def build_rig(bones: int, segments: int) -> bpy.types.Object:
    """Build chains of connected bendy bones, as in limbs, tails and ropes."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    data = bpy.data.armatures.new("Chains")
    armature = bpy.data.objects.new("Chains", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    last = None
    for place in range(bones):
        bone = data.edit_bones.new(f"bone {place}")
        if last is not None and place % CHAIN:
            bone.parent, bone.head, bone.use_connect = last, last.tail, True
        else:
            bone.head = (0.5 * place / CHAIN, 0, 0)
        bone.tail = bone.head + Vector((0.05, 0.3, 0.02))
        last = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in data.bones:
        bone.bbone_segments = segments
    return armature


KEYED = ("rotation_quaternion", "scale", "bbone_curveinx", "bbone_rollout", "bbone_scaleout")


def key_pose(armature: bpy.types.Object, frame: int, random: np.random.Generator) -> None:
    for pose_bone in armature.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
        pose_bone.rotation_quaternion = Quaternion(random.normal(size=3).tolist(), random.uniform(0, 0.6))
        pose_bone.scale = random.uniform(0.9, 1.1, 3).tolist()
        pose_bone.bbone_curveinx = random.normal() * 0.02
        pose_bone.bbone_rollout = random.normal() * 0.3
        pose_bone.bbone_scaleout = random.uniform(0.8, 1.2, 3).tolist()
        for path in KEYED:
            pose_bone.keyframe_insert(path, frame=frame)


class Stopwatch:
    """CPU seconds of this process, by name and pose."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds.setdefault(name, []).append(time.process_time() - start)


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    bones, segments = (*numbers, *(139, 8)[len(numbers) :])
    armature = build_rig(bones, segments)
    random = np.random.default_rng(0)
    reader = read_armature(armature)
    bone = np.repeat(np.arange(bones), segments + 1)
    joint = np.tile(np.arange(segments + 1), bones)
    watch = Stopwatch()
    uncertain: list[int] = []
    apart = 0.0

    def counted(*arguments: Any) -> BendyJoints:
        joints = bendy_joints(*arguments)
        uncertain.append(int(joints.uncertain.sum()))
        return joints

    bendy_reader.bendy_joints = counted

    for frame in range(FRAMES):
        key_pose(armature, frame, random)
    bpy.context.scene.frame_set(0)
    joints = joints_of(reader, armature.evaluated_get(bpy.context.evaluated_depsgraph_get()), bone, joint)
    place = np.eye(4)
    for frame in range(FRAMES):
        with watch("Blender's frame_set"):
            bpy.context.scene.frame_set(frame)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        with watch("read the matrices"):
            to_root = reader.read_to_root(evaluated)
        with watch("computed in numpy"):
            ours = reader.compute_segments(evaluated, bone, joint, to_root)
        with watch("one call a joint"):
            blenders = blenders_joints(evaluated, reader.order[bone], joint)
        with watch("their palette"):
            final_matrices(joints, joints.posed(to_root, ours), place).rows()
        apart = max(apart, float(np.abs(ours - blenders).max()))
    print(
        f"Blender {bpy.app.version_string}: {bones} bendy bones of {segments} segments, {FRAMES} frames, ms"
    )
    for name, values in watch.seconds.items():
        print(f"  {name:20} {in_ms(values)}")
    way = "one call a joint" if MATRICES_ARE_BUFFERS else "computed in numpy"
    for what, parts in (("the joints", (way,)), ("all of it", ("read the matrices", way, "their palette"))):
        used = [sum(values) for values in zip(*(watch.seconds[part] for part in parts), strict=True)]
        ratio = statistics.median(used) / statistics.median(watch.seconds["Blender's frame_set"])
        print(
            f"  {what + ' as used:':20} {in_ms(used)}   {ratio:.2f} of frame_set   ({way}; aim: below "
            f"{AIM:g} ms)"
        )
    print(
        f"  largest difference of an entry {apart:.1e}; {statistics.mean(uncertain):.1f} bones a frame "
        f"left to Blender"
    )


def in_ms(seconds: Sequence[float]) -> str:
    return f"smallest {1e3 * min(seconds):6.3f}   median {1e3 * statistics.median(seconds):6.3f}"


def joints_of(
    reader: ArmatureReader, armature: bpy.types.Object, bone: np.ndarray, segment: np.ndarray
) -> Joints:
    at_rest = reader.read_rest_segments(armature, bone, segment)
    return Joints.of_segments(
        reader.skeleton,
        np.concatenate(([-1], bone)).astype(np.int32),
        np.concatenate(([0], segment)).astype(np.int32),
        np.concatenate((np.eye(4)[None], at_rest)),
        np.eye(4),
    )


main()
