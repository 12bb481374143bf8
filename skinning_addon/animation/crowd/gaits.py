"""The weights of the gaits while they cross-fade, and the speed and cadence that follow from them.

As keyed on the animation controller: a linear cross-fade, walk and run phase-matched (`animation.cross_fade`).
An agent's speed is that of its blended feet, so steps match the ground while gaits fade too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .cast import Cast
from .fixed_point import CYCLE, FULL, Floats, Indices, Integers, Mask
from .kinds import IDLE, ROLES, RUN, WALK
from .settings import CrowdSettings
from .state import CrowdState


def weights(state: CrowdState, settings: CrowdSettings) -> Integers:
    """Return the weights (3, N) of each agent's gaits; they add up to FULL but for rounding."""
    result = _aims(state)
    (who,) = np.nonzero(state.fade < settings.fade)
    if who.size:
        begin = state.begin[:, who]
        result[:, who] = begin + (result[:, who] - begin) * state.fade[who] // settings.fade
    return result


@dataclass(frozen=True, eq=False)
class Fades:
    """The weights (3, N) of gaits at the start of a step and at its end. fades: (N,) who is between two gaits
    at either.
    """

    before: Integers
    after: Integers
    fades: Mask


def advance_fades(state: CrowdState, settings: CrowdSettings) -> Fades:
    """Move fades on by a step. Most agents have no part in that, so both weights are computed at once."""
    before = _aims(state)
    after, fades = before.copy(), np.zeros(state.count, dtype=np.bool_)
    (who,) = np.nonzero(state.fade < settings.fade)
    if who.size:
        begin, fade = state.begin[:, who], state.fade[who]
        gap = before[:, who] - begin
        first, second = begin + gap * fade // settings.fade, begin + gap * (fade + 1) // settings.fade
        before[:, who], after[:, who] = first, second
        fades[who] = fading(first) | fading(second)
        state.fade[who] = fade + 1
    return Fades(before, after, fades)


def _aims(state: CrowdState) -> Integers:
    """Return the weights (3, N) in which fades end."""
    result = np.zeros((len(ROLES), state.count), dtype=np.int64)
    # One index is several times as fast as two.
    result.reshape(-1)[state.role * state.count + np.arange(state.count)] = FULL
    return result


def fading(weight: Integers) -> Mask:
    """Return (N,) whether each agent is between two gaits, by the weights (3, N) of all."""
    idle, walk, run = weight > 0
    return idle & (walk | run) | walk & run


def speeds(weight: Integers, cast: Cast) -> tuple[Floats, Floats]:
    """Return each agent's speed (N,) in micrometres a step, and its cadence (N,) in cycles a step."""
    walk, run = weight[WALK].astype(np.float64), weight[RUN].astype(np.float64)
    moving = walk + run
    rate = (walk * cast.rates[WALK] + run * cast.rates[RUN]) / np.maximum(moving, 1.0)
    stride = (walk * cast.strides[WALK] + run * cast.strides[RUN]) / FULL
    return stride * rate, rate


def advance_phases(state: CrowdState, cadence: Floats) -> Integers:
    """Move phases on by a step; return by how much (N,) strides did."""
    way = np.rint(cadence * CYCLE).astype(np.int64)
    state.stride_phase = (state.stride_phase + way) & (CYCLE - 1)
    idle = np.rint(state.cast.rates[IDLE] * CYCLE).astype(np.int64)
    state.idle_phase = (state.idle_phase + idle) & (CYCLE - 1)
    return way


def begin_fades(state: CrowdState, wanted: Integers, weight: Integers) -> None:
    """Begin a fade wherever another gait is wanted; who stood still begins with the first of the stride."""
    (who,) = np.nonzero(wanted != state.role)
    if not who.size:
        return
    stood: Indices = who[(weight[WALK, who] == 0) & (weight[RUN, who] == 0)]
    state.stride_phase[stood] = 0
    state.begin[:, who] = weight[:, who]
    state.role[who] = wanted[who]
    state.fade[who] = 0
