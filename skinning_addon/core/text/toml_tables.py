"""TOML files of tables that others wrote: opened, and refused in the same sentences whatever they are for.

The keys, their values and the sentences about them belong to the caller: profiles, configurations, scripts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def read_keys(
    values: Mapping[str, object],
    readers: Mapping[str, Callable[[object], object]],
    unknown: Callable[[str], SkinscopeError],
) -> dict[str, Any]:
    """Read the values of a document or a table, each by its key's reader.

    readers: by key; each returns what the value stands for, or raises.
    unknown: makes the error for a key without a reader. It is raised before any value is read.
    """
    for key in values:
        if key not in readers:
            raise unknown(key)
    return {key: readers[key](value) for key, value in values.items()}
