"""What a crowd is told once: its seed, its kinds of agents, and how they behave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...core.text.errors import CrowdError
from .fixed_point import SCALE, STEPS_PER_SECOND, Floats, Integers
from .foot_tables import FootTables
from .kinds import MOST_KINDS, Kind

MOST_AGENTS = 100_000

AnyFloats = TypeVar("AnyFloats", float, Floats)

FASTEST_TURN = 720.0
"""Degrees a second."""


@dataclass(frozen=True)
class CrowdSettings:
    """The rules of a crowd, all in integers except the turn rate.

    kinds: of agents. turn_rate: degrees a second. idle, wait, patience: steps; an agent idles for `idle`, waits
    for `wait` where it is blocked, and after `patience` takes a target even if the way there is not clear.
    run_share: percentage of ways that are run. fade: steps of a cross-fade between gaits.
    """

    seed: int
    kinds: tuple[Kind, ...]
    turn_rate: float = 180.0
    idle: int = 4 * STEPS_PER_SECOND
    wait: int = STEPS_PER_SECOND
    patience: int = 4 * STEPS_PER_SECOND
    run_share: int = 30
    fade: int = STEPS_PER_SECOND // 4

    def __post_init__(self) -> None:
        if not 0 < self.turn_rate <= FASTEST_TURN:
            raise CrowdError(
                "Agents can't turn by {rate:g} degrees a second; give more than 0 and at most {most:g}.",
                rate=self.turn_rate,
                most=FASTEST_TURN,
            )
        check_shares([one.share for one in self.kinds])

    @cached_property
    def widest(self) -> int:
        """The radius of the largest agents, in micrometres."""
        return max(one.widest for one in self.kinds)

    @cached_property
    def strides(self) -> Floats:
        """(3, K) micrometres a cycle at scale 1, by role and kind."""
        return np.array([[float(gait.stride) for gait in one.gaits] for one in self.kinds]).T

    @cached_property
    def rates(self) -> Floats:
        """(3, K) cycles a step, by role and kind."""
        return np.array(
            [[1e6 / (gait.duration * float(STEPS_PER_SECOND)) for gait in one.gaits] for one in self.kinds]
        ).T

    @cached_property
    def contact_phases(self) -> list[list[Integers]]:
        """The phases (P, 1) at which feet come down, by kind and role."""
        return [
            [
                np.array([[foot.phase] for foot in gait.contacts], np.int64).reshape(-1, 1)
                for gait in one.gaits
            ]
            for one in self.kinds
        ]

    @cached_property
    def foot_tables(self) -> FootTables:
        """The feet of every kind."""
        return FootTables.of(self.kinds)

    @cached_property
    def fastest(self) -> float:
        """The speed of the fastest agents, in micrometres a step."""
        largest = np.array([one.largest for one in self.kinds])
        return float((self.strides * largest / SCALE * self.rates).max())

    @cached_property
    def radians(self) -> float:
        """The angle that an agent can turn in a step."""
        return self.turn_rate * (3.141592653589793 / 180 / STEPS_PER_SECOND)

    @cached_property
    def turn(self) -> tuple[float, float]:
        """Cosine and sine of `radians`; from a series, since libraries round sine and cosine differently."""
        half = self.radians / 2
        square = half * half
        tangent = half * (1 + square * (1 / 3 + square * (2 / 15 + square * (17 / 315 + square * 62 / 2835))))
        below = 1 + tangent * tangent
        return (1 - tangent * tangent) / below, 2 * tangent / below

    def stopping(self, speed: AnyFloats) -> AnyFloats:
        """Return how far agents still go that begin to stop after this step, at `speed` micrometres a step."""
        return speed * ((self.fade - 1) / 2)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> CrowdSettings:
        """Undo `to_plain`. Invalid data raises any of LookupError, TypeError, ValueError and CrowdError.

        In recordings of version 1 there is one kind, whose gaits and radius are the settings' own.
        """
        kinds = tuple(Kind.from_plain(one) for one in plain.get("kinds", (plain,)))
        numbers = {
            name: int(plain[name]) for name in ("seed", "idle", "wait", "patience", "run_share", "fade")
        }
        if numbers["fade"] < 1:
            raise ValueError("a fade takes at least one step")
        return cls(kinds=kinds, turn_rate=float(plain["turn_rate"]), **numbers)


def check_shares(shares: Sequence[int]) -> None:
    """Refuse kinds that make no crowd.

    Raises:
        CrowdError: there are too many, or nobody is of any.
    """
    if not 1 <= len(shares) <= MOST_KINDS:
        raise CrowdError(
            "A crowd can't have {count} characters and variants; give 1 to {most}.",
            count=len(shares),
            most=MOST_KINDS,
        )
    if not any(shares):
        raise CrowdError("Nobody is of any variant: all shares are 0; give one of them a share above 0.")
