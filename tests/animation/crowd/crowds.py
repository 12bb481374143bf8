"""Crowds for tests: gaits with round numbers, and measures that share no code with the crowd's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skinning_addon.animation.crowd.crowd import Crowd
from skinning_addon.animation.crowd.kinds import (
    STANDS,
    SWINGS,
    TRACK_SAMPLES,
    FootContact,
    FootTrack,
    Gait,
    Kind,
)
from skinning_addon.animation.crowd.settings import CrowdSettings

HALF_CYCLE = 1 << 31
FEET = (FootContact(1 << 28, "left"), FootContact((1 << 28) + HALF_CYCLE, "right"))
STAND = Gait("stand", 2_000_000, 0)
WALK = Gait("walk", 1_000_000, 1_400_000, FEET)
RUN = Gait("run", 700_000, 2_800_000, FEET)

RADIUS = 0.3
WALK_SPEED, RUN_SPEED = 1.4, 4.0
"""Metres a second."""


def rules(seed: int = 1, **others: object) -> CrowdSettings:
    """Make rules for agents with a radius of 0.3 m."""
    return CrowdSettings(seed, (Kind((STAND, WALK, RUN), 300_000),), **others)


APART, TALL = 100_000, 1_800_000
"""Micrometres from the middle of an agent to each of its feet, and its height."""


def walking_kind() -> Kind:
    """Make a kind whose two feet stand still beside each other, or go back and forth in turn at an even speed."""
    moments = np.arange(TRACK_SAMPLES) / TRACK_SAMPLES
    gaits: list[Gait] = []
    for gait in (STAND, WALK, RUN):
        feet: list[FootTrack] = []
        for side, begin in ((1, 0.0), (-1, 0.5)):
            phase = (moments - begin) % 1
            stands = (phase < 0.5) | (gait.stride == 0)
            back = np.where(stands, 0.25 - phase, phase - 0.75) * gait.stride
            feet.append(
                FootTrack(
                    tuple(np.rint(back).astype(int).tolist()),
                    (side * APART,) * TRACK_SAMPLES,
                    tuple(np.where(stands, STANDS, SWINGS).tolist()),
                )
            )
        gaits.append(replace(gait, feet=tuple(feet)))
    idle, walk, run = gaits
    return Kind((idle, walk, run), 300_000, height=TALL)


def crowd(count: int = 300, area: float = 20.0, seed: int = 1, **others: object) -> Crowd:
    """Make a crowd in a square."""
    return Crowd.populated(rules(seed, **others), count, (area, area))


def places(one: Crowd) -> NDArray[np.float64]:
    """Return where agents are, (N, 2) in metres."""
    return one.state.position.T / 1e6


def closest(positions: NDArray[np.float64]) -> float:
    """Measure all pairs, and return the smallest distance."""
    first, second = np.triu_indices(len(positions), 1)
    apart = positions[first] - positions[second]
    return float(np.sqrt((apart * apart).sum(axis=1).min()))
