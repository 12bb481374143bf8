"""Reports with every name in them fit to be printed (`core.text.printable`), and documents for programs fit to pass through a log.

What people read is escaped. In a document what was escaped comes out again when it is read: JSON and XML can write any character,
or that of a command, by its number; what XML can't write at all is escaped as for people.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from ...core.text.printable import COMMANDS, is_unprintable, printable

Report = TypeVar("Report")


def printable_report(report: Report) -> Report:
    """Return a dataclass with every text in it, at whatever depth, as one line of print."""
    return _printable(report)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, tuple) and value and not isinstance(value[0], int | float):
        return tuple(map(_printable, value))
    if is_dataclass(value) and not isinstance(value, type):
        own = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
        changed = {name: new for name, old in own.items() if (new := _printable(old)) is not old}
        return replace(value, **changed) if changed else value
    return value


def json_text(document: object) -> str:
    """Write a document as JSON without a character, or a command, that a terminal or a CI system would obey."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if not text.isascii() or "\x7f" in text:
        # They can only stand in strings; line feeds stand between those.
        text = "".join(
            json.dumps(letter)[1:-1] if letter != "\n" and is_unprintable(letter) else letter
            for letter in text
        )
    return COMMANDS.sub(r"\\u0023#", text) + "\n"


def xml_text(text: str) -> str:
    """Return an XML document without a command of CI systems."""
    return COMMANDS.sub("&#35;#", text)
