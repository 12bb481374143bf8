"""TOML files of tables that others wrote: opened, and refused in the same sentences whatever they are for.

What keys and values may be is the business of who asks: profiles, configurations and scripts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from .documents import DocumentError, read_toml
from .errors import SkinscopeError
from .message import Message
from .quoted import brief, shown


def read_document(path: Path, refused: type[SkinscopeError]) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        refused: it can't be opened, or is no TOML.
    """
    try:
        return read_toml(path)
    except DocumentError as error:
        # Made here, where their templates are found for translation: whoever refuses gives its own kind of
        # error.
        unopened = Message(
            "'{path}' can't be read ({reason}); check the path.", path=brief(str(path)), reason=error
        )
        unread = Message(
            "'{path}' is not a valid TOML file ({reason}); fix or remove it.", path=path, reason=error
        )
        raise refused("{problem}", problem=unopened if error.unopened else unread) from error


def as_table(path: Path, key: str, value: object, refused: type[SkinscopeError]) -> dict[str, object]:
    """Return the value of a document's key as a table.

    Raises:
        refused: it is something else.
    """
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    problem = Message(
        "'{path}': {key} is {value}; it must be a table, [{key}].", path=path, key=key, value=shown(value)
    )
    raise refused("{problem}", problem=problem)
