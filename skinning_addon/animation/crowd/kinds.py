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

MOST_FEET = 64
"""Of a character, that are held where they are planted."""

ROOM_FOR_FEET = 4
"""Feet of which states keep track at least, whether agents have as many or not."""

TRACK_SAMPLES = 64
"""Of a cycle."""

SWINGS, TOUCHES, STANDS = 0, 1, 2
"""What a foot does: it moves over the ground, however near; it is about to stand, or has just stood; it
stands.
"""


OTHERS = ("share", "smallest", "largest", "height")
"""What recordings of version 1 have not of a kind."""


@dataclass(frozen=True)
class FootContact:
    """A foot that comes down. phase: of the clip's cycle, 0 to CYCLE. name: the foot's, or the marker's."""

    phase: int
    name: str


@dataclass(frozen=True)
class FootTrack:
    """Where a foot's sole is over a cycle, seen from the agent, at times that divide it evenly.

    ahead, left: micrometres at scale SCALE, `TRACK_SAMPLES` of each. contact: `STANDS`, `TOUCHES` or `SWINGS`.
    """

    ahead: tuple[int, ...]
    left: tuple[int, ...]
    contact: tuple[int, ...]

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> FootTrack:
        """Undo `dataclasses.asdict`. Invalid data raises any of LookupError, TypeError and ValueError."""
        columns = [tuple(int(one) for one in plain[name]) for name in ("ahead", "left", "contact")]
        if any(len(one) != TRACK_SAMPLES for one in columns):
            raise ValueError("a foot's way has the wrong number of samples")
        return cls(*columns)


@dataclass(frozen=True)
class Gait:
    """A clip in a role.

    duration: of a cycle, in microseconds. stride: how far a cycle takes an agent, in micrometres; 0 for idle.
    contacts: by phase. feet: the ways of the feet that are held, at most `MOST_FEET`, in the same order in
    every gait of a kind; none if feet are only as the clip has them.
    """

    clip: str
    duration: int
    stride: int
    contacts: tuple[FootContact, ...] = ()
    feet: tuple[FootTrack, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A character in one of its variants, all in integers.

    gaits: by role: idle, walk, run. radius: micrometres around an agent that no other's may overlap. share: of
    all agents, in proportion to the other kinds' shares. smallest, largest: scale, SCALE being the character's
    own; an agent's is drawn between them, and counts in its radius and in its strides. height: how tall it
    stands at scale SCALE, in micrometres; 0 if it has no feet to hold.
    """

    gaits: tuple[Gait, Gait, Gait]
    radius: int
    share: int = 1
    smallest: int = SCALE
    largest: int = SCALE
    height: int = 0

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
                tuple(FootTrack.from_plain(one) for one in gait.get("feet", ())),
            )
            for gait in plain["gaits"]
        )
        others = {name: int(plain[name]) for name in OTHERS if name in plain}
        return cls((idle, walk, run), int(plain["radius"]), **others)
