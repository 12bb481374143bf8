"""The two kinds of game-ready copy."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """Of a copy. RUNTIME: authored bones move exactly as they did, so that clips can be blended and retargeted.
    BAKED: bones move as suits each clip, which comes nearer but can only be played as it is.
    """

    RUNTIME = "runtime"
    BAKED = "baked"
