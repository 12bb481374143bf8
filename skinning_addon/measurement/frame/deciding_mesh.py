"""The verdict on several meshes, and the mesh that decides it: the same for the sidebar's check and the command
line's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol, TypeVar

from ...core.verdicts.verdict import Level
from .worst_frame import WorstFrame


class Judged(Protocol):
    """A report on one mesh under one profile."""

    @property
    def worst(self) -> WorstFrame: ...


_Report = TypeVar("_Report", bound=Judged)


def deciding_mesh(meshes: Iterable[_Report]) -> _Report | None:
    """Return the mesh with the worst verdict, and of several the one that lies furthest off; None of none.

    The distance alone doesn't decide: 0.5 mm at a hand is worse than 0.9 mm at a back.
    """
    return max(
        meshes, key=lambda one: (one.worst.level or Level.SAME, _nan_is_most(one.worst.max)), default=None
    )


def level_of(meshes: Iterable[Judged]) -> Level | None:
    """Return the verdict on all meshes; None if none was measured."""
    decides = deciding_mesh(meshes)
    return None if decides is None else decides.worst.level


def _nan_is_most(distance: float) -> float:
    return math.inf if math.isnan(distance) else distance
