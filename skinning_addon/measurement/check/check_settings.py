"""What a check measures, and how."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.profiles.profile import BLENDER, Profile
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import USUAL, Thresholds
from .frame_choice import spread_over_clip
from .scan import FramesOf


@dataclass(frozen=True)
class CheckSettings:
    """What to check, and how.

    device: 'gpu' or 'cpu', as `resolve_device` returns it. clips: names, 'all', or None for what the scene
    plays.
    tolerance: None for each profile's default, see `default_tolerance`.
    as_rendered: whether to use the render visibility of modifiers and objects instead of the viewport's.
    thresholds: what is invisible, good, and fails, in metres for a figure of the usual height.
    """

    device: str
    clips: tuple[str, ...] | None = None
    frames_of: FramesOf = spread_over_clip
    tolerance: Tolerance | None = None
    profiles: tuple[Profile, ...] = (BLENDER,)
    as_rendered: bool = False
    thresholds: Thresholds = USUAL
