"""What a check finds in a rig besides its deviation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

REMAINDER = "remainder"
"""The rule for the part of a mesh's deviation that no single cause explains."""


class Severity(Enum):
    """A finding's severity; an ERROR makes a check fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Suppressed:
    """Why somebody accepts a finding. until: the last day, as 2027-03-01; empty for ever."""

    reason: str
    until: str = ""

    @property
    def sentence(self) -> str:
        """The reason, with the last day in front."""
        return f"Until {self.until}: {self.reason}" if self.until else self.reason

    def __str__(self) -> str:
        return f"suppressed until {self.until}: {self.reason}" if self.until else f"suppressed: {self.reason}"


@dataclass(frozen=True)
class Finding:
    """One cause of trouble on one object.

    rule: stable identifier, such as 'preserve-volume'. object: identity of the object (`core.text.identity`),
    '' for none. message: one sentence.
    fix: what to do about it, in one sentence; empty if nothing can be done.
    vertices: the affected vertices; count: how many. deviation: metres due to this cause alone, None if not
    measured.
    clip, frame: when the deviation is that large; None if it isn't about a frame. profile: id of the profile
    concerned; empty for all. at_worst: metres due to this cause alone at the vertex and frame where the mesh is
    furthest off; None if not measured. known: whether a baseline accepts it, so that it doesn't make a check
    fail. suppressed: why a configuration or the object accepts it; None if neither does.
    """

    rule: str
    severity: Severity
    object: str
    message: str
    fix: str = ""
    vertices: tuple[int, ...] = ()
    count: int = 0
    deviation: float | None = None
    clip: str | None = None
    frame: float | None = None
    profile: str = ""
    at_worst: float | None = None
    known: bool = False
    suppressed: Suppressed | None = None

    @property
    def accepted(self) -> bool:
        """Whether it can't make a check fail."""
        return self.known or self.suppressed is not None


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings for display: by severity, then largest deviation, then object and profile."""
    order = tuple(Severity)
    return tuple(
        sorted(
            findings,
            key=lambda one: (order.index(one.severity), -(one.deviation or 0.0), one.object, one.profile),
        )
    )
