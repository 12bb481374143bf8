"""FBX files as Blender's own importer, which is built on ufbx, reads them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np


def reimported(file: Path, names: Sequence[str], frames: Sequence[int]) -> np.ndarray:
    """Import a file into an empty scene; return the positions (F, V, 3) of the meshes of these names, one after
    the other, in world space.
    """
    # Frames are whole numbers of seconds' parts, which the file holds as seconds.
    render = bpy.context.scene.render
    rate = render.fps, render.fps_base
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = rate
    bpy.ops.wm.fbx_import(filepath=str(file), anim_offset=0.0)
    by_name = {one.name: one for one in bpy.context.scene.objects if one.type == "MESH"}
    return np.array(
        [np.concatenate([_positions(by_name[name], frame) for name in names]) for frame in frames]
    )


def _positions(mesh: bpy.types.Object, frame: int) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", positions.reshape(-1))
    to_world = np.array(evaluated.matrix_world, dtype=np.float64).T
    return positions @ to_world[:3, :3] + to_world[3, :3]
