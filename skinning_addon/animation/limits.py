"""A controller's limits: invalid values are rejected before anything has changed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.text.errors import ClipError
from .events import EventKind, TrackEvent

LONGEST_STEP = 86400.0
"""In seconds. A step of more than a day is a mistake, and would have to list all of its footsteps."""

FASTEST = 1000.0
"""As a multiple of the clip's own speed; more is a mistake too."""


def check_event(event: TrackEvent, tracks: int, instances: int, now: float) -> None:
    """Raise ClipError unless an event is valid, at or after `now`, for these numbers of tracks and
    instances.
    """
    kind = event.kind
    if kind is not EventKind.PRIORITY_BLEND:
        check_track(event.track, tracks)
    if kind is EventKind.CROSS_FADE:
        check_track(event.source, tracks)
        if event.source == event.track:
            raise ClipError("Track {track} can't fade to itself; choose two tracks.", track=event.track)
        check_share(event.weight)
        check_position(event.position)
    if kind in {EventKind.SPEED, EventKind.CROSS_FADE}:
        check_speed(event.value)
    elif kind is EventKind.MASK:
        check_mask(event.value)
    elif kind is EventKind.PRIORITY_BLEND:
        check_priority_blend(event.value)
    elif kind in {EventKind.WEIGHT, EventKind.PRIORITY}:
        check_share(event.value)
    else:
        check_position(event.value)
    check_transition(event.duration)
    check_time(event.time, now)
    check_instances(event.instances or (), instances)


def check_step(dt: float) -> None:
    """Raise ClipError unless time can advance by `dt` seconds."""
    if not (math.isfinite(dt) and 0 <= dt <= LONGEST_STEP):
        raise ClipError(
            "Time can't advance by {step:g} seconds; give 0 to {longest:g}, and use a negative speed to "
            "play backwards.",
            step=float(dt),
            longest=LONGEST_STEP,
        )


def check_position(value: float) -> None:
    """Raise ClipError unless `value` is a number of seconds."""
    if not math.isfinite(value):
        raise ClipError("A position must be a number of seconds, not {value}.", value=value)


def check_speed(value: float) -> None:
    """Raise ClipError unless a track can play at this speed."""
    if not (math.isfinite(value) and abs(value) <= FASTEST):
        raise ClipError(
            "A track can't play {value:g} times as fast; give -{fastest:g} to {fastest:g}.",
            value=value,
            fastest=FASTEST,
        )


def check_share(value: float) -> None:
    """Raise ClipError unless `value` is a weight, or a share of one."""
    if not 0 <= value <= 1:
        raise ClipError("A weight must be between 0 and 1, not {value:g}.", value=value)


def check_mask(value: float) -> None:
    """Raise ClipError unless `value` is valid for a bone in a mask, or for a mask's strength."""
    if not 0 <= value <= 1:
        raise ClipError("A mask must be between 0 and 1, not {value:g}.", value=value)


def check_priority_blend(value: float) -> None:
    """Raise ClipError unless `value` is a valid priority blend."""
    if not 0 <= value <= 1:
        raise ClipError("A priority blend must be between 0 and 1, not {value:g}.", value=value)


def check_transition(seconds: float, longest: float = LONGEST_STEP) -> None:
    """Raise ClipError unless a transition can last this long."""
    if not 0 <= seconds <= longest:
        raise ClipError(
            "A transition can't take {duration:g} seconds; give 0 to {longest:g}.",
            duration=seconds,
            longest=longest,
        )


def check_time(at: float, now: float) -> None:
    """Raise ClipError unless something can still be keyed at `at`."""
    if not math.isfinite(at):
        raise ClipError("A time must be a number of seconds, not {value}.", value=at)
    if at < now:
        raise ClipError(
            "A key can't be set at {time:g} seconds because the clock is already at {now:g}; choose a "
            "later time.",
            time=at,
            now=now,
        )


def check_track(track: int, tracks: int) -> None:
    """Raise ClipError unless the track exists."""
    if track not in range(tracks):
        raise ClipError("There is no track {track}; choose 0 to {last}.", track=track, last=tracks - 1)


def check_instances(named: Sequence[int], instances: int) -> None:
    """Raise ClipError unless all of these instances exist."""
    for one in named:
        if one not in range(instances):
            raise ClipError(
                "There is no instance {instance}; choose 0 to {last}.", instance=one, last=instances - 1
            )
