"""Messages as JSON, so that what another process says can be translated here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from .length import Length
from .message import Clause, Continuation, Message, Sentence

KINDS: Mapping[str, type[Message]] = {one.__name__: one for one in (Message, Sentence, Clause, Continuation)}


def recorded(value: object) -> Any:
    """Return a message, or what fills one in, as JSON holds it; other objects become their text."""
    if isinstance(value, Length):
        return {"metres": value.metres, "digits": value.digits}
    if isinstance(value, Message):
        arguments = {name: recorded(one) for name, one in value.arguments.items()}
        return {"kind": type(value).__name__, "template": value.template, "arguments": arguments}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        # NumPy's floats are floats of their own kind.
        return int(value) if isinstance(value, int) else float(value)
    text = str(value)
    return recorded(text) if isinstance(text, Message) else text


def restored(value: Any) -> Any:
    """Return what was recorded.

    Raises:
        KeyError, TypeError, AttributeError: it is something else.
    """
    if not isinstance(value, dict):
        return value
    held = cast("dict[str, Any]", value)
    if "metres" in held:
        return Length(held["metres"], held["digits"])
    arguments = {name: restored(one) for name, one in held["arguments"].items()}
    return KINDS[held["kind"]](held["template"], **arguments)
