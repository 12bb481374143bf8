"""Which frames of a clip are checked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...scene.clips.playback import sample_frames
from ...scene.staging.clip_staging import Scanned


@dataclass(frozen=True)
class FrameChoice:
    """The user's choice: from start to end, both included, in each clip's own time.

    step: None for every whole frame and the two ends, whole or not.
    """

    start: float
    end: float
    step: float | None = None

    def frames_of(self, _playback: Scanned) -> Sequence[float]:
        """Return the frames; the same for every clip.

        Raises:
            UsageError: the end lies before the start, or the step is not above 0.
        """
        span = self.end - self.start
        at_most = max(0, math.ceil(span)) + 2 if math.isfinite(span) else 2
        return sample_frames(self.start, self.end, self.step, at_most=at_most)


def spread_over_clip(playback: Scanned) -> Sequence[float]:
    """Return the frames checked by default: some fifty, spread over the clip."""
    return sample_frames(playback.frame_start, playback.frame_end)
