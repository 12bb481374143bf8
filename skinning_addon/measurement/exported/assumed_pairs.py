"""Pairs of meshes that names don't tell: by where their vertices lie at rest, and how they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.text.errors import InvalidArrayError
from .exported_file import FileMesh
from .mesh_pairs import MeshPair
from .recording import RecordedMesh

SAME_SIZE = 1e-3
"""Of the diagonal: how far the sides of two meshes' bounding boxes may differ. Comparing all vertices of all
pairs would take minutes where a character is made of many meshes.
"""

NEAR = 0.1
"""Of the diagonal, root mean square over a few frames: a mesh further off than this is another one."""


def assumed_pairs(
    meshes: Sequence[RecordedMesh],
    file_meshes: dict[int, FileMesh],
    pair: Callable[[RecordedMesh, int], tuple[MeshPair, float]],
) -> Iterator[MeshPair]:
    """Yield pairs of meshes that are left, the nearest first. file_meshes: by their numbers in the file.

    pair: matches the vertices of two meshes, and says how far they are off in the mean, in the scene's unit;
    raises InvalidArrayError if they are not the same mesh.
    """
    found: list[tuple[float, MeshPair]] = []
    for mesh in meshes:
        for place, one in file_meshes.items():
            if not _same_size(mesh, one):
                continue
            try:
                matched, off = pair(mesh, place)
            except InvalidArrayError:
                continue
            if off <= NEAR * mesh.rest.diagonal * float(np.linalg.norm(mesh.rest_to_world[:3, :3], 2)):
                found.append((off, matched))
    taken: set[str | int] = set()
    for _, one in sorted(found, key=lambda held: held[0]):
        if not taken & {one.mesh.object, one.file_mesh}:
            taken |= {one.mesh.object, one.file_mesh}
            yield one


def _same_size(mesh: RecordedMesh, other: FileMesh) -> bool:
    """Tell whether the bounding boxes of two meshes at rest are alike, whatever the axes and the unit."""
    ours = [one.rest.positions.astype(np.float64) for one in mesh.shapes]
    world = [one @ mesh.rest_to_world[:3, :3] for one in ours]
    theirs = _sides(other.rest)
    return any(np.abs(_sides(one) - theirs).max() <= SAME_SIZE for one in (*world, *ours))


def _sides(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sides of the bounding box of (N, 3) points, (3,), ascending, as shares of its diagonal."""
    sides = np.sort(np.ptp(positions, axis=0)) if len(positions) else np.zeros(3)
    return sides / (np.linalg.norm(sides) or 1.0)
