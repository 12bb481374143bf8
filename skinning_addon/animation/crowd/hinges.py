"""Legs as two stiff parts that knees join, and the turns that bring feet to places: in closed form.

Arrays are (..., F, n): of F legs of n agents, innermost in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rotations import Floats, normalised, to_rows

TINY = 1e-12
"""Instead of a length of zero, by which nothing can be divided."""

STRAIGHT = 0.02
"""A knee bent the wrong way by fewer radians is as good as straight: it bends the right way."""


@dataclass(frozen=True, eq=False)
class Line:
    """Where the tops, knees and feet of legs are, (3, F, n) each."""

    top: Floats
    knee: Floats
    foot: Floats


@dataclass(frozen=True, eq=False)
class Hinges:
    """Legs as two parts that knees join. upper, lower: (3, F, n). axis: (3, F, n) unit vectors about which
    knees bend. along: (F, n) how far the lower part reaches along its knee's axis.

    A knee that turns by an angle takes the foot to a distance from the top whose square is
    constant + 2 (straight cos + bent sin) of the angle. most: (F, n) the largest value of what is in brackets.
    """

    upper: Floats
    lower: Floats
    axis: Floats
    along: Floats
    straight: Floats
    bent: Floats
    most: Floats
    constant: Floats

    @classmethod
    def of(cls, line: Line, axis: Floats) -> Hinges:
        """Take them from where joints are. axis: (3, F, n) of any length."""
        upper, lower = line.knee - line.top, line.foot - line.knee
        axis = axis / np.maximum(np.sqrt(_dot(axis, axis)), TINY)
        along = _dot(axis, lower)
        straight, bent = _dot(upper, lower - axis * along), _dot(upper, _cross(axis, lower))
        constant = _dot(upper, upper) + _dot(lower, lower) + 2 * along * _dot(upper, axis)
        return cls(
            upper, lower, axis, along, straight, bent, np.sqrt(straight * straight + bent * bent), constant
        )

    @property
    def reach(self) -> Floats:
        """(F, n) how far a foot gets from the top of its leg at most, squared."""
        return self.constant + 2 * self.most

    def bring(self, way: Floats) -> tuple[Floats, Floats]:
        """Return the turns (4, F, n) of knees, and of whole legs after that, which bring feet to places
        (3, F, n), seen from the tops.
        """
        wanted = (_dot(way, way) - self.constant) / 2
        bends = self.most > 0
        angle = np.arccos(np.clip(wanted / np.where(bends, self.most, 1), -1, 1))
        whole = np.arctan2(self.bent, self.straight)
        half = np.where(bends, whole - np.where(whole < -STRAIGHT, -angle, angle), 0) / 2
        sine, cosine = np.sin(half), np.cos(half)
        turned = np.concatenate((cosine[None], self.axis * sine))
        along, ahead = self.axis * self.along, _cross(self.axis, self.lower)
        across = self.lower - along
        end = self.upper + along + across * (1 - 2 * sine * sine) + ahead * (2 * sine * cosine)
        length = np.sqrt(_dot(end, end) * _dot(way, way)) + _dot(end, way)
        return turned, normalised(np.concatenate((length[None], _cross(end, way))))


def tilted(slope: Floats) -> Floats:
    """Return the turns (4, ...) that take level ground the shortest way to slopes (2, ...), which rise by so
    much along X and along Y.
    """
    x, y = slope
    upright = 1 / np.sqrt(1 + x * x + y * y)
    return normalised(np.stack((1 + upright, y * upright, -x * upright, np.zeros_like(x))))


def turned(turn: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    """Return vectors (3, ...), three arrays (...) of components, turned by (4, ...)."""
    along_x, along_y, along_z = to_rows(turn)
    return np.stack([x * along_x[axis] + y * along_y[axis] + z * along_z[axis] for axis in range(3)])


def turn_matrices(turn: Floats) -> Floats:
    """Return the matrices (n, 4, 4) of turns (4, n)."""
    result = np.zeros((turn.shape[1], 4, 4), dtype=np.float32)
    result[:, 3, 3] = 1
    result[:, :3, :3] = np.moveaxis(np.array(to_rows(turn)), -1, 0)
    return result


def about_z(angle: Floats) -> Floats:
    """Return the turns (4, F, n) about the world's Z axis by angles."""
    result = np.zeros((4, *angle.shape), dtype=np.float32)
    result[0], result[3] = np.cos(angle / 2), np.sin(angle / 2)
    return result


def _dot(one: Floats, other: Floats) -> Floats:
    return np.einsum("c...,c...->...", one, other)


def _cross(one: Floats, other: Floats) -> Floats:
    (a, b, c), (d, e, f) = one, other
    return np.stack((b * f - c * e, c * d - a * f, a * e - b * d))
