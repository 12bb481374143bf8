"""Positions from an engine, aligned with a bundle's prediction: vertices matched; axes, unit and space
solved.

Solutions come from a few exact choices (48 signed permutations, known units, three spaces), never from a fit,
so that no engine error is fitted away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import invert_affine
from ..text.errors import InvalidArrayError
from .engine_axes import EngineAxes, all_axes, nearest_unit, scale_by_extent, solve_axes
from .vertex_matching import Matches, Vertices, match_vertices

SAME_PLACE = (5e-6, 1e-4)
"""Distances within which two rest vertices are the same, as shares of the diagonal: for plain rounding, then
for engines that store positions in 16 bits."""

SAMPLE_VERTICES = 300
SAMPLE_FRAMES = 16

AS_GOOD = 0.02
"""Share of vertices by which a matching may fall short of the best and still be tried."""

MOST_CANDIDATES = 16

SAME_MESH = 0.5
"""Share of the engine's vertices that must be found; below it, the mesh is a different one."""


@dataclass(frozen=True, eq=False)
class PredictedMesh:
    """A bundle's mesh at the compared frames.

    rest: (V, 3). skinned: (F, V, 3), the prediction. Both mesh space.
    drawn_vertex: (D,), drawn_normals: (D, 3), drawn_uv: (D, 2), the vertices that are drawn.
    spaces: by name, (F, 4, 4) row-vector matrices from mesh space, in order of preference.
    """

    name: str
    rest: NDArray[np.floating]
    skinned: NDArray[np.floating]
    drawn_vertex: NDArray[np.integer]
    drawn_normals: NDArray[np.floating]
    drawn_uv: NDArray[np.floating]
    spaces: Mapping[str, NDArray[np.float64]]
    metres_per_unit: float


@dataclass(frozen=True, eq=False)
class EngineMesh:
    """An engine's output. positions: (F, N, 3). rest, normals: (N, 3); uv: (N, 2); None if not given."""

    positions: NDArray[np.float64]
    rest: NDArray[np.float64] | None = None
    normals: NDArray[np.float64] | None = None
    uv: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class EngineComparison:
    """The engine's vertices aligned with ours.

    source: (N,) our vertex for each of the engine's, -1 if none matches it. matched: 'order', or 'rest'
    if vertices were matched by rest position. ambiguous: the number with several counterparts that look alike
    but move differently; the nearest is used.
    space, axes: those of the engine's positions. unit: its name, '' if none fits.
    positions: (F, N, 3) float64, the engine's, in our mesh space.
    """

    source: NDArray[np.intp]
    matched: str
    ambiguous: int
    space: str
    axes: EngineAxes
    unit: str
    positions: NDArray[np.float64]


def compare_with_engine(
    ours: PredictedMesh, engine: EngineMesh, posed_in: str | None = None
) -> EngineComparison:
    """Match vertices and solve axes, unit and space.

    posed_in: the space that the engine's posed positions are known to be in, with our axes and unit. A mesh
    that looks the same from several sides is matched by where it is then, not only by how it moves.

    Raises:
        InvalidArrayError: the engine has a different number of vertices and no rest positions, or a different
        mesh.
    """
    if engine.rest is None:
        if engine.positions.shape[1] != len(ours.rest):
            raise InvalidArrayError(
                f"The engine has {engine.positions.shape[1]} vertices, but '{ours.name}' has "
                f"{len(ours.rest)}; add 'rest_positions' (and 'rest_normals' and 'uv') so that they "
                "can be matched."
            )
        return _read_as(ours, engine, np.arange(len(ours.rest)), "order", posed_in)
    best: tuple[tuple[int, float], EngineComparison, Matches] | None = None
    for matches in _candidates(ours, engine.rest, engine):
        source = _first_found(matches, ours)
        comparison = _read_as(ours, engine, source, "rest", posed_in)
        key = (len(matches.unmatched), _off(ours, comparison))
        if best is None or key < best[0]:
            best = key, comparison, matches
    if best is None or best[0][0] > (1 - SAME_MESH) * engine.positions.shape[1]:
        found = engine.positions.shape[1] - best[0][0] if best else 0
        raise InvalidArrayError(
            f"Only {found} of the engine's {engine.positions.shape[1]} vertices match a vertex of "
            f"'{ours.name}' at rest; compare the same mesh, and write its positions before skinning "
            "to 'rest_positions'."
        )
    return _nearest_of_ties(ours, best[1], best[2])


