"""Results that are kept while the file is open: when they were made, and whether they are still so."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Generic, TypeVar

ResultKey = tuple[int, str]
"""session_uid of a scene, and what it was judged for: the id of a profile, or exports."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Dated:
    """seconds: since 1970, when it was found. outdated: whether a rig has changed since."""

    seconds: float = field(default_factory=time.time)
    outdated: bool = False

    @property
    def clock(self) -> str:
        """The time of day, as '14:32'."""
        return time.strftime("%H:%M", time.localtime(self.seconds))


Result = TypeVar("Result", bound=Dated)


class DatedResults(Generic[Result]):
    """The last result for each key. Python compares objects of this class by identity, so they can be keys.

    by_name: whether they say what objects are called, so that other names make them old.
    """

    by_name: ClassVar[bool] = True

    def __init__(self) -> None:
        self._kept: dict[ResultKey, Result] = {}

    def keep_result(self, key: ResultKey, result: Result) -> None:
        """Keep a result, replacing the previous one."""
        self._kept[key] = result

    def result(self, key: ResultKey) -> Result | None:
        """Return the last result, None if there is none."""
        return self._kept.get(key)

    @property
    def every(self) -> tuple[Result, ...]:
        """All results."""
        return tuple(self._kept.values())

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._kept)

    @property
    def outdated(self) -> bool:
        """Whether a rig has changed since any of them."""
        return any(one.outdated for one in self._kept.values())

    def mark_outdated(self, keys: Iterable[ResultKey] | None = None, *, outdated: bool = True) -> bool:
        """Note that rigs have changed since these results, by default all, or that they are as they were then;
        return whether that is news.
        """
        changed = False
        for key in tuple(self._kept) if keys is None else keys:
            one = self._kept.get(key)
            if one is not None and one.outdated != outdated:
                self._kept[key] = replace(one, outdated=outdated)
                changed = True
        return changed

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._kept.clear()
