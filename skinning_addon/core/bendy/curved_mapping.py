"""The locations of vertices along a bendy bone that is curved at rest (Blender's Curved vertex mapping).

A plane stands in each joint of the rest curve, at right angles to it. A vertex at a distance b behind joint i
and a before joint i + 1 lies at i + b / (b + a). Planes cross on the inside of the curve, where a vertex may
lie before one plane and behind the next; so the planes are searched by bisection. Then, from the last plane of
the search back to the first, the location is pulled towards the plane, so that it agrees on both sides:

    u' = (1 - share) * u + share * (1 - a * steepness)

All of this is measured in root space, after the bone's rest matrix is applied to joints and tangents. That
matters: if a rest matrix leans far back, its axes are orthonormal only to 1e-5, since Blender computes them
in float32. On the inside of the curve the location changes quickly enough to show it.

u: the location within the range of segments that ends at the plane, 0 at its far end and 1 at the plane. a: the
distance to the plane. share: 1 at the plane, 0 beyond a smoothing width. steepness: as for a range of its
length along the curve. If u puts the far end no nearer than that, planes are not crowded, and u stays.

Source: measured. `PoseBone.bbone_segment_index` was sampled where only one plane acts, and the formulas were
fitted to it; `tests/scene/armatures/test_curved_mapping.py` holds them against it elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .bones import SegmentLocations

LARGEST_WIDTH = 0.222
"""Smoothing width of the first plane of the search, in lengths of the bone."""

CHUNK = 1 << 14
"""Influences processed at once: their intermediate arrays stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class RestCurves:
    """The joints of bendy bones at rest, in root space.

    planes: (B, S + 1, 4) float64, S being the largest number of segments; a bone of s segments uses the first s
        + 1. With a position p, (p, 1) . plane is the distance of p behind the plane.
    segments: (B,) int32. lengths: (B,), from the first joint to the last. arcs: (B,), along the joints.
    """

    planes: NDArray[np.float64]
    segments: NDArray[np.int32]
    lengths: NDArray[np.float64]
    arcs: NDArray[np.float64]

    @classmethod
    def of_joints(cls, segment_to_root: NDArray[np.float64], segments: NDArray[np.int32]) -> RestCurves:
        """Group joints by bone.

        segment_to_root: (sum of s + 1, 4, 4) at rest, the joints of one bone after those of another.
        """
        largest = int(segments.max(initial=0))
        present = np.arange(largest + 1) <= segments[:, None]
        joints = np.zeros((len(segments), largest + 1, 4, 4))
        joints[present] = segment_to_root
        origins, along = joints[:, :, 3, :3], joints[:, :, 1, :3]
        norms = np.linalg.norm(along, axis=2, keepdims=True)
        tangents = np.divide(along, norms, out=np.zeros_like(along), where=norms > 0)
        planes = np.concatenate((tangents, -(tangents * origins).sum(axis=2, keepdims=True)), axis=2)
        chords = np.linalg.norm(np.diff(origins, axis=1), axis=2)
        arcs = np.where(present[:, 1:], chords, 0.0).sum(axis=1)
        last = origins[np.arange(len(segments)), segments]
        lengths = np.linalg.norm(last - origins[:, 0], axis=1)
        return cls(planes, segments.astype(np.int32), lengths, arcs)


