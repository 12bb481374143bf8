"""Rigs saved as files, for a program that takes files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np

from tests.scene.random_rig import RandomRig, RigOptions, random_rig

KEYED_FRAMES = (1, 5, 9)


def animated_rig(options: RigOptions) -> RandomRig:
    """Build a random rig in an empty file, with a random pose keyed at each of three frames; the scene plays 1
    to 9.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = random_rig(options)
    for frame in KEYED_FRAMES:
        rig.pose()
        for bone in rig.armature.pose.bones:
            for channel in ("location", "rotation_quaternion", "scale"):
                bone.keyframe_insert(channel, frame=frame)
    rig.armature.animation_data.action.name = "Sway"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = KEYED_FRAMES[0], KEYED_FRAMES[-1]
    bpy.context.scene.frame_set(KEYED_FRAMES[1])
    return rig


def without_flaws(rig: RandomRig) -> None:
    """Remove a random rig's flaws: every vertex is weighted, every group belongs to a bone, and every bone
    deforms.
    """
    for bone in rig.armature.data.bones:
        bone.use_deform = True
    groups = rig.mesh.vertex_groups
    for group in [one for one in groups if one.name not in rig.armature.data.bones]:
        groups.remove(group)
    for group in groups:
        group.remove(range(20))
    groups[0].add(range(20), 1.0, "REPLACE")
    unweighted = [one.index for one in rig.mesh.data.vertices if not one.groups]
    groups[0].add(unweighted, 1.0, "REPLACE")


def rig_file(
    path: Path, options: RigOptions | None = None, change: Callable[[RandomRig], object] | None = None
) -> Path:
    """Save an animated rig, changed by `change`; return its path."""
    rig = animated_rig(options or RigOptions())
    if change is not None:
        change(rig)
    bpy.context.view_layer.update()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def blender_positions(path: Path, mesh_object: str, frame: float) -> np.ndarray:
    """Open a .blend and read Blender's evaluated mesh at a frame, (V, 3), mesh space."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    mesh = bpy.data.objects[mesh_object].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    positions = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", positions.reshape(-1))
    return positions
