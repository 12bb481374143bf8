"""Whether a deviation is acceptable: fixed thresholds, and the share of the surface beyond them.

They are for a figure of 1.8 m, and scale with height; hands and face, which viewers look at, get a fifth. A
mesh fails if more than a thousandth of its surface is beyond the last threshold, or a vertex is beyond five
times that threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

HEIGHT_OF_THRESHOLDS = 1.8
"""Metres: the height of the figure that the thresholds below are meant for."""

INVISIBLE, GOOD, FAIL = 0.0001, 0.001, 0.005
"""Metres."""


@dataclass(frozen=True)
class Thresholds:
    """Upper limits of an invisible and a good deviation, and the limit for failing: metres, for that height.

    Raises ValueError if they do not ascend from 0.
    """

    invisible: float = INVISIBLE
    good: float = GOOD
    fail: float = FAIL

    def __post_init__(self) -> None:
        if not 0 < self.invisible < self.good < self.fail:
            raise ValueError(f"thresholds must ascend from 0: {self}")


USUAL = Thresholds()
"""The default thresholds."""

FINE_PARTS = 0.2
"""The fraction of the thresholds used for hands and face."""

SURFACE_THAT_FAILS = 0.001
WORST_THAT_FAILS = 5.0


class Level(IntEnum):
    """Severity of a deviation."""

    SAME = 0
    """No visible difference."""
    GOOD = 1
    LOOK = 2
    """Worth a look."""
    FAIL = 3


@dataclass(frozen=True)
class Judgement:
    """level: of the mesh. surface_good, surface_fail: shares of the surface, 0 to 1, beyond those
    thresholds.
    """

    level: Level
    surface_good: float
    surface_fail: float


def limits_of(fine: NDArray[np.bool_], height_scale: float, threshold: float = GOOD) -> NDArray[np.float64]:
    """Return each vertex's threshold (V,), in metres. fine: (V,), whether it belongs to hands or face."""
    return np.where(fine, FINE_PARTS, 1.0) * threshold * height_scale


def levels_of_frames(
    distances: NDArray[np.floating],
    areas: NDArray[np.floating],
    limits: NDArray[np.floating],
    thresholds: Thresholds = USUAL,
) -> NDArray[np.int8]:
    """Judge each of several frames as `judge` does; return their levels (F,).

    distances: (V, F), metres. areas: (V,), shares of the surface. limits: (V,), metres, up to which a vertex is
    good (`limits_of`).
    """
    relative = distances / np.asarray(limits, dtype=distances.dtype)[:, None]
    relative = np.nan_to_num(relative, nan=np.inf, posinf=np.inf)
    worst = relative.max(axis=0, initial=0.0)
    fail, invisible = thresholds.fail / thresholds.good, thresholds.invisible / thresholds.good
    surface = np.asarray(areas, dtype=distances.dtype) @ (relative > fail)
    levels = np.full(distances.shape[1], Level.SAME, dtype=np.int8)
    levels[worst > invisible] = Level.GOOD
    levels[worst > 1.0] = Level.LOOK
    levels[(surface > SURFACE_THAT_FAILS) | (worst > WORST_THAT_FAILS * fail)] = Level.FAIL
    return levels


def judge(
    distances: NDArray[np.floating],
    areas: NDArray[np.floating],
    fine: NDArray[np.bool_],
    height_scale: float,
    thresholds: Thresholds = USUAL,
) -> Judgement:
    """Judge the distances (V,), metres, of one moment; NaN is beyond every threshold.

    areas: (V,), shares of the surface; fine: (V,), whether a vertex belongs to hands or face. height_scale: the
    character's height in units of 1.8 m.
    """
    relative = np.nan_to_num(distances / limits_of(fine, height_scale, 1.0), nan=np.inf, posinf=np.inf)
    worst = float(relative.max(initial=0.0))
    surface_good, surface_fail = (
        float(areas[relative > one].sum()) for one in (thresholds.good, thresholds.fail)
    )
    if surface_fail > SURFACE_THAT_FAILS or worst > WORST_THAT_FAILS * thresholds.fail:
        level = Level.FAIL
    elif worst > thresholds.good:
        level = Level.LOOK
    else:
        level = Level.GOOD if worst > thresholds.invisible else Level.SAME
    return Judgement(level, surface_good, surface_fail)
