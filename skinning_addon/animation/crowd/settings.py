"""What a crowd is told once: its seed, its gaits, and how its agents behave."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.text.errors import CrowdError
from .fixed_point import CYCLE, STEPS_PER_SECOND, Floats

IDLE, WALK, RUN = ROLES = (0, 1, 2)
ROLE_NAMES = ("idle", "walk", "run")

MOST_AGENTS = 100_000

FASTEST_TURN = 720.0
"""Degrees a second."""


@dataclass(frozen=True)
class FootContact:
    """A foot that comes down. phase: of the clip's cycle, 0 to CYCLE. name: the foot's, or the marker's."""

    phase: int
    name: str


@dataclass(frozen=True)
class Gait:
    """A clip in a role.

    duration: of a cycle, in microseconds. stride: how far a cycle takes an agent, in micrometres; 0 for idle.
    contacts: by phase.
    """

    clip: str
    duration: int
    stride: int
    contacts: tuple[FootContact, ...] = ()


@dataclass(frozen=True)
class CrowdSettings:
    """The rules of a crowd, all in integers except the turn rate.

    gaits: by role: idle, walk, run. radius: micrometres around an agent that no other's may overlap.
    turn_rate: degrees a second. idle, wait, patience: steps; an agent idles for `idle`, waits for `wait`
    where it is blocked, and after `patience` takes a target even if the way there is not clear. run_share:
    percentage of ways that are run. fade: steps of a cross-fade between gaits.
    """

    seed: int
    gaits: tuple[Gait, Gait, Gait]
    radius: int
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
        if self.radius <= 0:
            raise CrowdError("An agent needs a radius above 0; give a larger one.")
        for gait in self.gaits:
            if gait.duration <= 0:
                raise CrowdError(
                    "'{clip}' has no length, so it can't be played in a loop; choose another clip.",
                    clip=gait.clip,
                )
        for gait in self.gaits[WALK:]:
            if gait.stride <= 0:
                raise CrowdError(
                    "'{clip}' takes nobody anywhere; choose another clip for walking or running.",
                    clip=gait.clip,
                )

    @property
    def apart(self) -> int:
        """The distance between two agents that touch, in micrometres."""
        return 2 * self.radius

    @cached_property
    def strides(self) -> Floats:
        """(3,) micrometres a cycle, by role."""
        return np.array([float(gait.stride) for gait in self.gaits])

    @cached_property
    def rates(self) -> Floats:
        """(3,) cycles a step, by role."""
        return np.array([1e6 / (gait.duration * float(STEPS_PER_SECOND)) for gait in self.gaits])

    @cached_property
    def speeds(self) -> Floats:
        """(3,) micrometres a step, by role, when that gait alone is heard."""
        return self.strides * self.rates

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

    def stopping(self, speed: Floats) -> Floats:
        """Return how far agents still go that begin to stop after this step, at `speed` micrometres a step."""
        return speed * ((self.fade - 1) / 2)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> CrowdSettings:
        """Undo `to_plain`. Invalid data raises any of LookupError, TypeError, ValueError and CrowdError."""
        idle, walk, run = (
            Gait(
                str(gait["clip"]),
                int(gait["duration"]),
                int(gait["stride"]),
                tuple(FootContact(int(one["phase"]) % CYCLE, str(one["name"])) for one in gait["contacts"]),
            )
            for gait in plain["gaits"]
        )
        numbers = {
            name: int(plain[name])
            for name in ("seed", "radius", "idle", "wait", "patience", "run_share", "fade")
        }
        if numbers["fade"] < 1:
            raise ValueError("a fade takes at least one step")
        return cls(gaits=(idle, walk, run), turn_rate=float(plain["turn_rate"]), **numbers)
