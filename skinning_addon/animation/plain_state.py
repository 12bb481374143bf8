"""A controller's whole state as plain data for JSON: a restored controller continues exactly where it was.

Numbers round-trip bit for bit, the clock as a fraction. Clips are named, not stored: the reader supplies the
same clips. The data may have been edited or truncated: it is checked before anything plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import ClipError
from .clip import Clip
from .controller import Controller
from .events import EventQueue, TrackEvent
from .limits import FASTEST, LONGEST_STEP, check_event
from .passings import Passing
from .ramps import Ramps
from .rotations import RotationBlend
from .tracks import NO_CLIP, TrackStates, arrays_of

VERSION = 1


def to_plain(controller: Controller) -> dict[str, Any]:
    """Return the state as dictionaries, lists, numbers and strings."""
    timeline = controller.timeline
    return {
        "version": VERSION,
        "clips": [clip.name for clip in controller.clips],
        "instances": controller.instances,
        "tracks": controller.track_count,
        "rotation_blend": controller.rotation_blend.value,
        "clock": [timeline.clock.numerator, timeline.clock.denominator],
        "states": arrays_of(timeline.states),
        "priority_blend": _plain_ramps(timeline.priority_blend),
        "masks": {str(track): mask.tolist() for track, mask in controller.masks.items()},
        "events": [event.to_plain() for event in timeline.queue],
        "next_number": timeline.next_number,
        "untold": [list(passing) for passing in timeline.untold],
    }


def from_plain(plain: object, skeleton: Skeleton, clips: Sequence[Clip]) -> Controller:
    """Restore the controller given to `to_plain`, with clips of the same names.

    Raises:
        ClipError: a clip is missing, the armature has different bones, or the data is not a controller's
        state.
    """
    state = cast("dict[str, Any]", plain) if isinstance(plain, dict) else {}
    if state.get("version") != VERSION:
        raise ClipError("This animation state was written by another version; start playing again.")
    try:
        return _controller(state, skeleton, clips)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ClipError("This animation state is damaged; start playing again.") from error


def _controller(plain: dict[str, Any], skeleton: Skeleton, clips: Sequence[Clip]) -> Controller:
    by_name = {clip.name: clip for clip in clips}
    for name in plain["clips"]:
        if name not in by_name:
            raise ClipError(
                "The clip '{clip}' no longer exists; bake it again, or start playing again.", clip=name
            )
    shape = plain["instances"], plain["tracks"]
    states = _states(plain["states"], shape, len(plain["clips"]))
    controller = Controller(
        skeleton,
        [by_name[name] for name in plain["clips"]],
        plain["tracks"],
        plain["instances"],
        RotationBlend(plain["rotation_blend"]),
    )
    controller.masks = _masks(plain["masks"], controller)
    timeline = controller.timeline
    timeline.clock, timeline.states = Fraction(*plain["clock"]), states
    timeline.priority_blend = _ramps(plain["priority_blend"], shape[:1], 0, 1)
    events = [TrackEvent.from_plain(event) for event in plain["events"]]
    for event in events:
        check_event(event, timeline.tracks, timeline.instances, timeline.now)
    timeline.queue = EventQueue(events)
    timeline.next_number = int(plain["next_number"])
    timeline.untold = [_passing(passing) for passing in plain["untold"]]
    _check_times(controller)
    return controller


def _plain_ramps(ramps: Ramps) -> dict[str, Any]:
    return {one.name: getattr(ramps, one.name).tolist() for one in fields(ramps)}


def _ramps(plain: dict[str, Any], shape: tuple[int, ...], least: float, most: float) -> Ramps:
    ramps = Ramps(
        **{
            one.name: _array(plain[one.name], bool if one.name == "eases" else float, shape)
            for one in fields(Ramps)
        }
    )
    for values in (ramps.begin, ramps.end):
        _within(values, least, most)
    _within(ramps.duration, 0, LONGEST_STEP)
    return ramps


def _states(plain: dict[str, Any], shape: tuple[int, ...], clips: int) -> TrackStates:
    states = TrackStates(
        clip=_array(plain["clip"], np.int32, shape),
        enabled=_array(plain["enabled"], bool, shape),
        high=_array(plain["high"], bool, shape),
        anchor=_array(plain["anchor"], float, shape),
        position=_array(plain["position"], float, shape),
        speed=_ramps(plain["speed"], shape, -FASTEST, FASTEST),
        weight=_ramps(plain["weight"], shape, 0, 1),
        # In states written before masks could be keyed, masks are at full strength.
        mask=_ramps(plain["mask"], shape, 0, 1) if "mask" in plain else Ramps.constant(shape, 1.0),
        told=_array(plain["told"], float, shape),
    )
    _within(states.clip, NO_CLIP, clips - 1)
    return states


def _masks(plain: dict[str, Any], controller: Controller) -> dict[int, NDArray[np.float32]]:
    masks: dict[int, NDArray[np.float32]] = {}
    for track, values in plain.items():
        if len(values) != len(controller.skeleton.names):
            raise ClipError(
                "The bones of the armature have changed since this animation state was written; start "
                "playing again."
            )
        mask = _array(values, np.float32, (len(values),))
        _within(mask, 0, 1)
        masks[range(controller.track_count)[int(track)]] = mask
    return masks


def _passing(plain: list[Any]) -> Passing:
    # States written before markers had data have seven entries.
    time, instance, track, clip, marker, weight, backwards, *data = plain
    return Passing(
        float(time),
        int(instance),
        int(track),
        str(clip),
        str(marker),
        float(weight),
        bool(backwards),
        *data,
    )


def _check_times(controller: Controller) -> None:
    """Check that no past time is ahead of the clock, and that no old passing is still unreported."""
    timeline, states = controller.timeline, controller.states
    for ramps in (states.speed, states.weight, states.mask, timeline.priority_blend):
        # Negative times are ramps during which the clock was reset.
        _within(ramps.start, -LONGEST_STEP, timeline.now)
    _within(states.anchor, 0, timeline.now)
    _within(states.told, timeline.now, timeline.now)


def _array(values: Any, kind: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    array = np.array(values)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError("not such an array")
    # A mismatch shows in the result.
    with np.errstate(invalid="ignore", over="ignore"):
        result = array.astype(kind)
    if not (array == result).all():
        raise ValueError("not such numbers")
    return result


def _within(values: NDArray[Any], least: float, most: float) -> None:
    if not ((values >= least) & (values <= most)).all():
        raise ValueError("a value lies outside")