def _candidates(ours: PredictedMesh, rest: NDArray[np.float64], engine: EngineMesh) -> Iterator[Matches]:
    """Yield the rest matchings that find the most vertices, best first; a mirror-symmetric mesh has two."""
    sample = np.linspace(0, len(rest) - 1, min(SAMPLE_VERTICES, len(rest))).astype(int)
    drawn = ours.drawn_vertex if len(ours.drawn_vertex) else np.arange(len(ours.rest))
    tried: list[tuple[int, EngineAxes, Vertices, float]] = []
    for to_space in _different(ours.spaces):
        among = _in_space(ours, drawn, to_space[0])
        diagonal = float(np.linalg.norm(np.ptp(among.positions, axis=0))) or 1.0
        scale = scale_by_extent(among.positions, rest, ours.metres_per_unit)
        for axes in (EngineAxes(one, scale) for one in all_axes()):
            few = Vertices(axes.from_engine(rest[sample]))
            missing = len(match_vertices(few, among, SAME_PLACE[-1] * diagonal).unmatched)
            tried.append((missing, axes, among, diagonal))
    tried.sort(key=lambda one: one[0])
    most = tried[0][0] + AS_GOOD * len(sample)
    for _, axes, among, diagonal in [one for one in tried if one[0] <= most][:MOST_CANDIDATES]:
        yield _matched(axes, among, diagonal, rest, engine)


def _matched(
    axes: EngineAxes, among: Vertices, diagonal: float, rest: NDArray[np.float64], engine: EngineMesh
) -> Matches:
    turned = None if engine.normals is None else engine.normals @ axes.axes.T
    wanted = Vertices(axes.from_engine(rest), turned, engine.uv)
    ways = [wanted]
    if engine.uv is not None:
        # Some programs count v from the top of the image.
        ways.append(replace(wanted, uv=engine.uv * (1, -1) + (0, 1)))
    matches = min(
        (match_vertices(way, among, SAME_PLACE[0] * diagonal) for way in ways), key=lambda one: one.mean_cost
    )
    left = matches.unmatched
    if not len(left):
        return matches
    rounded = min(
        (match_vertices(way, among, SAME_PLACE[1] * diagonal) for way in ways), key=lambda one: one.mean_cost
    )
    new = np.isin(rounded.wanted, left)
    wanted_by = np.concatenate((matches.wanted, rounded.wanted[new]))
    order = np.argsort(wanted_by, kind="stable")
    return Matches(
        wanted_by[order],
        np.concatenate((matches.found, rounded.found[new]))[order],
        np.concatenate((matches.cost, rounded.cost[new]))[order],
        matches.count,
    )


def _different(spaces: Mapping[str, NDArray[np.float64]]) -> Iterator[NDArray[np.float64]]:
    seen: list[NDArray[np.float64]] = []
    for one in spaces.values():
        if not any(np.allclose(one[0], other[0], rtol=0, atol=1e-9) for other in seen):
            seen.append(one)
            yield one


def _in_space(ours: PredictedMesh, drawn: NDArray[np.integer], to_space: NDArray[np.float64]) -> Vertices:
    positions = ours.rest[drawn].astype(np.float64) @ to_space[:3, :3] + to_space[3, :3]
    if not len(ours.drawn_vertex):
        return Vertices(positions)
    # Normals go by the inverse transpose.
    normals = ours.drawn_normals @ np.linalg.pinv(to_space[:3, :3]).T
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return Vertices(positions, normals / np.where(length > 0, length, 1), ours.drawn_uv.astype(np.float64))


