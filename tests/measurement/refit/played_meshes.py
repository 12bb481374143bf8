"""What Blender shows of a moving mesh over all frames, and which vertices of a file are which."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

from skinning_addon.scene.files import open_file
from tests.measurement.refit.moving_scenes import FRAMES, SCENES
from tests.scene.refit.evaluated import world_positions

PLAYED = tuple(range(1, FRAMES + 1))


def saved(name: str, path: Path) -> Path:
    """Save one of the scenes."""
    SCENES[name]()
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def played(path: Path) -> np.ndarray:
    """(F, V, 3) of the one mesh of a file, in the world, as Blender evaluates it."""
    open_file(path)
    (mesh,) = (one for one in bpy.context.scene.objects if one.type == "MESH")
    return frames_of(mesh)


def frames_of(mesh: bpy.types.Object) -> np.ndarray:
    """(F, V, 3) of a mesh of the open file."""
    found = []
    for frame in PLAYED:
        bpy.context.scene.frame_set(frame)
        found.append(world_positions(mesh))
    return np.array(found)


def vertices_of(moved: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return which of the vertices of `wanted` (F, V, 3) goes where each of `moved` (F, N, 3) goes, (N,)."""
    paths, among = (one.transpose(1, 0, 2).reshape(one.shape[1], -1) for one in (moved, wanted))
    return np.array([np.square(among - one).sum(axis=1).argmin() for one in paths])
