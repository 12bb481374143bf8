"""What a check has to say about a rig besides its deviation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Severity(Enum):
    """How bad a finding is; an ERROR makes a check fail."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Finding:
    """One cause of trouble on one object.

    rule: stable identifier, such as 'preserve-volume'. object: name of the object. message: one sentence.
    fix: what to do about it, in one sentence; empty where nothing can be done.
    vertices: those concerned; count: how many. deviation: metres that this cause alone makes, None if not measured.
    """

    rule: str
    severity: Severity
    object: str
    message: str
    fix: str = ""
    vertices: tuple[int, ...] = ()
    count: int = 0
    deviation: float | None = None
