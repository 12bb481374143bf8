"""Another program's axes and unit: the signed permutation and scale that turn our positions into its.

Row vectors: engine = ours @ axes * scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field

LETTERS = ("X", "Y", "Z")

METRES_OF_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "dm": 0.1, "km": 1000.0, "in": 0.0254, "ft": 0.3048}
"""Units that engines and file formats use; the first match is used."""

NEAR_A_UNIT = 1.1
"""A scale within this factor of a unit's is taken as that unit. The remainder, a wrong scale, then shows as
deviation."""


@dataclass(frozen=True, eq=False)
class EngineAxes:
    """axes: (3, 3) float64, one 1 or -1 in each row and column. scale: engine units per unit of ours."""

    axes: NDArray[np.float64]
    scale: float = 1.0

    def __post_init__(self) -> None:
        set_field(self, "axes", read_only("axes", self.axes, np.float64, (3, 3)))

    def from_engine(self, positions: NDArray[np.floating]) -> NDArray[np.float64]:
        """Convert the engine's positions (..., 3) to ours."""
        return positions @ self.axes.T / self.scale

    @property
    def letters(self) -> tuple[str, str, str]:
        """Our axes that match the engine's X, Y and Z, such as ('X', 'Z', '-Y') for glTF."""
        x, y, z = (_letter(self.axes[:, column]) for column in range(3))
        return x, y, z

    @property
    def mirrored(self) -> bool:
        """Whether the engine's axes are left-handed, ours being right-handed."""
        return bool(np.linalg.det(self.axes) < 0)


def _letter(column: NDArray[np.float64]) -> str:
    index = int(np.abs(column).argmax())
    return f"{'-' if column[index] < 0 else ''}{LETTERS[index]}"


def all_axes() -> NDArray[np.float64]:
    """Return all 48 signed permutations, (48, 3, 3), unchanged axes first and mirrored ones last."""
    found = [
        np.eye(3)[list(order)] * np.array(signs)[:, None]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    return np.array(sorted(found, key=lambda one: -np.linalg.det(one)))


def axes_from_directions(up: str, forward: str, handedness: str) -> NDArray[np.float64]:
    """Return the axes (3, 3) of a program in which a character that faces -Y with Z up here faces `forward`
    with `up` up.

    up, forward: 'X' to '-Z'. handedness: 'right' or 'left'.
    """
    z, y = _direction(up), -_direction(forward)
    x = np.cross(y, z)
    return np.array([x if handedness == "right" else -x, y, z])


def _direction(letter: str) -> NDArray[np.float64]:
    direction = np.zeros(3)
    direction[LETTERS.index(letter[-1])] = -1 if letter.startswith("-") else 1
    return direction


def nearest_unit(scale: float, metres_per_unit: float) -> tuple[float, str]:
    """Return the scale of the nearest unit, and its name; the scale itself and '' if none is near.

    scale: engine units per unit of ours, as measured. metres_per_unit: length of our unit.
    """
    for name, metres in METRES_OF_UNITS.items():
        meant = metres_per_unit / metres
        if 1 / NEAR_A_UNIT < scale / meant < NEAR_A_UNIT:
            return meant, name
    return scale, ""


def solve_axes(
    ours: NDArray[np.floating], engine: NDArray[np.floating], metres_per_unit: float
) -> EngineAxes:
    """Return the axes and unit that bring our positions closest to the engine's, row by row; (N, 3) each.

    Closest in the sum of squares. Deviating positions change neither, as long as they are a minority.
    """
    correlation = ours.T.astype(np.float64) @ engine
    candidates = all_axes()
    along = np.einsum("krc,rc->k", candidates, correlation)
    best = int(along.argmax())
    length = float(np.sum(ours.astype(np.float64) ** 2))
    measured = float(along[best]) / length if length > 0 else 1.0
    scale, _ = nearest_unit(measured if measured > 0 else 1.0, metres_per_unit)
    return EngineAxes(candidates[best], scale)


def scale_by_extent(
    ours: NDArray[np.floating], engine: NDArray[np.floating], metres_per_unit: float
) -> float:
    """Return the scale between two sets of points (N, 3), (M, 3), in any axes and order: 1 if either has no
    extent.
    """
    sizes = [float(np.linalg.norm(np.ptp(one, axis=0))) if len(one) else 0.0 for one in (ours, engine)]
    if min(sizes) <= 0:
        return 1.0
    return nearest_unit(sizes[1] / sizes[0], metres_per_unit)[0]
