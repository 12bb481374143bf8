"""A controller's whole state as plain data, for JSON: what is written goes on as if nothing had happened.

Numbers are written so that they come back bit for bit, the clock as a fraction. Clips are named, not held: whoever reads
the state brings the same clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.errors import ClipError
from ..core.skeleton import Skeleton
from .clip import Clip
from .controller import Controller
from .events import EventQueue, TrackEvent
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


def from_plain(plain: dict[str, Any], skeleton: Skeleton, clips: Sequence[Clip]) -> Controller:
    """Make the controller that `to_plain` was given, of clips of the same names.

    Raises:
        ClipError: a clip is missing, or the data is not a controller's state.
    """
    if plain.get("version") != VERSION:
        raise ClipError("This animation state was written by another version; start playing anew.")
    by_name = {clip.name: clip for clip in clips}
    for name in plain["clips"]:
        if name not in by_name:
            raise ClipError("The clip '{clip}' is gone; bake it again or start playing anew.", clip=name)
    controller = Controller(
        skeleton,
        [by_name[name] for name in plain["clips"]],
        plain["tracks"],
        plain["instances"],
        RotationBlend(plain["rotation_blend"]),
    )
    timeline = controller.timeline
    timeline.clock = Fraction(*plain["clock"])
    timeline.states = _states(plain["states"], (plain["instances"], plain["tracks"]))
    timeline.priority_blend = _ramps(plain["priority_blend"])
    controller.masks = {
        int(track): np.array(mask, dtype=np.float32) for track, mask in plain["masks"].items()
    }
    if any(len(mask) != len(skeleton.names) for mask in controller.masks.values()):
        raise ClipError(
            "The armature has other bones than when this animation state was written; start playing anew."
        )
    timeline.queue = EventQueue([TrackEvent.from_plain(event) for event in plain["events"]])
    timeline.next_number = plain["next_number"]
    timeline.untold = [Passing(*passing) for passing in plain["untold"]]
    return controller


def _plain_ramps(ramps: Ramps) -> dict[str, Any]:
    return {one.name: getattr(ramps, one.name).tolist() for one in fields(ramps)}


def _ramps(plain: dict[str, Any]) -> Ramps:
    return Ramps(
        **{name: np.array(values, dtype=bool if name == "eases" else float) for name, values in plain.items()}
    )


def _states(plain: dict[str, Any], shape: tuple[int, int]) -> TrackStates:
    empty = TrackStates.empty(*shape)
    arrays: dict[str, Any] = {}
    for one in fields(empty):
        value, like = plain[one.name], getattr(empty, one.name)
        arrays[one.name] = _ramps(value) if isinstance(like, Ramps) else np.array(value, dtype=like.dtype)
    if arrays["clip"].shape != shape or arrays["clip"].min(initial=NO_CLIP) < NO_CLIP:
        raise ClipError("This animation state is damaged; start playing anew.")
    return TrackStates(**arrays)
