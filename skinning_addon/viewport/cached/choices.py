"""What the user has chosen for Cached Playback."""

from __future__ import annotations

from dataclasses import dataclass

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class CachedChoices:
    """One scene's settings. is_on: whether it is played from memory. display: a display of the drawing layer,
    such as 'base_color'. selected_only: whether only selected characters are. scrubs: whether they
    are shown from memory while the user scrubs, too.
    """

    is_on: bool = False
    display: str = "base_color"
    selected_only: bool = False
    scrubs: bool = False
