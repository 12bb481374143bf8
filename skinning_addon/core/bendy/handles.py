"""The direction and roll of a bendy bone's curve at its two ends.

A bendy bone has a handle bone at each end: its neighbors in the chain, or bones that the rigger chose.
Everything here is in the space of the *unscaled bone*: its posed matrix with the three axes made unit length.

Arrays have coordinates first, as in `vectors`; then the two ends, 0 the head and 1 the tail; then the K bendy
bones.

Source: Blender's manual, "Bendy Bones", says what each type of handle looks at; the formulas were measured on
`PoseBone.bbone_segment_matrix` (tests/scene/armatures/test_bendy_joints.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Generic, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import Float, cross, dot, squared_length
from .shape import HEAD, TAIL

_Rows: TypeAlias = Iterable[NDArray[np.float64]]

NEARLY_OPPOSITE = 2.5e-4
"""A direction this close to -Y is turned by half a turn about Z, like -Y itself."""

STANDS_STILL = 1e-5
"""A Relative handle that has moved by less than this fraction of the bone's length counts as unmoved."""

NEAR = 0.1
NEARLY_BACK = -math.sqrt(1 - 0.2**2)
HARDLY_DEFINED = 0.01
"""Below these limits, Blender's float32 rounding shows: the distance to a handle, as a fraction of the bone's
length; the Y of a direction so close to -Y that small changes turn the shortest way there far about Y; how well
a twist is defined."""

TINY = 1e-200
"""Replaces a divisor of zero when the quotient does not matter."""

_X, _Y, _Z = range(3)
_ALONG = np.array([0.0, 1.0, 0.0])[:, None, None]


class HandleKind(IntEnum):
    """How a handle bone shapes the curve."""

    NONE = 0
    """There is no handle bone: the curve is straight at this end."""
    POSITION = 1
    """The curve comes from the handle's head, or continues to its tail (Automatic and Absolute)."""
    RELATIVE = 2
    """The curve follows the displacement of the handle's head from its rest position."""
    TANGENT = 3
    """The curve follows the handle's Y axis."""


