"""Frames that are worth marking on a time line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .verdict import Level


@dataclass(frozen=True)
class MarkedFrames:
    """Frames in a row that deviate alike."""

    first: float
    last: float
    level: Level


def marked_frames(levels: Mapping[float, Level]) -> Iterator[MarkedFrames]:
    """Yield the frames that are worth a look or fail, those in a row together."""
    frames = sorted(levels)
    begun: MarkedFrames | None = None
    for before, frame in zip([None, *frames], frames, strict=False):
        level = levels[frame]
        follows = begun is not None and begun.level is level and begun.last == before
        if begun is not None and follows:
            begun = MarkedFrames(begun.first, frame, level)
            continue
        if begun is not None:
            yield begun
        begun = MarkedFrames(frame, frame, level) if level >= Level.LOOK else None
    if begun is not None:
        yield begun
