"""What others wrote, short enough to stand in a sentence."""

from __future__ import annotations

LONGEST = 200
"""Characters. Some parsers repeat all that they were given."""


def brief(text: str) -> str:
    """Return a text, cut where it is too long for a sentence."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def shown(value: object) -> str:
    """Return a value as a sentence shows it."""
    try:
        return brief(repr(value))
    except (ValueError, RecursionError):
        # A whole number of thousands of digits, or lists within lists.
        return f"a {type(value).__name__} too large to show"
