"""The curves of posed bendy bones: cubic Beziers, and the positions of joints along them.

In the space of the unscaled bone (see `bendy_handles`) a curve leads from the origin to (0, length, 0). Its
inner control points follow from the directions at its ends, their reach (ease), and the offsets in X and Z.
Joints are spaced evenly along it, or in a geometric series if the Y scale of the ends differs.

Arrays of vectors have coordinates first, as in `vectors`; then the J joints of a bone; then the K bendy
bones. Bones with fewer segments are padded with joints at their tail.

Source: Blender's manual, "Bendy Bones", for what each setting does; the formulas were measured on
`PoseBone.bbone_segment_matrix` (tests/scene/armatures/test_bendy_joints.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import Float, dot, squared_length
from .handles import TINY, CurveEnds, Handles
from .shape import HEAD, TAIL, BendyShape

SAMPLES = 32
"""Number of straight pieces used to measure the length along a curve."""

SMALLEST_STRETCH = 1e-4
"""Smaller Y scales, including negative ones, are clamped to this when spacing joints."""

NOT_PARTED = 0.9e-5
ROUNDING = 1e-7
"""Blender computes the reach of handles from p = 1 - cosine of the angle between the end directions, in
float32: a small p keeps few digits, and the reach may be off by a relative ROUNDING / p. Below NOT_PARTED it
treats the directions as equal."""

LITTLE = 1e-100
"""Negligible next to any length, but huge next to TINY."""

_INWARDS = np.array([[1.0], [-1.0]])
_POWERS = np.array([[1.0], [2.0], [3.0]])

_AT = np.linspace(0, 1, SAMPLES + 1)
_PIECES = np.diff(np.stack((1 - (1 - _AT) ** 3, (3 - 2 * _AT) * _AT**2, _AT**3), axis=1), axis=0)
"""Steps between control points -> steps from sample to sample, (SAMPLES, 3)."""

_FIRST, _SECOND = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
_SQUARED_PIECES = _PIECES[:, _FIRST] * _PIECES[:, _SECOND] * (1 + (_FIRST != _SECOND))
"""Products of the steps between control points -> squared lengths of the steps from sample to sample, (SAMPLES,
6)."""


@dataclass(frozen=True, eq=False)
class BendyBones:
    """K bendy bones.

    bone: (K,) intp, indices into the skeleton. segments: (K,) intp, at least 2. lengths: (K,) float64, at rest.
    """

    bone: NDArray[np.intp]
    segments: NDArray[np.intp]
    lengths: NDArray[np.float64]
    handles: Handles

    @cached_property
    def joint(self) -> NDArray[np.intp]:
        """(J, 1), joint numbers, up to the largest of any bone."""
        return np.arange(int(self.segments.max(initial=0)) + 1)[:, None]

    @cached_property
    def between(self) -> NDArray[np.float64]:
        """(J, K), 1 for joints between the first and the last of their bone, 0 for others."""
        return ((self.joint > 0) & (self.joint < self.segments)).astype(np.float64)

    @cached_property
    def along(self) -> NDArray[np.float32]:
        """(J, K), 0 at the head to 1 at the tail, including padding."""
        return np.minimum(self.joint / self.segments, 1.0).astype(np.float32)

    @cached_property
    def present(self) -> NDArray[np.float64]:
        """(J - 1, K), 1 for a bone's actual segments, 0 for padding."""
        return (self.joint[:-1] < self.segments).astype(np.float64)

    @cached_property
    def steps_of_growth(self) -> NDArray[np.float64]:
        """(K,), the number of steps from the first segment's length to the last one's."""
        return np.maximum(self.segments - 1.0, 1.0)

    @cached_property
    def last(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Indices of the last joints in arrays (J, K)."""
        return self.segments, np.arange(len(self.segments))


@dataclass(frozen=True, eq=False)
class BendyCurves:
    """K curves.

    control: (3, 4, K), control points. rounding: (K,), the relative error that the reach of the handles may
    have. offset: (2, K), the sideways shift of the inner control points.
    """

    control: NDArray[np.float64]
    rounding: NDArray[np.float64]
    offset: NDArray[np.float64]

    @cached_property
    def steps(self) -> NDArray[np.float64]:
        """(3, 3, K), from each control point to the next."""
        return self.control[:, 1:] - self.control[:, :-1]

    @cached_property
    def bends(self) -> NDArray[np.float64]:
        """(3, 2, K), from each step to the next."""
        return self.steps[:, 1:] - self.steps[:, :-1]

    @cached_property
    def products(self) -> NDArray[np.float64]:
        """(6, K), dot products of the steps: each with itself, then 0 . 1, 0 . 2 and 1 . 2."""
        return np.add.reduce(self.steps[:, _FIRST] * self.steps[:, _SECOND])

    @cached_property
    def _speed(self) -> NDArray[np.float64]:
        """(3, 3, K), coefficients of the velocity, lowest power of t first."""
        speed = np.empty_like(self.steps)
        np.multiply(self.steps[:, 0], 3, out=speed[:, 0])
        np.multiply(self.bends[:, 0], 6, out=speed[:, 1])
        np.subtract(self.bends[:, 1], self.bends[:, 0], out=speed[:, 2])
        speed[:, 2] *= 3
        return speed

    def positions(
        self, t: NDArray[np.float64], stretched: NDArray[np.float64], out: NDArray[np.float32]
    ) -> None:
        """Write the points at t (J, K) to out (3, J, K), each coordinate multiplied by `stretched` (3, K)."""
        coefficients = self._speed * (stretched[:, None] / _POWERS)
        rough = t.astype(np.float32)
        _evaluate(coefficients.astype(np.float32), rough, out)
        out *= rough

    def velocities(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the first derivative at t (J, K), (3, J, K)."""
        return _evaluate(self._speed, t)

    def accelerations(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the second derivative at t (J, K), (3, J, K)."""
        return _evaluate(self._speed[:, 1:] * _POWERS[:2], t)


def _evaluate(
    coefficients: NDArray[Float], t: NDArray[Float], out: NDArray[Float] | None = None
) -> NDArray[Float]:
    """Return polynomials at t (J, K), (3, J, K); coefficients (3, n, K), lowest power first."""
    result = np.multiply(coefficients[:, -1:], t, out=out)
    for power in range(coefficients.shape[1] - 2, 0, -1):
        result += coefficients[:, power : power + 1]
        result *= t
    result += coefficients[:, :1]
    return result


def bendy_curves(
    ends: CurveEnds, shape: BendyShape, lengths: NDArray[np.float64], scale: NDArray[np.float64]
) -> BendyCurves:
    """Make the curves.

    With ease 1 they are circular arcs if the directions allow it: by handles of 4/3 tan(angle / 4) radii,
    which are 1 / (3 cos^2(angle / 4)) chords. angle: between the two directions.

    lengths: (K,), posed. scale: (3, K), of the posed bones.
    """
    parted = 1 - dot(ends.direction[:, HEAD], ends.direction[:, TAIL])
    np.minimum(np.maximum(parted, 0.0, out=parted), 2.0, out=parted)
    rounding = (parted > NOT_PARTED) * ROUNDING / np.maximum(parted, NOT_PARTED)
    reach = shape.ease * (lengths * (2 / 3) / (1 + np.sqrt(1 - parted / 2)))
    handles = ends.direction * reach
    aside = shape.offset.transpose(2, 0, 1) * scale[0::2, None]
    control = np.zeros((3, 4, len(lengths)))
    control[1, 2:] = lengths
    control[:, 1] = handles[:, HEAD]
    control[:, 2] -= handles[:, TAIL]
    control[0::2, 1:3] += aside
    return BendyCurves(control, rounding, np.sqrt(squared_length(aside)))


def joint_parameters(
    curves: BendyCurves, bones: BendyBones, stretch: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the joints' parameters along the curves, (J, K) between 0 and 1.

    stretch: (2, K), the Y scale at the ends; the first and last segment's lengths have the same ratio.
    """
    count = len(bones.segments)
    way: NDArray[np.float64] = np.zeros((SAMPLES + 1, count))
    pieces = _SQUARED_PIECES @ curves.products
    np.sqrt(np.maximum(pieces, 0.0, out=pieces), out=pieces)
    np.add.accumulate(pieces, axis=0, out=way[1:])
    wanted: NDArray[np.float64] = _shares_of_the_way(bones, stretch) * way[-1]
    # The piece may be picked roughly: the length along the curve has no jumps.
    passed = way[1:-1, None].astype(np.float32) <= wanted.astype(np.float32)
    piece: NDArray[np.intp] = np.add.reduce(passed.view(np.uint8), dtype=np.uint8).astype(np.intp)
    # Of a (33, K) array laid out flat.
    start = piece * count
    start += bones.last[1]
    begin: NDArray[np.float64] = way.take(start)
    start += count
    extent: NDArray[np.float64] = way.take(start)
    extent -= begin
    np.maximum(extent, TINY, out=extent)
    wanted -= begin
    wanted /= extent
    # Clamps what rounding puts outside the piece.
    np.maximum(np.minimum(wanted, 1.0, out=wanted), 0.0, out=wanted)
    wanted += piece
    wanted /= SAMPLES
    return wanted


def _shares_of_the_way(bones: BendyBones, stretch: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each joint's share of the way along the curve, (J, K): sums of a geometric series."""
    head, tail = np.maximum(stretch, SMALLEST_STRETCH)
    lengths = np.empty_like(bones.present)
    lengths[0] = 1.0
    lengths[1:] = (tail / head) ** (1 / bones.steps_of_growth)
    np.multiply.accumulate(lengths, axis=0, out=lengths)
    lengths *= bones.present
    shares = np.zeros((len(lengths) + 1, len(head)))
    np.add.accumulate(lengths, axis=0, out=shares[1:])
    shares /= shares[-1].copy()
    return shares


def end_tangents(curves: BendyCurves) -> NDArray[np.float64]:
    """Return tangents (3, 2, K) at the ends of curves.

    They point along the step to the next control point; if that is short, part of the bend is mixed in, so
    that the tangent does not spin as a handle shrinks to nothing.
    """
    steps = curves.steps[:, 0::2]
    bend = curves.bends * _INWARDS
    part = np.sqrt(curves.products[0:3:2] / np.maximum(squared_length(bend), TINY))
    bend *= np.maximum(0.1 - part, 0.0)
    bend += steps
    return bend


def leaning(
    curves: BendyCurves, ease: NDArray[np.float64], lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return how far offsets tilt the curve away from its handles, (K,), at most 1."""
    handle = np.maximum(np.abs(ease), 0.1) * (lengths / 3)
    aside = curves.offset / np.maximum(handle, TINY)
    return np.minimum(np.maximum(aside[HEAD], aside[TAIL]), 1.0)


def sharpness(
    curves: BendyCurves,
    t: NDArray[np.float64],
    squared_speed: NDArray[np.float64],
    between: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how much the curves turn over a small part of their length, (K,), at the sharpest inner joint.

    With the polygon's length n, velocity v and acceleration a, a way of 1e-7 n takes 1e-7 n / |v| of t, in
    which the direction turns by at most that times |a| / |v|. Both ends are fixed: t is exact there.

    t, squared_speed: (J, K). between: (J, K), `BendyBones.between`.
    """
    polygon = np.add.reduce(np.sqrt(curves.products[:3]))
    squared = squared_length(curves.accelerations(t))
    # Without speed there is no direction, whatever the acceleration is.
    squared += LITTLE
    squared /= np.maximum(squared_speed * squared_speed, TINY)
    squared *= between
    return polygon * np.sqrt(np.maximum.reduce(squared))
