"""One input of the program, and what is right about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fuzz.program import Ran, refused, run_program, what_is_wrong

Check = Callable[[Ran], str]
"""Says what is wrong with what a run left; '' if nothing is."""


def must_be_refused(names: str) -> Check:
    """Ask for exit status 2 and one sentence that names `names`."""
    return lambda ran: refused(ran, names)


def must_come_to(status: int, more: Check = lambda _: "") -> Check:
    """Ask for an exit status, and for what `more` asks."""

    def check(ran: Ran) -> str:
        if wrong := what_is_wrong(ran):
            return wrong
        if ran.status != status:
            return (
                f"The exit status is {ran.status} instead of {status}: {ran.complaints[:1]} "
                f"{ran.output[:200]!r}"
            )
        return more(ran)

    return check


def refused_or(names: str, otherwise: Check) -> Check:
    """Allow a refusal, or else ask for what `otherwise` asks."""
    return lambda ran: refused(ran, names) if ran.status == 2 else otherwise(ran)


@dataclass(frozen=True)
class Case:
    """name: the kind of damage. argv: the program's arguments. right: what must come of it. run: runs them."""

    name: str
    argv: list[str]
    right: Check = field(repr=False)
    run: Callable[[Sequence[str]], Ran] = field(default=run_program, repr=False)
