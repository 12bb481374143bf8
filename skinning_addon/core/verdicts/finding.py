"""A check's findings about a rig besides its deviation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

REMAINDER = "remainder"
"""The rule that stands for what none of a mesh's causes does alone."""


class Severity(Enum):
    """A finding's severity; an ERROR makes a check fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """One cause of trouble on one object.

    rule: stable identifier, such as 'preserve-volume'. object: identity of the object (`core.text.identity`),
    '' for none. message: one sentence.
    fix: what to do about it, in one sentence; empty where nothing can be done.
    vertices: those concerned; count: how many. deviation: metres that this cause alone makes, None if not
    measured.
    clip, frame: where it makes so much; None where no frame is concerned. profile: id of the one that it is
    about, empty where it is about all. at_worst: metres that the cause alone makes where the mesh is furthest
    off, at that vertex in that frame; None if not measured. known: whether a baseline accepts it, so that it
    makes no check fail.
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


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order in which they are read: by severity, then by what they do, then by object
    and profile.
    """
    order = tuple(Severity)
    return tuple(
        sorted(
            findings,
            key=lambda one: (order.index(one.severity), -(one.deviation or 0.0), one.object, one.profile),
        )
    )
