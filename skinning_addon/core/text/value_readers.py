"""Readers for values of TOML keys, which also say in words what they allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from .message import Message


@dataclass(frozen=True)
class Reader:
    """allowed: the allowed values, worded to follow 'it must be'. read: returns None for anything else."""

    allowed: Message
    read: Callable[[object], object]


_Choice = TypeVar("_Choice", bound=Enum)


def one_of(choices: type[_Choice]) -> Reader:
    """Read a member of an enum by its value, which is a string."""
    by_name = {str(choice.value): choice for choice in choices}
    return Reader(
        _listed(list(by_name)), lambda value: by_name.get(value) if isinstance(value, str) else None
    )


def word(*words: str) -> Reader:
    """Read one of `words`."""
    return Reader(_listed(list(words)), lambda value: value if value in words else None)


def whole(smallest: int, largest: int) -> Reader:
    """Read a whole number."""

    def read(value: object) -> int | None:
        # Not isinstance: True is an int as well.
        return value if type(value) is int and smallest <= value <= largest else None

    return Reader(
        Message("a whole number from {smallest} to {largest}", smallest=smallest, largest=largest), read
    )


def whole_or_all(smallest: int, largest: int) -> Reader:
    """Read a whole number, or "all" for None; returned as ALL, since None marks an invalid value."""
    limited = whole(smallest, largest)
    allowed = Message("{number}, or {word}", number=limited.allowed, word='"all"')
    return Reader(allowed, lambda value: ALL if value == "all" else limited.read(value))


def number(smallest: float, largest: float) -> Reader:
    """Read a number; returned as a float."""

    def read(value: object) -> float | None:
        if type(value) is not int and type(value) is not float:
            return None
        return float(value) if smallest <= value <= largest else None

    return Reader(
        Message("a number from {smallest:g} to {largest:g}", smallest=smallest, largest=largest), read
    )


def _listed(words: list[str]) -> Message:
    quoted = [f'"{word}"' for word in words]
    return Message("{words} or {last}", words=", ".join(quoted[:-1]), last=quoted[-1])


ALL = object()
"""What "all" is read as."""

FLAG = Reader(Message("true or false"), lambda value: value if isinstance(value, bool) else None)
TEXT = Reader(Message("text"), lambda value: value if isinstance(value, str) and value else None)
