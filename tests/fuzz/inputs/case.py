"""One input to the program, and its expected outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fuzz.program import Ran, refused, run_program, what_is_wrong

Check = Callable[[Ran], str]
"""Says what is wrong with the result of a run; '' if nothing is."""


def must_be_refused(names: str) -> Check:
    """Require exit status 2 and one sentence that mentions `names`."""
    return lambda ran: refused(ran, names)


def must_come_to(status: int, more: Check = lambda _: "") -> Check:
    """Require an exit status, and whatever `more` requires."""

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
    """Allow a refusal; otherwise require what `otherwise` does."""
    return lambda ran: refused(ran, names) if ran.status == 2 else otherwise(ran)


@dataclass(frozen=True)
class Case:
    """name: the kind of damage. argv: the program's arguments. right: checks the outcome. run: runs them."""

    name: str
    argv: list[str]
    right: Check = field(repr=False)
    run: Callable[[Sequence[str]], Ran] = field(default=run_program, repr=False)
