"""The end of a sentence about a name that isn't there: the nearest names, or some of those that are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from .message import Message

AT_MOST = 10
"""More names than these are not listed."""


def offered(name: str, names: Iterable[str], listed: Sequence[str]) -> Message | None:
    """Suggest the nearest of `names`, or else the first of those listed, which all are clips; None if there are
    none.
    """
    by_lower_case = {one.casefold(): one for one in names}
    near = difflib.get_close_matches(name.casefold(), by_lower_case, n=3, cutoff=0.5)
    if near:
        *others, last = _quoted(by_lower_case[one] for one in near)
        either = Message("{names} or {last}", names=", ".join(others), last=last) if others else last
        return Message("did you mean {names}?", names=either)
    if not listed:
        return None
    if len(listed) > AT_MOST:
        some = _all_of(listed[:AT_MOST])
        return Message("there are {count}, including {names}.", count=len(listed), names=some)
    if len(listed) > 1:
        return Message("there are {names}.", names=_all_of(listed))
    return Message("there is {names}.", names=_all_of(listed))


def _all_of(names: Iterable[str]) -> str:
    *others, last = _quoted(names)
    return Message("{names} and {last}", names=", ".join(others), last=last) if others else last


def _quoted(names: Iterable[str]) -> list[str]:
    return [f"'{name}'" for name in names]
