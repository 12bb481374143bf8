"""Which of a clip scene's meshes a file has, and which of their vertices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.foreign.place_matching import SamePlaces, same_places
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import mesh_of
from ...scene.staging.clip_scene import ClipScene
from .gltf_file import GltfExport
from .mesh_pairs import same_meshes
from .resting import resting

APART = 1e-5
"""Of the diagonal: vertices closer than this at rest are the same. Files hold positions in 32 bits."""

MOST = 0.9
"""The share of a file's vertices that must be found in Blender's mesh; else it is another one."""


@dataclass(frozen=True, eq=False)
class SeenMesh:
    """A mesh that the file has as well. object: its identity. place: of the file's meshes. places: which
    vertices are the same.
    """

    object: str
    place: int
    places: SamePlaces


@dataclass(frozen=True)
class _Named:
    object: str
    data_name: str


def seen_meshes(stage: ClipScene, meshes: Sequence[bpy.types.Object], file: GltfExport) -> Iterator[SeenMesh]:
    """Find the file's meshes in the scene, and their vertices where they lie at rest."""
    named = [_Named(identity(one), mesh_of(one).name) for one in meshes]
    with resting(stage.copies.values(), stage.placed.values(), stage.scene.view_layers[0]):
        for own, place in same_meshes(named, file.meshes):
            copy = stage.placed[named[own].object]
            ours = read_positions(evaluated_mesh(copy, stage.depsgraph)).astype(np.float64)
            to_world = row_vectors(copy.evaluated_get(stage.depsgraph).matrix_world)
            theirs = file.meshes[place].rest
            # Exporters store skinned meshes in world space, or in their own if a node places them.
            for positions in (ours @ to_world[:3, :3] + to_world[3, :3], ours):
                apart = APART * float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0
                places = same_places(positions, theirs, apart)
                if len(places.matched) >= MOST * len(theirs) > 0:
                    yield SeenMesh(named[own].object, place, places)
                    break
