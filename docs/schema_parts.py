"""What JSON Schemas are put together from."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def text(about: str, **more: Any) -> Schema:
    """A string."""
    return {"type": "string", "description": about, **more}


def maybe_text(about: str) -> Schema:
    """A string or null."""
    return {"type": ["string", "null"], "description": about}


def flag(about: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": about}


def count(about: str, **more: Any) -> Schema:
    """A whole number from 0."""
    return {"type": "integer", "minimum": 0, "description": about, **more}


def number(about: str, **more: Any) -> Schema:
    """A finite number."""
    return {"type": "number", "description": about, **more}


def measured(about: str) -> Schema:
    """A number that may not be finite."""
    return {"type": ["number", "null"], "description": f"{about}; null if it is not finite"}


def list_of(of: Schema, about: str, **more: Any) -> Schema:
    """A list."""
    return {"type": "array", "items": of, "description": about, **more}


def one_of(values: list[Any], about: str) -> Schema:
    """One of a few values."""
    return {"enum": values, "description": about}


def object_of(about: str, /, **keys: Schema) -> Schema:
    """An object with all of these keys."""
    return {"type": "object", "description": about, "properties": keys, "required": list(keys)}


def or_null(schema: Schema) -> Schema:
    """The same, or null."""
    return {**schema, "type": [schema["type"], "null"]}


LIBRARY = maybe_text("The file that it is linked from, as seen from the checked file; null if local")

WORST_FRAME: dict[str, Schema] = {
    "max": measured("The largest distance of a vertex"),
    "rms": measured("The root mean square"),
    "p99": measured("99% of the vertices are at most this far off"),
    "relative": measured("The largest as a share of size and movement, of all frames"),
    "unit": one_of(["m"], "Of all lengths: metres"),
    "worst_vertex": number(
        "The vertex that is furthest off; -1 if there is none", type="integer", minimum=-1
    ),
    "clip": text("Its clip"),
    "frame": number("Its frame, in the clip's time"),
    "frames": count("How many frames were measured"),
    "bone": text("The bone that moves the worst vertex most"),
}
"""Keys that reports have of the frame with the largest deviation."""


SUPPRESSED = or_null(
    object_of(
        "Why a configuration or the object accepts it; null if neither does",
        reason=text("Why"),
        until=maybe_text("The last day, as 2027-03-01; null for ever"),
    )
)
