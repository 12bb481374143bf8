"""The kinds of agents in a crowd: how each walks, how much room it takes, and how many of them there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.text.errors import CrowdError
from .fixed_point import CYCLE, SCALE

IDLE, WALK, RUN = ROLES = (0, 1, 2)
ROLE_NAMES = ("idle", "walk", "run")

MOST_KINDS = 64
MOST_SHARE = 1000
SMALLEST, LARGEST = SCALE // 10, 10 * SCALE
"""The limits of a scale."""


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
class Kind:
    """A character in one of its variants, all in integers.

    gaits: by role: idle, walk, run. radius: micrometres around an agent that no other's may overlap. share: of
    all agents, in proportion to the other kinds' shares. smallest, largest: scale, SCALE being the character's
    own; an agent's is drawn between them, and counts in its radius and in its strides.
    """

    gaits: tuple[Gait, Gait, Gait]
    radius: int
    share: int = 1
    smallest: int = SCALE
    largest: int = SCALE

    def __post_init__(self) -> None:
        if self.radius <= 0:
            raise CrowdError("An agent needs a radius above 0; give a larger one.")
        if not 0 <= self.share <= MOST_SHARE:
            raise CrowdError(
                "A share can't be {share:,}; give 0 to {most:,}.", share=self.share, most=MOST_SHARE
            )
        if not SMALLEST <= self.smallest <= self.largest <= LARGEST:
            raise CrowdError(
                "Agents can't be scaled from {smallest:.3g} to {largest:.3g}; give two factors from "
                "{least:.3g} to {most:.3g}, the smaller one first.",
                smallest=self.smallest / SCALE,
                largest=self.largest / SCALE,
                least=SMALLEST / SCALE,
                most=LARGEST / SCALE,
            )
        for gait in self.gaits:
            if gait.duration <= 0:
                raise CrowdError(
                    "'{clip}' has no length, so it can't be played in a loop; choose another clip.",
                    clip=gait.clip,
                )
        for gait in self.gaits[WALK:]:
            if gait.stride <= 0:
                raise CrowdError(
                    "'{clip}' doesn't move the character forward; choose another clip for walking or running.",
                    clip=gait.clip,
                )

    @property
    def widest(self) -> int:
        """The radius of the largest agents, in micrometres."""
        return self.radius * self.largest // SCALE

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Kind:
        """Undo `dataclasses.asdict`. Invalid data raises any of LookupError, TypeError, ValueError and
        CrowdError. Without a share and a scale, as recordings of version 1 have it, everybody is of this kind.
        """
        idle, walk, run = (
            Gait(
                str(gait["clip"]),
                int(gait["duration"]),
                int(gait["stride"]),
                tuple(FootContact(int(one["phase"]) % CYCLE, str(one["name"])) for one in gait["contacts"]),
            )
            for gait in plain["gaits"]
        )
        others = {name: int(plain[name]) for name in ("share", "smallest", "largest") if name in plain}
        return cls((idle, walk, run), int(plain["radius"]), **others)
