"""The frames of a check in blocks, one after the other, which several processes can measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scene.staging.clip_staging import Scanned
from .scan import FramesOf

FEWEST_FRAMES = 8
"""Of a block: preparing a clip takes as long as some frames of it."""


@dataclass(frozen=True)
class Block:
    """Frames of clips in a row. begun: the clips whose first frame is here."""

    parts: tuple[tuple[Scanned, tuple[float, ...]], ...]
    begun: tuple[Scanned, ...]

    @property
    def playbacks(self) -> tuple[Scanned, ...]:
        """What is played."""
        return tuple(playback for playback, _ in self.parts)

    @property
    def frames(self) -> int:
        """How many frames there are."""
        return sum(len(frames) for _, frames in self.parts)

    def frames_of(self, playback: Scanned) -> Sequence[float]:
        """Return the frames of one of the clips."""
        return next(frames for one, frames in self.parts if one is playback)


def blocks_of(chosen: Sequence[Scanned], frames_of: FramesOf, most: int) -> list[Block]:
    """Return all frames of the clips in at most so many blocks of about the same length, at least one."""
    all_frames = [(playback, tuple(frames_of(playback))) for playback in chosen]
    total = sum(len(frames) for _, frames in all_frames)
    target = max(FEWEST_FRAMES, -(-total // max(most, 1)))
    blocks: list[Block] = []
    parts: list[tuple[Scanned, tuple[float, ...]]] = []
    begun: list[Scanned] = []
    room = target

    def close() -> None:
        blocks.append(Block(tuple(parts), tuple(begun)))
        parts.clear()
        begun.clear()

    for playback, frames in all_frames:
        begun.append(playback)
        start = 0
        # A clip is not cut for a few frames.
        while len(frames) - start > room + target // 2:
            parts.append((playback, frames[start : start + room]))
            start += room
            close()
            room = target
        parts.append((playback, frames[start:]))
        room -= len(frames) - start
        if room <= 0:
            close()
            room = target
    if parts or begun or not blocks:
        close()
    return blocks
