"""Pairs of a file's meshes and the scene's, and of their vertices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...core.foreign.engine_axes import solve_axes
from ...core.foreign.engine_comparison import (
    EngineComparison,
    EngineMesh,
    PredictedMesh,
    compare_with_engine,
)
from ...core.foreign.place_matching import same_places
from ...core.text.errors import InvalidArrayError
from ...core.text.identity import Identity
from .exported_file import FileMesh
from .recording import RecordedClip, RecordedMesh

NUMBER, REST = "number", "rest position"
"""How vertices were matched."""

ALIKE = 0.01
"""Share of the diagonal that vertices of the same number may be apart at rest, for shape keys and modifiers."""

MOST_ALIKE = 0.9
"""Share of vertices that must agree; if fewer do, the numbers belong to another mesh."""


SAME_PLACE = 1e-6
"""Share of the diagonal: vertices that are at most this far apart at rest share a place."""


@dataclass(frozen=True, eq=False)
class MeshPair:
    """mesh: of the scene. file_mesh: number of the file's. source: (N,) the scene's vertex for each of the
    file's, -1 if there is none. matched: how. ambiguous: how many have several counterparts at rest that move
    differently; of these the nearest is used.
    """

    mesh: RecordedMesh
    file_mesh: int
    source: NDArray[np.intp]
    matched: str
    ambiguous: int = 0

    @property
    def unmatched(self) -> int:
        """The number of the file's vertices that the scene's mesh lacks."""
        return int((self.source < 0).sum())

    @property
    def missing(self) -> NDArray[np.intp]:
        """The vertices in faces that the file lacks.

        Without numbers, one of the file's stands for all of the scene's in its place: importers split vertices
        along seams.
        """
        in_faces = np.unique(self.mesh.rest.triangles)
        missing = np.setdiff1d(in_faces, self.source).astype(np.intp)
        if self.matched == NUMBER or not len(missing):
            return missing
        positions = self.mesh.rest.positions.astype(np.float64)
        found = np.unique(self.source[self.source >= 0])
        same = same_places(positions[found], positions[missing], SAME_PLACE * self.mesh.rest.diagonal)
        return np.delete(missing, same.matched)


class NamedMesh(Protocol):
    """object: an identity. data_name: of its mesh."""

    @property
    def object(self) -> str: ...

    @property
    def data_name(self) -> str: ...


def same_meshes(meshes: Sequence[NamedMesh], file_meshes: Sequence[FileMesh]) -> Iterator[tuple[int, int]]:
    """Yield pairs (mesh of the scene, mesh of the file): by the name of the object or of the mesh, as long as
    only one of each has it, or because no others are left.
    """
    left = dict(enumerate(file_meshes))
    waiting = dict(enumerate(meshes))
    for of_file in ("name", "data_name"):
        named = _by_name([(place, getattr(held, of_file)) for place, held in left.items()])
        wanted = [
            (own, Identity.of(one.object).name if of_file == "name" else one.data_name)
            for own, one in waiting.items()
        ]
        # A name that is exactly the same comes before one that is as USD would write it.
        for written in (str, _plain):
            wanting = _by_name([(own, written(name)) for own, name in wanted if own in waiting])
            for name, owns in wanting.items():
                places = [place for place in named.get(name, ()) if place in left]
                if len(owns) == len(places) == 1:
                    yield owns[0], places[0]
                    del waiting[owns[0]], left[places[0]]
    if len(waiting) == len(left) == 1:
        yield next(iter(waiting)), next(iter(left))


def _by_name(named: Sequence[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, name in named:
        found.setdefault(name, []).append(place)
    return found


def _plain(name: str) -> str:
    """Return a name as USD writes it: letters, digits and underscores."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)


def _are_numbers(source: NDArray[np.int64], rest: NDArray[np.float64], mesh: RecordedMesh) -> bool:
    """Tell whether the file's vertex numbers are those of this mesh: whether rest positions agree."""
    if not len(source) or int(source.min()) < 0 or int(source.max()) >= mesh.rest.vertex_count:
        return False
    matrix = mesh.rest_to_world
    ours = [one.rest.positions.astype(np.float64) for one in mesh.shapes]
    world = [one @ matrix[:3, :3] + matrix[3, :3] for one in ours]
    return any(_are_alike(one[source], rest) for one in (*world, *ours))


def _are_alike(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> bool:
    """Tell whether most of (N, 3) points agree, whatever the axes, unit and origin."""
    ours, theirs = ours - np.median(ours, axis=0), theirs - np.median(theirs, axis=0)
    off = np.linalg.norm(solve_axes(ours, theirs, 1.0).from_engine(theirs) - ours, axis=1)
    diagonal = float(np.linalg.norm(np.ptp(ours, axis=0)))
    return bool((off <= ALIKE * diagonal).mean() >= MOST_ALIKE)


def pair_vertices(
    mesh: RecordedMesh,
    place: int,
    file_mesh: FileMesh,
    clip: RecordedClip,
    *,
    frames: Sequence[int],
    theirs: NDArray[np.float64],
    metres_per_unit: float,
) -> MeshPair:
    """Match the vertices of two meshes: by number if the file has numbers, or else by rest position.

    frames: indices into the clip. theirs: (F, N, 3), world positions at those frames, to tell apart vertices
    that share a rest position.

    Raises:
        InvalidArrayError: these are not the same mesh.
    """
    if file_mesh.source is not None and _are_numbers(file_mesh.source, file_mesh.rest, mesh):
        return MeshPair(mesh, place, file_mesh.source.astype(np.intp), NUMBER)
    found: list[EngineComparison] = []
    for place_in_list, shape in enumerate(mesh.shapes):
        predicted = PredictedMesh(
            name=mesh.object,
            rest=shape.rest.positions,
            skinned=clip.positions[mesh.object][frames],
            drawn_vertex=shape.drawn.source_vertex,
            drawn_normals=shape.drawn.normals,
            drawn_uv=shape.drawn.uv,
            spaces={
                "world": clip.to_world[mesh.object][frames],
                "mesh": np.tile(np.eye(4), (len(frames), 1, 1)),
                # An object that moves may be at another place at the first of the frames.
                "rest": np.tile(mesh.rest_to_world, (len(frames), 1, 1)),
            },
            metres_per_unit=metres_per_unit,
        )
        engine = EngineMesh(theirs, file_mesh.rest, file_mesh.normals, file_mesh.uv)
        try:
            found.append(compare_with_engine(predicted, engine, "world"))
        except InvalidArrayError:
            if place_in_list == len(mesh.shapes) - 1 and not found:
                raise
    best = min(found, key=lambda one: int((one.source < 0).sum()))
    return MeshPair(mesh, place, best.source, REST, best.ambiguous)
