"""The rotation in a joint's frame, as Blender's Preserve Volume finds it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ON_A_LINE = 1e-5
"""Up to this sine of the angle between two axes, their plane is just rounding: Blender's matrices are
float32."""


def orthonormal_axes(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make the rows of (J, 3, 3) a right-handed frame: Y keeps its direction, X is made orthogonal to it.

    Where X reaches 1 or more along Y, Blender takes Z instead of X, and where X . Z reaches 1 as well (X and Z
    as long as they are), a vector made of Y's components. Those limits mean nothing; they were measured, and
    are kept since the blend depends on them. A mirrored frame comes out right-handed too: its mirroring stays
    in the scale. An axis scaled to zero is replaced by one that completes the frame, so that a bone scaled to
    zero still has a rotation.
    """
    x, y, z = axes[:, 0], axes[:, 1], axes[:, 2]
    y = _unit(y, np.cross(z, x))
    x_along_y = np.einsum("jc,jc->j", x, y)[:, None]
    x_along_z = np.einsum("jc,jc->j", x, z)[:, None]
    from_x = np.cross(y, np.cross(x, y))
    from_z = np.cross(y, z)
    from_neither = np.cross(y, np.roll(y, -1, axis=1))
    x = _unit(np.where(x_along_y < 1, from_x, np.where(x_along_z < 1, from_z, from_neither)), from_neither)
    return np.stack((x, y, np.cross(x, y)), axis=1)


def axes_of_rounding(axes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which frames (J, 3, 3) have their axes along one line, so that what `orthonormal_axes` finds is
    rounding.

    Users don't set this, but constraints cause it. An axis of exactly length 0 doesn't count: there Blender's
    choice is known.
    """
    x, y, z = axes[:, 0], axes[:, 1], axes[:, 2]
    other = np.where((np.einsum("jc,jc->j", x, _unit(y, x)) < 1)[:, None], x, z)
    lengths = np.linalg.norm(y, axis=1) * np.linalg.norm(other, axis=1)
    return (lengths > 0) & (np.linalg.norm(np.cross(y, other), axis=1) <= ON_A_LINE * lengths)


def _unit(vectors: NDArray[np.float64], instead: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale to unit length; vectors without length become `instead`, or failing that the X axis."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    other = np.linalg.norm(instead, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        fallback = np.where(other > 0, instead / other, np.array([1.0, 0.0, 0.0]))
        return np.where(length > 0, vectors / length, fallback)
