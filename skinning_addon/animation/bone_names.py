"""Bone names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.text.message import Message

NAMED_AT_MOST = 5


def named_bones(names: Sequence[str]) -> str:
    """List bone names: all if few, otherwise the first ones and how many more."""
    few = ", ".join(f"'{name}'" for name in names[:NAMED_AT_MOST])
    if len(names) <= NAMED_AT_MOST:
        return few
    return Message("{bones} and {count} more", bones=few, count=len(names) - NAMED_AT_MOST)