@dataclass(frozen=True, eq=False)
class Handles:
    """The handle bones of K bendy bones.

    bone: (2, K) intp, indices into the skeleton; arbitrary if there is no handle. kind: (2, K) int8, values of
    HandleKind.
    passes_through: (2, K) bool, whether bone and handle share one smooth curve, as bendy neighbors with handles
    by position do.
    lengths: (2, K) float64, of the handle bones at rest.
    """

    bone: NDArray[np.intp]
    kind: NDArray[np.int8]
    passes_through: NDArray[np.bool_]
    lengths: NDArray[np.float64]

    @cached_property
    def straight(self) -> NDArray[np.bool_]:
        """(2, K), where there is no handle."""
        return self.kind == HandleKind.NONE

    @cached_property
    def relative(self) -> NDArray[np.bool_]:
        """(2, K), where the handle is Relative."""
        return self.kind == HandleKind.RELATIVE

    @cached_property
    def tangent(self) -> NDArray[np.bool_]:
        """(2, K), where the handle is Tangent."""
        return self.kind == HandleKind.TANGENT

    @cached_property
    def rolled(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Indices into (2, K) of the ends that take their roll from the handle.

        A curve that passes through the head takes no roll there: the previous bone ends with this bone's roll.
        """
        rolled = ~self.straight
        rolled[HEAD] &= ~self.passes_through[HEAD]
        end, bone = np.nonzero(rolled)
        return end, bone


@dataclass(frozen=True, eq=False)
class UnscaledBones:
    """K bendy bones in a pose, without their scale. float64.

    heads: (K, 3), root space. root_to_axes: (K, 3, 3), inverse of the bones' axes made unit length. lengths:
    (K,), posed.
    """

    heads: NDArray[np.float64]
    root_to_axes: NDArray[np.float64]
    lengths: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CurveEnds:
    """direction: (3, 2, K) float64, unit length, along the curve. roll: (2, K) float64, radians about it.

    certain: (K,) bool, False where they depend on the last digits of the input.
    """

    direction: NDArray[np.float64]
    roll: NDArray[np.float64]
    certain: NDArray[np.bool_]


def curve_ends(
    bones: UnscaledBones,
    handles: Handles,
    to_root: NDArray[np.float64],
    rest_to_root: NDArray[np.float64],
) -> CurveEnds:
    """Return the direction and roll of bendy bones' curves at both ends.

    to_root, rest_to_root: (B, 4, 4), of all bones.
    """
    # For every handle: its three axes, and its head relative to the bone's head.
    rows = to_root[handles.bone]
    rows[..., 3, :3] -= bones.heads
    seen: NDArray[np.float64] = (rows[..., :3] @ bones.root_to_axes).transpose(2, 3, 0, 1).copy()
    axes, towards, lengths = seen[:3], seen[3], bones.lengths
    along = axes[_Y]

    towards[:, HEAD] *= -1
    towards[:, TAIL] += along[:, TAIL] * handles.lengths[TAIL]
    towards[_Y, TAIL] -= lengths
    towards[_Y] += handles.passes_through * lengths
    straight = handles.straight
    if handles.relative.any():
        way = to_root[handles.bone, 3, :3] - rest_to_root[handles.bone, 3, :3]
        travelled = np.einsum("ekc,kcd->dek", way, bones.root_to_axes)
        still = squared_length(travelled) < (STANDS_STILL * lengths) ** 2
        straight = straight | (handles.relative & still)
        np.copyto(towards, travelled, where=handles.relative)
    if handles.tangent.any():
        np.copyto(towards, along * lengths, where=handles.tangent)
    np.copyto(towards, _ALONG * lengths, where=straight)

    distance = np.sqrt(squared_length(towards))
    near = distance <= NEAR * lengths
    make_unit_or_along(towards, distance)
    roll = np.zeros_like(distance)
    certain = ~near
    rolled = handles.rolled
    roll[rolled], defined = _twist(axes[:, :, *rolled], towards[:, *rolled])
    certain[rolled] &= (defined > HARDLY_DEFINED) & (towards[_Y, *rolled] > NEARLY_BACK)
    return CurveEnds(towards, roll, certain[HEAD] & certain[TAIL])


def make_unit_or_along(vectors: NDArray[np.float64], length: NDArray[np.float64]) -> None:
    """Scale (3, ...) vectors of known length to unit length, in place; those of length 0 become the Y axis."""
    if not length.all():
        collapsed = length == 0
        length = np.where(collapsed, 1.0, length)
        vectors[_Y, collapsed] = 1.0
    vectors /= length


@dataclass(frozen=True, eq=False)
class ShortestTurn(Generic[Float]):
    """The shortest turn from Y to each of n unit vectors d.

    With h = d + e_y, the axes X and Z go to e_x - x h and e_z - z h; if d is nearly -Y, X goes to -e_x and Z
    stays.

    halfway_y: the Y of h; its X and Z are those of d. x, z: as above; 0 where d is nearly -Y.
    sign_of_x: 1, or -1 where d is nearly -Y.
    """

    halfway_y: NDArray[Float]
    x: NDArray[Float]
    z: NDArray[Float]
    sign_of_x: NDArray[Float] | float


def shortest_turn(directions: NDArray[Float]) -> ShortestTurn[Float]:
    """Find the turn for directions (3, ...), unit length."""
    y = directions[_Y]
    halfway_y = 1 + y
    backwards = y < 0
    if not backwards.any():
        return ShortestTurn(halfway_y, directions[_X] / halfway_y, directions[_Z] / halfway_y, 1.0)
    # Near -1, 1 + y would lose its digits.
    sideways = directions[_X, backwards] ** 2 + directions[_Z, backwards] ** 2
    halfway_y[backwards] = np.maximum(sideways, NEARLY_OPPOSITE**2) / (1 - y[backwards])
    opposite = np.zeros_like(backwards)
    opposite[backwards] = sideways < NEARLY_OPPOSITE**2
    x, z = directions[_X] / halfway_y, directions[_Z] / halfway_y
    x[opposite] = z[opposite] = 0.0
    return ShortestTurn(halfway_y, x, z, np.where(opposite, -1, 1).astype(y.dtype))


def _twist(
    axes: NDArray[np.float64], direction: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far axes are turned about a direction, in radians, and how well that is defined, from 0 to 1.

    axes: (3, 3, n), the axis first, then its coordinates; overwritten. direction: (3, n), unit length. The zero
    point is Y turned to the direction by the shortest way.

    The twist is twice the angle of (w, y) in the quaternion of the axes relative to that zero point; if both
    vanish, as in half a turn about X, it is undefined. Sheared axes have no quaternion of their own, so the
    result depends on the method: M. Day, "Converting a Rotation Matrix to a Quaternion", on axes made unit
    length, as measured.
    """
    lengths = np.sqrt(np.add.reduce(axes * axes, axis=1))
    axes /= np.maximum(lengths, TINY)[:, None]
    # The components of each axis along the turned X, Y and Z: m[1], for example, is the posed Y along all
    # three.
    turn = shortest_turn(direction)
    halfway = direction.copy()
    halfway[_Y] = turn.halfway_y
    along: NDArray[np.float64] = np.add.reduce(axes * halfway, axis=1)
    by_x = axes[:, _X] * turn.sign_of_x - turn.x * along
    by_y = along - axes[:, _Y]
    by_z = axes[:, _Z] - turn.z * along
    mirrored = dot(by_x, cross(by_y, by_z)) < 0
    if mirrored.any():
        for columns in (by_x, by_y, by_z):
            columns[:, mirrored] *= -1
    y, w, plus = _y_and_w(by_x, by_y, by_z)
    # For a unit quaternion, y^2 + w^2 is (1 + m11) / 2. Of q and -q, take the one whose w is not negative.
    roll = 2 * np.arctan2(np.where(w < 0, -y, y), np.abs(w))
    return roll, plus / 2


def _y_and_w(
    by_x: NDArray[np.float64], by_y: NDArray[np.float64], by_z: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return y and w, (n,) each, of the quaternions of matrices, up to a common factor, and 1 + m11.

    by_x, by_y, by_z: (3, n), the columns. Of the four formulas for a quaternion, each matrix uses the one with
    the largest divisor, as in M. Day.
    """
    m00, m10, m20 = cast("_Rows", by_x)
    m01, m11, m21 = cast("_Rows", by_y)
    m02, m12, m22 = cast("_Rows", by_z)
    y, plus = m20 - m02, 1 + m11
    w = plus + m00
    w += m22
    lower = m22 < 0
    by_z_larger = m00 < -m11
    if lower.any() or by_z_larger.any():
        about_y = y
        y = np.where(by_z_larger, m12 + m21, about_y)
        w = np.where(by_z_larger, m01 - m10, w)
        by_x_larger = m00 > m11
        y = np.where(lower, np.where(by_x_larger, m01 + m10, plus - m00 - m22), y)
        w = np.where(lower, np.where(by_x_larger, m12 - m21, about_y), w)
    return y, w, plus
