"""A crowd played step by step, and all that is noted meanwhile."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ...animation.crowd.crowd import Crowd
from ...animation.crowd.fixed_point import CYCLE, FULL, MICROMETRES, STEPS_PER_SECOND
from ...animation.crowd.footsteps import Footstep
from ...animation.crowd.gaits import weights
from ...animation.crowd.grid import Grid
from ...animation.crowd.kinds import ROLE_NAMES
from ...animation.crowd.posing import heights
from ...animation.crowd.state import CrowdState, Mode

STEP = Fraction(1, STEPS_PER_SECOND)


@dataclass(frozen=True)
class Change:
    """An agent that arrived or was blocked. time: seconds since the start."""

    time: float
    agent: int
    what: str


@dataclass(eq=False)
class Played:
    """What a crowd did.

    rows: positions, in the order of time and agent, as `crowd_files` writes them. moments: states at the
    times that were asked for. closest: metres between the two nearest agents ever; infinite if none came
    near. gap: metres between the two nearest circles ever, below 0 if they overlapped; likewise. outside: how
    far outside of the area an agent's circle was, in metres. seconds: each step's duration.
    """

    footsteps: list[Footstep] = field(default_factory=list[Footstep])
    changes: list[Change] = field(default_factory=list[Change])
    rows: list[str] = field(default_factory=list[str])
    moments: list[CrowdState] = field(default_factory=list[CrowdState])
    closest: float = math.inf
    gap: float = math.inf
    outside: float = 0.0
    seconds: list[float] = field(default_factory=list[float])


def play_crowd(
    crowd: Crowd,
    seconds: float,
    rate: float,
    moments: int,
    progress: Callable[[int, int], None],
    *,
    note: Callable[[Crowd], None] = lambda _: None,
    watch: Callable[[Crowd], None] = lambda _: None,
) -> Played:
    """Play some seconds, and measure distances after each step.

    rate: rows of positions a second. moments: states to keep, evenly spread. note: called whenever positions
    are written. watch: called after each step.
    """
    played = Played()
    steps = round(seconds * STEPS_PER_SECOND)
    kept = set(np.linspace(0, steps, moments).round().astype(int).tolist())
    written = {
        round(number * STEPS_PER_SECOND / rate) for number in range(math.floor(seconds * rate + 1e-6) + 1)
    }
    before = crowd.state.mode.copy()
    for step in range(steps + 1):
        if step:
            started = time.perf_counter()
            played.footsteps += crowd.advance(STEP)
            played.seconds.append(time.perf_counter() - started)
            played.changes += _changes(before, crowd.state)
            before = crowd.state.mode.copy()
        if step in kept:
            played.moments.append(crowd.state.copy())
        if step in written:
            played.rows += _rows(crowd)
            note(crowd)
        _measure(played, crowd)
        watch(crowd)
        progress(step, max(steps, 1))
    return played


def _changes(before: NDArray[np.int64], state: CrowdState) -> list[Change]:
    now = state.step / STEPS_PER_SECOND
    arrived = (before == Mode.MOVING) & (state.mode == Mode.IDLING)
    blocked = (before != Mode.WAITING) & (state.mode == Mode.WAITING)
    return [
        Change(now, agent, what)
        for what, who in (("arrived", arrived), ("blocked", blocked))
        for agent in np.flatnonzero(who).tolist()
    ]


def _rows(crowd: Crowd) -> list[str]:
    """Return a line for each agent; the gait is the one with the largest weight, the phase that gait's."""
    state, settings = crowd.state, crowd.settings
    gait = weights(state, settings).argmax(axis=0)
    phase = np.where(gait == 0, state.idle_phase, state.stride_phase) / CYCLE
    heading = np.degrees(np.arctan2(state.heading[1], state.heading[0]))
    x, y = state.position / MICROMETRES
    z = heights(state) / MICROMETRES
    numbers = np.stack((x, y, z, heading, phase), axis=1).tolist()
    told = zip(numbers, state.mode.tolist(), gait.tolist(), strict=True)
    now = state.step / STEPS_PER_SECOND
    return [
        f"{now:.4f},{agent},{a:.6f},{b:.6f},{c:.6f},{turned:.3f},{Mode(mode).name.lower()},"
        f"{ROLE_NAMES[role]},{share:.4f}"
        for agent, ((a, b, c, turned, share), mode, role) in enumerate(told)
    ]


def _measure(played: Played, crowd: Crowd) -> None:
    state, settings = crowd.state, crowd.settings
    first, second = Grid(state.position, state.half, 4 * settings.widest).pairs()
    if first.size:
        x, y = (state.position[:, first] - state.position[:, second]).astype(np.float64)
        apart = np.sqrt(x * x + y * y)
        room = state.cast.radius[first] + state.cast.radius[second]
        played.closest = min(played.closest, float(apart.min()) / MICROMETRES)
        played.gap = min(played.gap, float((apart - room).min()) / MICROMETRES)
    over = np.abs(state.position) + state.cast.radius - state.half[:, None]
    played.outside = max(played.outside, float(over.max()) / MICROMETRES)


def heard(state: CrowdState, crowd: Crowd) -> dict[str, int]:
    """Count agents by the gait that is heard most."""
    gait = (weights(state, crowd.settings) / FULL).argmax(axis=0)
    return {name: int((gait == role).sum()) for role, name in enumerate(ROLE_NAMES)}
