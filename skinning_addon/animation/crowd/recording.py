"""What a crowd's whole history follows from: its settings and inputs. Snapshots make jumps to any time quick.

A snapshot is the state just before a step is taken, with all inputs of that step applied.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from .ground import Ground
from .inputs import Input, InputKind
from .settings import CrowdSettings
from .state import CrowdState

SNAPSHOT_BYTES = 64_000_000
"""All snapshots together take at most this much, except that the first one and the last are always kept."""

SNAPSHOT_EVERY = 120
"""Steps between snapshots at first; twice as many whenever they take too much."""


@dataclass(eq=False)
class Recording:
    """inputs: ordered by step. snapshots: by step. every: steps between them. grounds: that inputs name."""

    settings: CrowdSettings
    inputs: list[Input] = field(default_factory=list[Input])
    snapshots: dict[int, CrowdState] = field(default_factory=dict[int, CrowdState])
    every: int = SNAPSHOT_EVERY
    grounds: list[Ground] = field(default_factory=list[Ground])
    most_bytes: int = SNAPSHOT_BYTES

    def add(self, given: Input) -> None:
        """Add an input. Whatever was recorded for later times is no longer what happens, and is dropped."""
        self.inputs = [*(one for one in self.inputs if one.step <= given.step), given]
        self.snapshots = {step: one for step, one in self.snapshots.items() if step < given.step}

    def inputs_at(self, step: int) -> list[Input]:
        """List the inputs of a step, in order."""
        begin, end = (
            find(self.inputs, step, key=lambda one: one.step) for find in (bisect_left, bisect_right)
        )
        return self.inputs[begin:end]

    def ground_at(self, step: int) -> Ground | None:
        """Return what is walked on once all inputs of a step are applied."""
        told = [one for one in self.inputs if one.kind is InputKind.GROUND and one.step <= step]
        which = told[-1].values[0] if told else -1
        return self.grounds[which] if which >= 0 else None

    def keep(self, state: CrowdState) -> None:
        """Keep a snapshot if it is time for one."""
        if state.step % self.every or state.step in self.snapshots:
            return
        self.snapshots[state.step] = state.copy()
        while self._bytes() > self.most_bytes and len(self.snapshots) > 2:
            self.every *= 2
            self.snapshots = {step: one for step, one in self.snapshots.items() if step % self.every == 0}

    def latest(self, step: int) -> CrowdState | None:
        """Return a copy of the last snapshot not after a step; None if there is none."""
        before = [one for one in self.snapshots if one <= step]
        return self.snapshots[max(before)].copy() if before else None

    def _bytes(self) -> int:
        return sum(one.bytes for one in self.snapshots.values())
