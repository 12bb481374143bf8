"""The feet of all kinds of agents as tables, from which agents' own feet are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .fixed_point import CYCLE, FULL, SCALE, UNIT, Floats, Indices, Integers
from .kinds import IDLE, ROLES, ROOM_FOR_FEET, RUN, SWINGS, TRACK_SAMPLES, WALK, Kind

MOMENT = (CYCLE // TRACK_SAMPLES).bit_length() - 1
"""The bits of a phase that say where between two moments of a track it is."""


@dataclass(frozen=True, eq=False)
class FootTables:
    """K kinds of agents with up to F feet each, in R rows: by kind, role and moment of the cycle.

    begins: (2 F, R) where the feet are there, in micrometres: how far ahead of an agent all of them, then how
    far to its left. onward: (2 F, R) the way from there to the next moment. contact: (F, R) what a foot does
    there. counts: (K,) of feet. heights: (K,) micrometres. Feet that a kind has not touch nothing and are
    nowhere.
    """

    begins: Floats
    onward: Floats
    contact: Integers
    counts: Integers
    heights: Integers

    @classmethod
    def of(cls, kinds: Sequence[Kind]) -> FootTables:
        """Gather the gaits' tracks. Kinds without a height hold no feet."""
        counts = np.array(
            [min(len(one.feet) for one in kind.gaits) if kind.height > 0 else 0 for kind in kinds],
            dtype=np.int64,
        )
        feet, shape = max(int(counts.max(initial=0)), ROOM_FOR_FEET), (len(kinds), len(ROLES), TRACK_SAMPLES)
        ways = np.zeros((2, feet, *shape))
        contact = np.full((feet, *shape), SWINGS, dtype=np.int64)
        for number, kind in enumerate(kinds):
            for role, gait in enumerate(kind.gaits):
                for foot, track in enumerate(gait.feet[: counts[number]]):
                    ways[:, foot, number, role] = track.ahead, track.left
                    contact[foot, number, role] = track.contact
        return cls(
            ways.reshape(2 * feet, -1),
            (np.roll(ways, -1, axis=-1) - ways).reshape(2 * feet, -1),
            contact.reshape(feet, -1),
            counts,
            np.array([one.height for one in kinds], dtype=np.int64),
        )

    @property
    def feet(self) -> int:
        """F."""
        return len(self.contact)

    def row(self, kind: Integers, role: Integers, phase: Integers) -> Integers:
        """Return the rows (n,) of some kinds in gaits at phases of their cycles."""
        return (kind * len(ROLES) + role) * TRACK_SAMPLES + (phase >> MOMENT)

    def contact_at(self, kind: Integers, role: Integers, phase: Integers) -> Integers:
        """Return what the feet (F, n) of some kinds do in gaits at phases of their cycles."""
        return self.contact.take(self.row(kind, role, phase), axis=1)


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

    @property
    def arrays(self) -> tuple[Integers, ...]:
        """All of it, in order."""
        return (
            self.kind, self.scale, self.position, self.heading, self.stride_phase, self.idle_phase, self.weight
        )  # fmt: skip

    def only(self, who: Indices) -> Bodies:
        """Return some of them."""
        return Bodies(*(one.take(who, axis=-1) for one in self.arrays))

    def between(self, first: int, end: int) -> Bodies:
        """Return those from `first` up to `end`, which share their arrays with these."""
        return Bodies(*(one[..., first:end] for one in self.arrays))

    @classmethod
    def joined(cls, first: Bodies, second: Bodies, who: Indices) -> Bodies:
        """Return some of one, then the same of the other."""
        pairs = zip(first.arrays, second.arrays, strict=True)
        return cls(*(np.concatenate((a.take(who, -1), b.take(who, -1)), axis=-1) for a, b in pairs))

    def from_agents(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N): ahead and to the left, in micrometres at scale SCALE."""
        idle, walk, run = self.weight > 0
        result = self.ways_in(tables, np.where(idle, IDLE, np.where(walk, WALK, RUN)))
        # Most agents hear a single gait.
        (walks,), (runs,) = np.nonzero(idle & walk), np.nonzero(run & (idle | walk))
        if walks.size or runs.size:
            others = self.only(np.concatenate((walks, runs)))
            ways = others.ways_in(tables, np.array((WALK, RUN)).repeat((len(walks), len(runs))))
            result[:, walks] += ways[:, : len(walks)]
            result[:, runs] += ways[:, len(walks) :]
        return result.reshape(2, tables.feet, -1)

    def places(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N) on the ground, in micrometres."""
        result = self.from_agents(tables)
        result *= self.scale / float(SCALE)
        ahead, left = result
        cosine, sine = self.heading / float(UNIT)
        x, y = self.position.astype(np.float64)
        along, across = cosine * ahead, cosine * left
        along -= sine * left
        across += sine * ahead
        np.add(along, x, out=result[0])
        np.add(across, y, out=result[1])
        return result

    def contact(self, tables: FootTables, role: Integers) -> Integers:
        """Return what the feet (F, N) do in a gait (N,) of each agent."""
        return tables.contact_at(self.kind, role, self._phase(role))

    def ways_in(self, tables: FootTables, role: Integers) -> Floats:
        """Return where a gait (N,) of each agent has its feet, by its weight: (2 F, N), see `FootTables`."""
        phase = self._phase(role)
        row = tables.row(self.kind, role, phase)
        ways = tables.onward.take(row, axis=1)
        # Which part of the way to the next moment they have gone.
        ways *= (phase & (1 << MOMENT) - 1) / float(1 << MOMENT)
        ways += tables.begins.take(row, axis=1)
        ways *= self.weight.take(role * len(role) + np.arange(len(role))) / float(FULL)
        return ways

    def _phase(self, role: Integers) -> Integers:
        """Return the phases (N,) of a gait of each."""
        return np.where(role == IDLE, self.idle_phase, self.stride_phase)
