"""Findings that somebody accepts: by a rule, for a reason, and until a day if that is not for ever.

A configuration lists them for many files (docs/ci.md); an object carries its own in a custom property.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fnmatch import fnmatchcase

from ..text.errors import ConfigError
from ..text.identity import Identity
from ..text.quoted import shown
from .finding import Suppressed

PROPERTY = "skinscope_suppress"
"""The custom property of an object, such as `influence-limit until 2027-03-01: seen from far away`. Several are
separated by `;`.
"""

_ENTRY = re.compile(r"\s*([a-z0-9-]+)(?:\s+until\s+(\S+))?\s*:\s*(\S.*?)\s*", re.DOTALL)


@dataclass(frozen=True)
class Suppression:
    """Which findings are accepted.

    rule: an identifier. reason: why; never empty. until: the last day, None for ever. object: the name of an
    object; in a configuration a pattern such as 'Crowd_*'. profile: an id; None for all. up_to: metres; what is
    further off counts; None for no limit.
    """

    rule: str
    reason: str
    until: date | None = None
    object: str = "*"
    profile: str | None = None
    up_to: float | None = None

    def covers(self, rule: str, object_name: str, profile: str, deviation: float | None) -> bool:
        """Whether it is about a finding, whatever the day. deviation: in metres; None if not measured."""
        name = Identity.of(object_name)
        return (
            rule == self.rule
            # An object's own suppression names that very object; only a configuration has patterns.
            and (name == self.object if isinstance(self.object, Identity) else _fits(name, self.object))
            and self.profile in (None, profile)
            and not self._is_beyond(deviation)
        )

    def _is_beyond(self, deviation: float | None) -> bool:
        if self.up_to is None or deviation is None:
            return False
        return math.isnan(deviation) or deviation > self.up_to

    def has_ended(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and today > self.until

    @property
    def told(self) -> Suppressed:
        """What a finding that it covers says."""
        return Suppressed(self.reason, self.until.isoformat() if self.until else "")


def _fits(name: Identity, pattern: str) -> bool:
    return fnmatchcase(name.name, pattern)


def this_day() -> date:
    """Return the day it is here."""
    return datetime.now(tz=UTC).astimezone().date()


def read_day(value: object) -> date:
    """Read a day: a date of TOML, or text.

    Raises:
        ConfigError: it is something else.
    """
    # A moment is a date too, by inheritance.
    if type(value) is date:
        return value
    try:
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise ConfigError("{value} is not a day; write one such as 2027-03-01", value=shown(value))


def read_property(value: object, owner: str, rules: Iterable[str]) -> tuple[Suppression, ...]:
    """Read an object's custom property.

    owner: the object's identity. rules: identifiers that exist.

    Raises:
        ConfigError: it has another form. The sentence has no full stop, since it ends another one.
    """
    if not isinstance(value, str):
        raise ConfigError("it is not text; write RULE: REASON, or RULE until 2027-03-01: REASON")
    known = frozenset(rules)
    return tuple(_read_entry(one, owner, known) for one in value.split(";") if one.strip())


def _read_entry(text: str, owner: str, rules: frozenset[str]) -> Suppression:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise ConfigError(
            "{text} has no reason; write RULE: REASON, or RULE until 2027-03-01: REASON",
            text=shown(text.strip()),
        )
    rule, day, reason = match.groups()
    if rule not in rules:
        raise ConfigError(
            "there is no rule {rule}; write RULE: REASON, or RULE until 2027-03-01: REASON", rule=shown(rule)
        )
    until = read_day(day) if day else None
    return Suppression(rule, reason, until, Identity.of(owner))


def written(suppressions: Sequence[Suppression]) -> str:
    """Write what `read_property` reads."""
    return "; ".join(
        f"{one.rule}{f' until {one.until.isoformat()}' if one.until else ''}: {one.reason}"
        for one in suppressions
    )


def suppressing(
    suppressions: Sequence[Suppression],
    today: date,
    *,
    rule: str,
    about: str,
    profile: str,
    deviation: float | None,
) -> Suppression | None:
    """Return the first that covers a finding today; if all that cover it have ended, the one that ended last.

    about: the identity of the finding's object. deviation: in metres; None if not measured.
    """
    covering = [one for one in suppressions if one.covers(rule, about, profile, deviation)]
    current = [one for one in covering if not one.has_ended(today)]
    return current[0] if current else max(covering, key=lambda one: one.until or date.max, default=None)
