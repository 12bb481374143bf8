"""What of a profile's prediction was compared with another program, stage by stage.

A stage that was not compared is assumed: it was read in the engine's source or documentation, or is common
knowledge. What is said of a whole prediction never exceeds its weakest stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

from ..text.message import Message


@dataclass(frozen=True)
class Evidence:
    """A comparison that agreed.

    by: the program that ran. version: of that program. rigs: how many it was compared on. figure: the largest
    distance of a vertex from the prediction, as a share of the diagonal.
    """

    by: str
    version: str
    rigs: int
    figure: float


@dataclass(frozen=True)
class Verification:
    """The stages, None if assumed.

    file: what the exporter writes. importing: what the engine reads. playback: what plays at an instant.
    skinning: what its bones do to vertices. beyond: what is known to lie beyond the prediction.
    """

    file: Evidence | None = None
    importing: Evidence | None = None
    playback: Evidence | None = None
    skinning: Evidence | None = None
    beyond: tuple[str, ...] = ()

    @property
    def stages(self) -> Mapping[str, Evidence | None]:
        """The stages' evidence, in order, by their names in a profile's file and in reports."""
        return {
            "file": self.file,
            "import": self.importing,
            "playback": self.playback,
            "skinning": self.skinning,
        }

    @property
    def complete(self) -> bool:
        """Whether every stage was verified, and so is the whole."""
        return None not in self.stages.values()

    @property
    def standing(self) -> Message:
        """What may be said of a prediction, such as "file verified; import, playback and skinning assumed"."""
        verified = [name for name, evidence in self.stages.items() if evidence is not None]
        assumed = [name for name, evidence in self.stages.items() if evidence is None]
        if not assumed:
            return Message("verified")
        if not verified:
            return Message("assumed")
        return Message(
            "{verified} verified; {assumed} assumed", verified=_listed(verified), assumed=_listed(assumed)
        )


ASSUMED = Verification()

_NAMES = {
    "file": Message("file"),
    "import": Message("import"),
    "playback": Message("playback"),
    "skinning": Message("skinning"),
}

_FIELDS = {"file": "file", "import": "importing", "playback": "playback", "skinning": "skinning"}
"""By a stage's name in a file, which may be a keyword of Python."""

ALLOWED = Message(
    "tables named file, import, playback or skinning, each with by and version (text), rigs (a whole number "
    "above 0) and figure (a number from 0 to 1), and optionally beyond, a list of strings"
)


def read_verification(value: object) -> Verification | None:
    """Read the value of a profile's key `verified`; None if it is not as `ALLOWED` says."""
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, object]", value)
    if not set(table) <= {*_FIELDS, "beyond"}:
        return None
    beyond = table.get("beyond", [])
    if not isinstance(beyond, list) or not all(
        isinstance(one, str) and one for one in cast("list[Any]", beyond)
    ):
        return None
    evidence = {_FIELDS[name]: _read_evidence(one) for name, one in table.items() if name != "beyond"}
    if None in evidence.values():
        return None
    return Verification(beyond=tuple(cast("list[str]", beyond)), **cast("dict[str, Any]", evidence))


def evidence_entry(evidence: Evidence | None) -> dict[str, object] | None:
    """Return a report's entry for a stage, which `read_verification` reads back."""
    return None if evidence is None else {one.name: getattr(evidence, one.name) for one in fields(Evidence)}


def _read_evidence(value: object) -> Evidence | None:
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, object]", value)
    if set(table) != {one.name for one in fields(Evidence)}:
        return None
    by, version, rigs, figure = (table[one.name] for one in fields(Evidence))
    if not (isinstance(by, str) and by and isinstance(version, str) and version):
        return None
    if type(rigs) is not int or rigs < 1:
        return None
    if (type(figure) is not float and type(figure) is not int) or not 0 <= figure <= 1:
        return None
    return Evidence(by, version, rigs, float(figure))


def _listed(names: list[str]) -> Message:
    if len(names) == 1:
        return _NAMES[names[0]]
    if len(names) == 2:
        return Message("{first} and {last}", first=_NAMES[names[0]], last=_NAMES[names[1]])
    return Message(
        "{first}, {second} and {last}",
        first=_NAMES[names[0]],
        second=_NAMES[names[1]],
        last=_NAMES[names[2]],
    )
