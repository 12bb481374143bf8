"""Recording meshes that no armature moves: where Blender puts their vertices, whatever moves them.

Cloth, lattices, shape keys, geometry nodes and the object's own motion alike: only the result counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.maths.scratch import scratch
from ...core.text.errors import BindingError
from ...scene.clips.playback import Playback, set_frame
from ...scene.identification import identity, object_of
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.refit.rest_of_anything import RestOfAnything, first_frame, rest_of
from .recording import whole_frames


@dataclass(frozen=True, eq=False)
class RecordedPoints:
    """A mesh over the frames of the scene.

    rest: of the mesh that bones are to move. positions: (F, V, 3) float32, world space.
    """

    rest: RestOfAnything
    frames: NDArray[np.float64]
    positions: NDArray[np.float32]


def record_points(
    scene: bpy.types.Scene,
    meshes: Sequence[bpy.types.Object],
    playback: Playback,
    progress: Callable[[float], None],
) -> list[RecordedPoints]:
    """Play the scene and record the meshes that something moves within, besides their objects' own motion.

    This plays the scene. progress: called with the finished fraction; it may raise to stop.

    Raises:
        BindingError: a mesh gets other vertices from frame to frame, or places that are no numbers.
    """
    frames = whole_frames(playback)
    first_frame(scene, meshes, frames[0])
    recorders = [_Recorder(one, len(frames)) for one in meshes]
    for number, frame in enumerate(frames):
        if number:
            set_frame(scene, frame)
        for one in recorders:
            one.take(number, frame)
        progress((number + 1) / len(frames))
    set_frame(scene, frames[0])
    first_frame(scene, meshes, frames[0])
    moving = [one for one in recorders if one.moves]
    return [RecordedPoints(rest_of(one.mesh), np.array(frames), one.positions) for one in moving]


class _Recorder:
    def __init__(self, mesh_object: bpy.types.Object, frames: int) -> None:
        self._name = identity(mesh_object)
        self._first = self._read()
        self.moves = False
        self.positions = scratch((frames, *self._first.shape), np.float32)

    @property
    def mesh(self) -> bpy.types.Object:
        return object_of(self._name)

    def take(self, number: int, frame: float) -> None:
        found = self._read()
        if found.shape != self._first.shape:
            raise BindingError(
                "'{mesh}' has {first:,} vertices at first and {found:,} at frame {frame:g}; bones need the "
                "same vertices in every frame, so apply or remove the modifier that makes others.",
                mesh=self._name,
                first=len(self._first),
                found=len(found),
                frame=frame,
            )
        if not np.isfinite(found).all():
            raise BindingError(
                "Blender puts vertices of '{mesh}' at places that are no numbers at frame {frame:g}; mend what "
                "moves them there.",
                mesh=self._name,
                frame=frame,
            )
        self.moves |= not np.array_equal(found, self._first)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        to_world = np.array(self.mesh.evaluated_get(depsgraph).matrix_world, dtype=np.float64).T
        self.positions[number] = found.astype(np.float64) @ to_world[:3, :3] + to_world[3, :3]

    def _read(self) -> NDArray[np.float32]:
        return read_positions(evaluated_mesh(self.mesh, bpy.context.evaluated_depsgraph_get()))
