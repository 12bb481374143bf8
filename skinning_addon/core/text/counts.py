"""Things that sentences count, singular or plural, for messages to have as arguments."""

from __future__ import annotations

from .message import Message


def bones(count: int) -> Message:
    """Return so many bones in words."""
    return Message("1 bone") if count == 1 else Message("{count:,} bones", count=count)


def helper_bones(count: int) -> Message:
    """Return so many helper bones in words."""
    return Message("1 helper bone") if count == 1 else Message("{count:,} helper bones", count=count)


def clips(count: int) -> Message:
    """Return so many clips in words."""
    return Message("1 clip") if count == 1 else Message("{count:,} clips", count=count)
