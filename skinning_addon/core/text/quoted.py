"""Foreign text, cut short enough to quote in a sentence."""

from __future__ import annotations

LONGEST = 200
"""In characters. Some parsers repeat their whole input."""


def brief(text: str) -> str:
    """Return a text, cut if it is too long for a sentence."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def shown(value: object) -> str:
    """Return a value as shown in a sentence."""
    try:
        return brief(repr(value))
    except (ValueError, RecursionError):
        # An integer with thousands of digits, or deeply nested lists.
        return f"a {type(value).__name__} too large to show"