def curved_locations(
    positions: NDArray[np.float64], bones: NDArray[np.integer], curves: RestCurves
) -> SegmentLocations:
    """Place influences along the curves of their bones.

    positions: (N, 3), root space. bones: (N,), indices into `curves`.
    """
    location = np.empty(len(bones))
    for start in range(0, len(bones), CHUNK):
        chunk = slice(start, start + CHUNK)
        location[chunk] = _locations(positions[chunk], bones[chunk], curves)
    segment = np.clip(location.astype(np.int32), 0, curves.segments[bones] - 1)
    return SegmentLocations(segment, np.clip(location - segment, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class _Turn:
    """One step of the search: the plane met, and the range of segments left, for each influence.

    first, span: (N,), the range: its first joint, and how many segments it has. distance: (N,) to the plane, at
    least 0.
    at_end: (N,), whether the plane is the end of the range, not its start. width: (N,), of smoothing.
    taken: (N,), False for influences that did not meet a plane in this turn.
    """

    first: NDArray[np.float64]
    span: NDArray[np.float64]
    distance: NDArray[np.float64]
    at_end: NDArray[np.bool_]
    width: NDArray[np.float64]
    taken: NDArray[np.bool_]


def _locations(
    positions: NDArray[np.float64], bones: NDArray[np.integer], curves: RestCurves
) -> NDArray[np.float64]:
    segments = curves.segments[bones].astype(np.intp)
    segment_arc = curves.arcs[bones] / segments
    widest = LARGEST_WIDTH * curves.lengths[bones]
    narrowing = _narrowing(widest, segment_arc, segments)

    def distance_behind(joint: NDArray[np.intp]) -> NDArray[np.float64]:
        planes = curves.planes[bones, joint]
        return np.einsum("nc,nc->n", positions, planes[:, :3]) + planes[:, 3]

    turns, start, end, width = _search(segments, distance_behind, widest, narrowing)
    behind = np.maximum(distance_behind(start), 0.0)
    ahead = np.maximum(-distance_behind(end), 0.0)
    first, one = start.astype(np.float64), np.ones(len(start))
    # The ends of the bone count as the planes met last.
    turns.append(_Turn(first, one, behind, one < 0, width, start == 0))
    turns.append(_Turn(first, one, ahead, one > 0, width, end == segments))

    between = behind + ahead
    location = first + np.divide(behind, between, out=np.zeros_like(between), where=between > 0)
    for turn in reversed(turns):
        location = np.where(turn.taken, _drawn_to_plane(location, turn, segment_arc), location)
    return location


def _search(
    segments: NDArray[np.intp],
    distance_behind: Callable[[NDArray[np.intp]], NDArray[np.float64]],
    width: NDArray[np.float64],
    narrowing: NDArray[np.float64],
) -> tuple[list[_Turn], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """Search the segment of every influence.

    Returns the turns, the joints at the segment's start and end, and the next turn's width.
    """
    turns: list[_Turn] = []
    start, end = np.zeros_like(segments), segments
    # Planes not yet ruled out. The middle one is next; of two, the one nearer to the last plane tested.
    low, high = start, segments
    middle = segments // 2
    while (searching := end - start > 1).any():
        behind = distance_behind(middle)
        before = behind < 0
        low = np.where(before, low, middle + 1)
        high = np.where(before, middle - 1, high)
        start = np.where(searching & ~before, middle, start)
        end = np.where(searching & before, middle, end)
        span = (end - start).astype(np.float64)
        turns.append(_Turn(start.astype(np.float64), span, np.abs(behind), before, width, searching))
        middle = (low + high + before) // 2
        width = np.where(searching, width * narrowing, width)
    return turns, start, end, width


def _narrowing(
    widest: NDArray[np.float64], segment_arc: NDArray[np.float64], segments: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return the factor from one turn's width to the next: after log2 of the joints the width is a segment's
    length.
    """
    turns = np.floor(np.log2(segments + 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        narrowest = np.where(widest > 0, np.minimum(segment_arc / widest, 1.0), 1.0)
    return narrowest ** (1 / turns)


def _drawn_to_plane(
    location: NDArray[np.float64], turn: _Turn, segment_arc: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Pull the locations of influences towards the plane they met, within its smoothing width."""
    arc = segment_arc * turn.span
    u = (location - turn.first) / turn.span
    u = np.where(turn.at_end, u, 1 - u)
    with np.errstate(invalid="ignore", divide="ignore"):
        nearness = np.maximum(1 - turn.distance / turn.width, 0.0)
        crowding = 1 - turn.distance / (1 - u) / arc
        share = 8 * nearness**2 / (1 + 7 * nearness)
        steepness = (1 + 3 * crowding) / (1 + 2 * crowding) / arc
        drawn = (1 - share) * u + share * (1 - turn.distance * steepness)
    u = np.where((nearness > 0) & (crowding > 0), drawn, u)
    return turn.first + turn.span * np.where(turn.at_end, u, 1 - u)
