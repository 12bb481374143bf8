"""Which of a clip scene's meshes a file has, and which of their vertices."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.foreign.place_matching import SamePlaces, same_places
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.meshes.blender_result import evaluated_mesh
from ...scene.meshes.mesh_reader import read_positions
from ...scene.object_data import mesh_of
from ...scene.objects.modifier_stack import armature_objects
from ...scene.staging.clip_scene import ClipScene
from .gltf_file import GltfExport
from .mesh_pairs import same_meshes
from .resting import has_keys, resting, without_keys
from .time_allowance import TimeAllowance

APART = 1e-5
"""Of the diagonal: vertices closer than this at rest are the same. Files hold positions in 32 bits."""

MOST = 0.9
"""The share of a file's vertices that must be found in Blender's mesh; else it is another one."""


@dataclass(frozen=True, eq=False)
class SeenMesh:
    """A mesh that the file has as well. object: its identity. armatures: identities of those that deform it.
    place: of the file's meshes. places: which vertices are the same.
    """

    object: str
    armatures: tuple[str, ...]
    place: int
    places: SamePlaces


@dataclass(frozen=True)
class _Named:
    object: str
    data_name: str


def seen_meshes(
    stage: ClipScene, meshes: Sequence[bpy.types.Object], file: GltfExport, allowed: TimeAllowance
) -> list[SeenMesh]:
    """Find the file's meshes in the scene, and their vertices where they lie at rest.

    Posing the meshes again is a step of the allowance: as long as a "frame" takes.
    """
    named = [_Named(identity(one), mesh_of(one).name) for one in meshes]
    pairs = list(same_meshes(named, file.meshes))
    copies = [stage.placed[named[own].object] for own, _ in pairs]
    view_layer = stage.scene.view_layers[0]
    with ExitStack() as at_rest:
        at_rest.enter_context(resting(stage.copies.values(), stage.placed.values(), view_layer))
        with_keys = [one for one in copies if has_keys(one)]
        found: dict[int, SamePlaces] = {}
        if with_keys:
            with without_keys(with_keys, view_layer):
                found = _found(stage, named, pairs, file)
        found |= _found(stage, named, [one for one in pairs if one[0] not in found], file)
        with allowed.step("frame"):
            at_rest.close()
    return [
        SeenMesh(named[own].object, tuple(map(identity, armature_objects(meshes[own]))), place, found[own])
        for own, place in pairs
        if own in found
    ]


def _found(
    stage: ClipScene, named: Sequence[_Named], pairs: Sequence[tuple[int, int]], file: GltfExport
) -> dict[int, SamePlaces]:
    """Return which vertices are the same, by the numbers of the scene's meshes, as they are shown now."""
    found = {own: _places(stage, named[own].object, file.meshes[place].rest) for own, place in pairs}
    return {own: places for own, places in found.items() if places is not None}


def _places(stage: ClipScene, mesh: str, theirs: NDArray[np.float64]) -> SamePlaces | None:
    """Return which vertices of a mesh are the file's (N, 3), at rest; None if it is another mesh."""
    copy = stage.placed[mesh]
    ours = read_positions(evaluated_mesh(copy, stage.depsgraph)).astype(np.float64)
    to_world = row_vectors(copy.evaluated_get(stage.depsgraph).matrix_world)
    # Exporters store skinned meshes in world space, or in their own if a node places them.
    for positions in (ours @ to_world[:3, :3] + to_world[3, :3], ours):
        apart = APART * float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0
        places = same_places(positions, theirs, apart)
        if len(places.matched) >= MOST * len(theirs) > 0:
            return places
    return None