def _first_found(matches: Matches, ours: PredictedMesh) -> NDArray[np.intp]:
    source = np.full(matches.count, -1, dtype=np.intp)
    # The first of each is the best; assigned last, it wins.
    source[matches.wanted[::-1]] = _vertex_of(ours, matches.found[::-1])
    return source


def _vertex_of(ours: PredictedMesh, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
    return ours.drawn_vertex[drawn].astype(np.intp) if len(ours.drawn_vertex) else drawn


def _read_as(
    ours: PredictedMesh,
    engine: EngineMesh,
    source: NDArray[np.intp],
    matched: str,
    posed_in: str | None,
) -> EngineComparison:
    """Solve space, axes and unit of posed positions whose vertices are known, unless these are known too."""
    if posed_in is None:
        space, axes = _solved(ours, engine, source)
    else:
        space, axes = posed_in, EngineAxes(np.eye(3))
    to_mesh, _ = invert_affine(ours.spaces[space])
    return EngineComparison(
        source,
        matched,
        0,
        space,
        axes,
        nearest_unit(axes.scale, ours.metres_per_unit)[1],
        _transformed(axes.from_engine(engine.positions), to_mesh),
    )


def _solved(ours: PredictedMesh, engine: EngineMesh, source: NDArray[np.intp]) -> tuple[str, EngineAxes]:
    """Return the space and the axes in which posed positions whose vertices are known come nearest to ours."""
    known = np.flatnonzero(source >= 0)
    vertices = (
        known[np.linspace(0, len(known) - 1, min(4000, len(known))).astype(int)] if len(known) else known
    )
    frames = np.unique(np.linspace(0, len(ours.skinned) - 1, SAMPLE_FRAMES).astype(int))
    theirs = engine.positions[frames][:, vertices]
    best = (float("inf"), "", EngineAxes(np.eye(3)))
    for name, to_space in ours.spaces.items():
        expected = _transformed(ours.skinned[frames][:, source[vertices]], to_space[frames])
        axes = solve_axes(expected.reshape(-1, 3), theirs.reshape(-1, 3), ours.metres_per_unit)
        off = float(np.sqrt(np.mean((axes.from_engine(theirs) - expected) ** 2))) if theirs.size else 0.0
        # An improvement within rounding is no reason to prefer a later candidate.
        if not best[1] or off < 0.999 * best[0] - 1e-9:
            best = off, name, axes
    return best[1:]


def _off(ours: PredictedMesh, comparison: EngineComparison) -> float:
    known = comparison.source >= 0
    off = comparison.positions[:, known] - ours.skinned[:, comparison.source[known]]
    return float(np.sqrt(np.mean(off**2))) if off.size else float("inf")


def _nearest_of_ties(ours: PredictedMesh, comparison: EngineComparison, matches: Matches) -> EngineComparison:
    """If several vertices look alike at rest, take the one nearest to the engine's when posed."""
    found = _vertex_of(ours, matches.found)
    several = np.bincount(matches.wanted, minlength=matches.count)[matches.wanted] > 1
    wanted, found = matches.wanted[several], found[several]
    if not len(wanted):
        return comparison
    offset = comparison.positions[:, wanted] - ours.skinned[:, found]
    off = np.einsum("fnc,fnc->n", offset, offset)
    order = np.lexsort((off, wanted))
    wanted, found = wanted[order], found[order]
    first = np.flatnonzero(np.diff(wanted, prepend=-1))
    source = comparison.source.copy()
    source[wanted[first]] = found[first]
    chosen = ours.skinned[:, source[wanted]]
    differs = (
        (np.abs(ours.skinned[:, found] - chosen).max(axis=(0, 2)) > 0) if len(chosen) else np.zeros(0, bool)
    )
    return replace(comparison, source=source, ambiguous=len(np.unique(wanted[differs])))


def _transformed(positions: NDArray[np.floating], matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Transform (F, N, 3) positions by (F, 4, 4) row-vector matrices."""
    return positions @ matrices[:, :3, :3] + matrices[:, None, 3, :3]
