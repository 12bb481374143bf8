"""Makes every name in a report safe to print (`core.text.printable`), and documents for programs safe to pass
through a log.

Text for people is escaped. In documents the escapes are undone on reading: JSON and XML can write any
character, or a command's, by its number; characters XML can't write at all are escaped as for people.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from ...core.text.printable import COMMANDS, is_unprintable, printable

Report = TypeVar("Report")


def printable_report(report: Report) -> Report:
    """Return a dataclass with every string in it, at any depth, as one printable line."""
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


def json_text(document: object, indent: int | None = 2) -> str:
    """Write a document as JSON without characters or commands that a terminal or a CI system would act on.

    indent: None for a single line.
    """
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    if not text.isascii() or "\x7f" in text:
        # They can only stand in strings; line feeds stand between those.
        text = "".join(
            json.dumps(letter)[1:-1] if letter != "\n" and is_unprintable(letter) else letter
            for letter in text
        )
    return COMMANDS.sub(r"\\u0023#", text) + "\n"


def xml_text(text: str) -> str:
    """Return an XML document without commands to CI systems."""
    return COMMANDS.sub("&#35;#", text)
