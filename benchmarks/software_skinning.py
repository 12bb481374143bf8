"""Times software skinning against Blender's own Armature modifier, in one run.

    .venv/bin/python benchmarks/software_skinning.py [VERTICES ...]

Blender's time is `ArmatureModifier.execution_time` of the evaluated object after `frame_set`; ours is the time
of `SoftwareSkinner.skin_positions` for the same frame's palettes. Only positions on both sides. The two take
turns, frame by frame, so that other load on the machine affects both equally; the table shows medians.

In wild poses one vertex in a few million has a bone whose quaternion is perpendicular to the sum so far, to the
last digit (3e-8 or less): Preserve Volume jumps there, and Blender's float32 may end up on either side. The
deviation shows it.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.scene.binding.binding_reader import read_binding
from skinning_addon.scene.binding.frame_reader import FrameReader
from skinning_addon.scene.meshes.blender_result import read_blender_positions

ARMATURE = "Chain"
BONES = 100
INFLUENCES = 4
VERTICES_AROUND = 200
FRAMES = range(1, 31, 2)


@dataclass(frozen=True)
class Timing:
    """Milliseconds per frame, and the largest deviation, relative to the mesh's size and movement."""

    blender: list[float]
    ours: list[float]
    layout_seconds: float
    deviation: float


def build_rig(vertex_count: int, weights: str) -> bpy.types.Object:
    """Build a tube around a chain of bones.

    weights: 'limbs', each ring of vertices follows the four nearest bones; 'random', each vertex follows any
    four bones.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    armature = _chain_of_bones()
    rings = vertex_count // VERTICES_AROUND
    along = np.repeat(np.linspace(0, BONES, rings, endpoint=False), VERTICES_AROUND)
    around = np.tile(np.arange(VERTICES_AROUND) * (2 * np.pi / VERTICES_AROUND), rings)
    data = bpy.data.meshes.new("Tube")
    data.from_pydata(np.stack((np.cos(around), along, np.sin(around)), axis=1), [], [])
    tube = bpy.data.objects.new("Tube", data)
    bpy.context.scene.collection.objects.link(tube)
    random = np.random.default_rng(0)
    bones, shares = _limb_weights(along) if weights == "limbs" else _random_weights(len(along), random)
    for index in range(BONES):
        tube.vertex_groups.new(name=f"bone {index}")
    _assign(data, bones, shares)
    modifier = tube.modifiers.new("Armature", "ARMATURE")
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.object = armature
    return tube


def _chain_of_bones() -> bpy.types.Object:
    data = bpy.data.armatures.new("Chain")
    armature = bpy.data.objects.new(ARMATURE, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for index in range(BONES):
        bone = data.edit_bones.new(f"bone {index}")
        bone.head, bone.tail, bone.parent = (0, index, 0), (0, index + 1, 0), parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def key_poses(armature: bpy.types.Object, poses: str) -> None:
    """Key a pose at the first frame and one at the last.

    poses: 'moderate', every bone is within a quarter turn of the mean; 'wild', bones point anywhere.
    """
    armature.animation_data_clear()
    random = np.random.default_rng(0)
    for index, pose_bone in enumerate(armature.pose.bones):
        pose_bone.rotation_mode = "XYZ"
        for frame in (FRAMES[0], FRAMES[-1]):
            angle = 0.3 * (-1) ** index * (frame != FRAMES[0])
            turned = (
                (angle, angle / 3, angle / 2) if poses == "moderate" else random.uniform(-2, 2, 3).tolist()
            )
            pose_bone.rotation_euler = turned
            pose_bone.keyframe_insert("rotation_euler", frame=frame)


def _limb_weights(along: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    first = np.clip(np.floor(along - 0.5).astype(np.intp) - 1, 0, BONES - INFLUENCES)
    bones = first[:, None] + np.arange(INFLUENCES)
    shares = np.maximum(1e-3, 1 - np.abs(along[:, None] - (bones + 0.5)) / 2.5) ** 2
    return bones, shares / shares.sum(axis=1, keepdims=True)


def _random_weights(
    vertices: int, random: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    steps = random.integers(1, BONES // INFLUENCES, (vertices, INFLUENCES))
    bones = (random.integers(0, BONES, (vertices, 1)) + np.cumsum(steps, axis=1)) % BONES
    shares = random.uniform(0.05, 1, (vertices, INFLUENCES))
    return bones, shares / shares.sum(axis=1, keepdims=True)


def _assign(data: bpy.types.Mesh, bones: NDArray[np.intp], shares: NDArray[np.float64]) -> None:
    import bmesh

    mesh = bmesh.new()
    mesh.from_mesh(data)
    layer = mesh.verts.layers.deform.verify()
    for vertex, numbers, weights in zip(mesh.verts, bones.tolist(), shares.tolist(), strict=True):
        deform = vertex[layer]
        for number, weight in zip(numbers, weights, strict=True):
            deform[number] = weight
    mesh.to_mesh(data)
    mesh.free()


def measure(tube: bpy.types.Object, *, volume: bool) -> Timing:
    """Measure both at every frame."""
    modifier = tube.modifiers[0]
    assert isinstance(modifier, bpy.types.ArmatureModifier)
    modifier.use_deform_preserve_volume = volume
    scene = bpy.context.scene
    scene.frame_set(FRAMES[0])
    binding = read_binding(tube, bpy.context.evaluated_depsgraph_get())
    reader = FrameReader(binding)
    skinner = SoftwareSkinner(binding.passes, binding.mesh)
    size = binding.mesh.diagonal
    blender: list[float] = []
    ours: list[float] = []
    deviation = layout_seconds = 0.0
    for frame in FRAMES:
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        blender.append(tube.evaluated_get(depsgraph).modifiers[0].execution_time * 1000)
        palettes = reader.read(tube, depsgraph).palettes
        start = time.perf_counter()
        positions = skinner.skin_positions(palettes)
        ours.append((time.perf_counter() - start) * 1000)
        if frame == FRAMES[0]:
            layout_seconds = ours.pop() / 1000
            blender.pop()
        truth = read_blender_positions(tube, depsgraph, len(positions))
        moved = float(np.linalg.norm(truth - binding.mesh.positions, axis=1).max())
        deviation = max(deviation, float(np.linalg.norm(positions - truth, axis=1).max()) / (size + moved))
    return Timing(blender, ours, layout_seconds, deviation)


def main(sizes: list[int]) -> None:
    """Print the table."""
    print(f"Blender {bpy.app.version_string}, numpy {np.__version__}; {BONES} bones, {INFLUENCES} influences")
    print(
        f"{'vertices':>9} {'weights':8} {'poses':8} {'blend':7} {'Blender ms':>10} {'ours ms':>8} "
        f"{'ratio':>6} {'deviation':>10} {'layout s':>9}"
    )
    for size in sizes:
        for weights in ("limbs", "random"):
            tube = build_rig(size, weights)
            for poses, volume in itertools.product(("moderate", "wild"), (False, True)):
                key_poses(bpy.data.objects[ARMATURE], poses)
                timing = measure(tube, volume=volume)
                blender, ours = statistics.median(timing.blender), statistics.median(timing.ours)
                blend = "volume" if volume else "linear"
                print(
                    f"{size:9} {weights:8} {poses:8} {blend:7} {blender:10.2f} {ours:8.2f} "
                    f"{ours / blender:6.2f} "
                    f"{timing.deviation:10.1e} {timing.layout_seconds:9.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [100_000, 1_000_000])
