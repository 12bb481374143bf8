"""Assigns agents their kind and scale, from the settings and the seed alone.

Kinds are dealt like cards from a shuffled deck that holds each kind as often as its share says; once a deck is
used up, the next one is shuffled. So shares are kept as exactly as possible, and raising the number of agents
changes none of those already there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from .draws import fractions
from .fixed_point import SCALE, Floats, Indices, Integers
from .settings import CrowdSettings

CARD, SIZE = -1, -2
"""Random numbers that no agent draws later: those are counted from 0."""


@dataclass(frozen=True, eq=False)
class Cast:
    """Who N agents are.

    kind: (N,) which of the settings' kinds. scale: (N,) SCALE being the character's own. radius: (N,)
    micrometres. strides: (3, N) micrometres a cycle, by role. rates: (3, N) cycles a step, by role.
    """

    kind: Integers
    scale: Integers
    radius: Integers
    strides: Floats
    rates: Floats

    @classmethod
    def of(cls, settings: CrowdSettings, count: int) -> Cast:
        """Cast the first agents of a crowd."""
        kind = _dealt(settings, count)
        who = np.arange(count)
        smallest, largest, radius = (
            np.array([getattr(one, name) for one in settings.kinds], dtype=np.int64)[kind]
            for name in ("smallest", "largest", "radius")
        )
        drawn = fractions(settings.seed, who, np.full(count, SIZE))
        scale = smallest + (drawn * (largest - smallest + 1)).astype(np.int64)
        strides = settings.strides[:, kind] * scale / SCALE
        return cls(kind, scale, np.maximum(radius * scale // SCALE, 1), strides, settings.rates[:, kind])

    def only(self, who: Indices) -> Cast:
        """Return the cast of some agents."""
        return Cast(
            self.kind[who], self.scale[who], self.radius[who], self.strides[:, who], self.rates[:, who]
        )

    @cached_property
    def speeds(self) -> Floats:
        """(3, N) micrometres a step, by role, when that gait alone is heard."""
        return self.strides * self.rates

    def speed_in(self, gait: Integers) -> Floats:
        """Return the speed (N,) of every agent in its gait (N,), in micrometres a step."""
        return self.speeds[gait, np.arange(len(gait))]


def _dealt(settings: CrowdSettings, count: int) -> Integers:
    """Return which kind (N,) each of the first agents is of."""
    shares = [one.share for one in settings.kinds]
    common = gcd(*shares)
    ends = np.cumsum(np.array(shares, dtype=np.int64) // common)
    deck = int(ends[-1])
    cards = np.arange(-(-count // deck) * deck)
    drawn = fractions(settings.seed, cards, np.full(len(cards), CARD)).reshape(-1, deck)
    # A card's rank among its deck's draws is its place in the shuffled deck.
    rank = np.argsort(np.argsort(drawn, axis=1, kind="stable"), axis=1, kind="stable")
    return np.searchsorted(ends, rank.ravel()[:count], side="right").astype(np.int64)
