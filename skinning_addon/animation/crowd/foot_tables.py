"""The feet of all kinds of agents as tables, from which agents' own feet are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .fixed_point import CYCLE, FULL, SCALE, UNIT, Floats, Integers
from .kinds import IDLE, MOST_FEET, ROLES, SWINGS, TRACK_SAMPLES, Kind


@dataclass(frozen=True, eq=False)
class FootTables:
    """K kinds of agents with up to `MOST_FEET` feet each.

    ways: (K, 3, F, S, 2) ahead and to the left of an agent, in micrometres, by kind, role, foot and moment of
    the cycle. contact: (K, 3, F, S) what a foot does there. counts: (K,) of feet. heights: (K,) micrometres.
    F: MOST_FEET; those that a kind has not touch nothing and are nowhere. S: TRACK_SAMPLES.
    """

    ways: Floats
    contact: Integers
    counts: Integers
    heights: Integers

    @classmethod
    def of(cls, kinds: Sequence[Kind]) -> FootTables:
        """Gather the gaits' tracks. Kinds without a height hold no feet."""
        shape = len(kinds), len(ROLES), MOST_FEET, TRACK_SAMPLES
        ways, contact = np.zeros((*shape, 2)), np.full(shape, SWINGS, dtype=np.int64)
        counts = np.zeros(len(kinds), dtype=np.int64)
        for number, kind in enumerate(kinds):
            counts[number] = min(len(one.feet) for one in kind.gaits) if kind.height > 0 else 0
            for role, gait in enumerate(kind.gaits):
                for foot, track in enumerate(gait.feet[: counts[number]]):
                    ways[number, role, foot] = np.stack((track.ahead, track.left), axis=1)
                    contact[number, role, foot] = track.contact
        return cls(ways, contact, counts, np.array([one.height for one in kinds], dtype=np.int64))


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

    def from_agents(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N): ahead and to the left, in micrometres at scale SCALE."""
        result = np.zeros((2, MOST_FEET, len(self.kind)))
        for role in ROLES:
            share = self.weight[role] / float(FULL)
            if not share.any():
                continue
            at = self._phase(role) * (TRACK_SAMPLES / CYCLE)
            first = at.astype(np.int64) % TRACK_SAMPLES
            part = (at - np.floor(at))[:, None, None]
            ways = tables.ways[:, role].swapaxes(1, 2)
            before, after = ways[self.kind, first], ways[self.kind, (first + 1) % TRACK_SAMPLES]
            result += (before + (after - before) * part).transpose(2, 1, 0) * share
        return result

    def places(self, tables: FootTables) -> Floats:
        """Return where gaits have the feet (2, F, N) on the ground, in micrometres."""
        size = self.scale / float(SCALE)
        ahead, left = self.from_agents(tables) * size
        cosine, sine = self.heading / float(UNIT)
        x, y = self.position.astype(np.float64)
        return np.stack((x + (cosine * ahead - sine * left), y + (sine * ahead + cosine * left)))

    def contact(self, tables: FootTables, role: Integers) -> Integers:
        """Return what the feet (F, N) do in a gait (N,) of each agent."""
        phase = np.where(role == IDLE, self.idle_phase, self.stride_phase)
        moment = (phase * (TRACK_SAMPLES / CYCLE)).astype(np.int64) % TRACK_SAMPLES
        return tables.contact[self.kind, role, :, moment].T

    def _phase(self, role: int) -> Integers:
        return self.idle_phase if role == IDLE else self.stride_phase
