"""At which frames strips of the NLA play a part of their action: an edit of it changes no others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy

from .curve_spans import ALL, Span

MOST_REPEATS = 1000
"""A strip with more of them counts as if its whole action had changed."""

SLACK = 0.01
"""Frames that a span is widened by, on both sides: Blender computes a strip's times in single precision."""


@dataclass(frozen=True)
class StripTime:
    """When a strip plays which frames of its action. start, end: in the scene. first, last: of the action.
    scale: frames of the scene for each of the action. repeat: how often it plays, as it is set. holds: whether
    it is also seen before and after.
    """

    start: float
    end: float
    first: float
    last: float
    scale: float
    repeat: float
    is_reversed: bool
    holds: bool

    @classmethod
    def of(cls, strip: bpy.types.NlaStrip) -> StripTime:
        """Read that of a strip that plays an action."""
        return cls(
            strip.frame_start,
            strip.frame_end,
            strip.action_frame_start,
            strip.action_frame_end,
            strip.scale,
            strip.repeat,
            strip.use_reverse,
            strip.extrapolation != "NOTHING",
        )

    def spans(self, changed: Span) -> tuple[Span, ...]:
        """Return the scene's frames at which a span of the action can be seen; they may be more."""
        length = (self.last - self.first) * self.scale
        if not (length > 0 and self.scale > 0 and self.end > self.start):
            return (ALL,)
        count = (self.end - self.start) / length
        if not count < MOST_REPEATS:
            return (ALL,)
        slack = SLACK * max(1.0, self.scale)
        low, high = self._within(changed)
        if high < -slack or low > length + slack:
            return ()
        is_whole = self.repeat == round(self.repeat) and abs(count - self.repeat) < SLACK / 100
        # Where it ends within a round, or nearly so, its last frame may be the next round's first.
        rounds = round(count) if is_whole else math.ceil(count) + 1
        starts = [self.start + number * length for number in range(rounds)]
        low, high = max(low, 0.0) - slack, min(high, length) + slack
        found = [(start + low, min(start + high, self.end + slack)) for start in starts]
        found = [span for span in found if span[0] < span[1]]
        if high >= length:
            # Blender plays a whole number of rounds to the action's end, wherever the strip ends.
            found.append((self.end - slack, self.end + slack))
        if self.holds and any(one <= self.start <= other for one, other in found):
            found.append((-math.inf, self.start + slack))
        if self.holds and any(one <= self.end <= other for one, other in found):
            found.append((self.end - slack, math.inf))
        return tuple(found)

    def _within(self, changed: Span) -> Span:
        """Return when the span is played, in frames of the scene since the action has begun."""
        low, high = changed
        if self.is_reversed:
            return (self.last - high) * self.scale, (self.last - low) * self.scale
        return (low - self.first) * self.scale, (high - self.first) * self.scale


def playing_strips(animation: Any) -> Iterator[bpy.types.NlaStrip]:
    """Yield the strips that Blender plays of an `AnimData`; none if it doesn't use its tracks."""
    if animation.use_nla:
        for track in animation.nla_tracks:
            if not track.mute:
                yield from (one for one in track.strips if not one.mute)


def is_plain(animation: Any) -> bool:
    """Whether all that tracks of the NLA play is told by their strips' settings and by their actions: there are
    no transitions, meta-strips, modifiers, solo tracks, no influence or time that is animated, no action beside
    them, nor is a strip being tweaked.
    """
    strips = [strip for track in animation.nla_tracks for strip in track.strips]
    return not (
        animation.use_tweak_mode
        # Blender may start to play it at any later update.
        or (strips and animation.action is not None)
        or any(track.is_solo for track in animation.nla_tracks)
        or any(
            one.type != "CLIP"
            or one.use_animated_influence
            or one.use_animated_time
            or len(one.fcurves)
            or len(one.modifiers)
            for one in strips
        )
    )
