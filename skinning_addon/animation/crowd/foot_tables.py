"""The feet of all kinds of agents as tables, from which agents' own feet are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from .fixed_point import CYCLE, FULL, SCALE, UNIT, Floats, Indices, Integers
from .kinds import IDLE, MOST_FEET, ROLES, SWINGS, TRACK_SAMPLES, Kind

MOMENT = (CYCLE // TRACK_SAMPLES).bit_length() - 1
"""The bits of a phase that say where between two moments of a track it is."""


@dataclass(frozen=True, eq=False)
class FootTables:
    """K kinds of agents with up to `MOST_FEET` feet each, in R rows: by kind, role and moment of the cycle.

    begins: (R, 2 F) where the feet are there, in micrometres: how far ahead of an agent all of them, then how
    far to its left. onward: (R, 2 F) the way from there to the next moment. contact: (F, R) what a foot does
    there. counts: (K,) of feet. heights: (K,) micrometres. F: MOST_FEET; those that a kind has not touch
    nothing and are nowhere.
    """

    begins: Floats
    onward: Floats
    contact: Integers
    counts: Integers
    heights: Integers

    @classmethod
    def of(cls, kinds: Sequence[Kind]) -> FootTables:
        """Gather the gaits' tracks. Kinds without a height hold no feet."""
        shape = len(kinds), len(ROLES), TRACK_SAMPLES
        ways = np.zeros((*shape, 2, MOST_FEET))
        contact = np.full((MOST_FEET, *shape), SWINGS, dtype=np.int64)
        counts = np.zeros(len(kinds), dtype=np.int64)
        for number, kind in enumerate(kinds):
            counts[number] = min(len(one.feet) for one in kind.gaits) if kind.height > 0 else 0
            for role, gait in enumerate(kind.gaits):
                for foot, track in enumerate(gait.feet[: counts[number]]):
                    ways[number, role, :, 0, foot], ways[number, role, :, 1, foot] = track.ahead, track.left
                    contact[foot, number, role] = track.contact
        return cls(
            ways.reshape(-1, 2 * MOST_FEET),
            (np.roll(ways, -1, axis=2) - ways).reshape(-1, 2 * MOST_FEET),
            contact.reshape(MOST_FEET, -1),
            counts,
            np.array([one.height for one in kinds], dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class Bodies:
    """N agents at a moment. kind, scale: see `cast.Cast`. position, heading, stride_phase, idle_phase: see
    `state.CrowdState`. weight: (3, N).
    """

    kind: Integers
    scale: Integers
    position: Integers
    heading: Integers
    stride_phase: Integers
    idle_phase: Integers
    weight: Integers

    def only(self, who: Indices) -> Bodies:
        """Return some of them."""
        return Bodies(*(getattr(self, one.name).take(who, axis=-1) for one in fields(self)))

    @classmethod
    def joined(cls, first: Bodies, second: Bodies) -> Bodies:
        """Return those of one, then those of the other."""
        pairs = ((getattr(first, one.name), getattr(second, one.name)) for one in fields(cls))
        return cls(*(np.concatenate(pair, axis=-1) for pair in pairs))

    def from_agents(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N): ahead and to the left, in micrometres at scale SCALE."""
        # Most agents hear a single gait.
        role, who = np.nonzero(self.weight > 0)
        row, part = self._moment(role, who)
        ways = tables.onward.take(row, axis=0)
        ways *= part[:, None]
        ways += tables.begins.take(row, axis=0)
        ways *= (self.weight[role, who] / float(FULL))[:, None]
        result = np.zeros((len(self.kind), 2 * MOST_FEET))
        ends = np.searchsorted(role, (*ROLES, len(ROLES)))
        for begin, end in pairwise(ends.tolist()):
            result[who[begin:end]] += ways[begin:end]
        return np.ascontiguousarray(result.T).reshape(2, MOST_FEET, -1)

    def places(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N) on the ground, in micrometres."""
        size = self.scale / float(SCALE)
        ahead, left = self.from_agents(tables) * size
        cosine, sine = self.heading / float(UNIT)
        x, y = self.position.astype(np.float64)
        return np.stack((x + (cosine * ahead - sine * left), y + (sine * ahead + cosine * left)))

    def contact(self, tables: FootTables, role: Integers, who: Indices) -> Integers:
        """Return what the feet (F, n) of some agents do in a gait (n,) of each."""
        row, _ = self._moment(role, who)
        return tables.contact.take(row, axis=1)

    def _moment(self, role: Integers, who: Indices) -> tuple[Integers, Floats]:
        """Return the rows (P,) of the tables at which agents are in gaits, and which part of the way to the
        next moment they have gone.
        """
        phase = np.where(role == IDLE, self.idle_phase[who], self.stride_phase[who])
        row = (self.kind[who] * len(ROLES) + role) * TRACK_SAMPLES + (phase >> MOMENT)
        return row, (phase & (1 << MOMENT) - 1) / float(1 << MOMENT)
