"""Compares checking a character made of many small meshes with one of the same vertices in few, in one run.

    python benchmarks/many_meshes.py [MESHES] [FRAMES] [--sides SIDES] [--shape-keys]

Tubes along a chain of bones, weighted to several of them, are 84 meshes or 4 and are checked under Blender's
own profile and five engines', on the CPU. They take turns; prints the median ratio of three turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from math import sin
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.measurement.check.check import CheckSettings, check_scene

PROFILES = ("blender", "threejs", "unity-4", "unreal", "godot4", "babylonjs")
ROUNDS = 3
TUBES, RINGS = 84, 6
BONES, BONE_LENGTH = 42, 0.05
FEW = 4


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("meshes", type=int, nargs="?", default=TUBES)
    arguments.add_argument("frames", type=int, nargs="?", default=50)
    arguments.add_argument("--sides", type=int, default=20)
    arguments.add_argument("--shape-keys", action="store_true")
    chosen = arguments.parse_args()
    few: list[float] = []
    many: list[float] = []
    for _ in range(ROUNDS):
        for meshes, seconds in ((FEW, few), (chosen.meshes, many)):
            character(meshes, chosen.frames, chosen.sides, shape_keys=chosen.shape_keys)
            settings = CheckSettings("cpu", profiles=tuple(load_profile(name) for name in PROFILES))
            start = time.process_time()
            report = check_scene(bpy.context.scene, "character.blend", settings)
            seconds.append(time.process_time() - start)
            assert len(report.meshes) == meshes * len(PROFILES)
    ratio = statistics.median(b / a for a, b in zip(few, many, strict=True))
    print(
        f"{TUBES * RINGS * chosen.sides} vertices, {BONES} bones, {chosen.frames} frames, "
        f"{len(PROFILES)} profiles: "
        f"{FEW} meshes {statistics.median(few):.1f} s, {chosen.meshes} meshes {statistics.median(many):.1f} s, "
        f"{ratio:.1f} times"
    )


def character(meshes: int, frames: int, sides: int, *, shape_keys: bool) -> None:
    """Make a new file of the tubes, joined into this many meshes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    data = bpy.data.armatures.new("Rig")
    armature = bpy.data.objects.new("Rig", data)
    scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number in range(BONES):
        bone = data.edit_bones.new(f"bone{number:02d}")
        bone.head, bone.tail = (0, 0, number * BONE_LENGTH), (0, 0, (number + 1) * BONE_LENGTH)
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for frame in (1, frames // 2, frames):
        for number, bone in enumerate(armature.pose.bones):
            bone.rotation_mode = "XYZ"
            bone.rotation_euler = (0.1 * sin(frame + number), 0.07 * sin(2 * frame + number), 0.05)
            bone.keyframe_insert("rotation_euler", frame=frame)
    for tubes in np.array_split(np.arange(TUBES), meshes):
        _mesh_of(tubes, armature, frames, sides, shape_keys=shape_keys)


def _mesh_of(
    tubes: np.ndarray, armature: bpy.types.Object, frames: int, sides: int, *, shape_keys: bool
) -> None:
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    ring = np.stack((0.2 * np.cos(angles), 0.2 * np.sin(angles), np.zeros(sides)), axis=1)
    step = BONES * BONE_LENGTH / TUBES
    points = np.concatenate(
        [ring + np.array((0, 0, step * (tube + row / RINGS))) for tube in tubes for row in range(RINGS)]
    )
    faces = [
        (start + side, start + (side + 1) % sides, start + sides + (side + 1) % sides, start + sides + side)
        for tube in range(len(tubes))
        for start in range(tube * RINGS * sides, (tube * RINGS + RINGS - 1) * sides, sides)
        for side in range(sides)
    ]
    mesh = bpy.data.meshes.new("part")
    mesh.from_pydata(points.tolist(), [], faces)
    part = bpy.data.objects.new("part", mesh)
    bpy.context.scene.collection.objects.link(part)
    modifier = part.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = armature
    for number in range(BONES):
        group = part.vertex_groups.new(name=f"bone{number:02d}")
        weights = 1 - np.abs(points[:, 2] / BONE_LENGTH - number - 0.5) / 3
        for vertex in np.flatnonzero(weights > 0).tolist():
            group.add([vertex], float(weights[vertex]), "REPLACE")
    if shape_keys:
        part.shape_key_add(name="Basis")
        wide = part.shape_key_add(name="Wide")
        wide.data.foreach_set("co", (points * (1.3, 1, 1)).astype(np.float32).reshape(-1))
        for frame, value in ((1, 0.0), (frames, 1.0)):
            wide.value = value
            wide.keyframe_insert("value", frame=frame)


main()
