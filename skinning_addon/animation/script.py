"""Scripts for an animation controller, as plain data: the clips its tracks play, and the events keyed when.

A script comes from a file (`script_file`) or from the sidebar, and `controller_of` makes the controller that
follows it. The clock starts at 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import ClipError, ScriptError
from ..core.text.message import Continuation, Message
from ..core.text.quoted import brief
from .clip import Clip
from .controller import Controller
from .events import EventKind, TrackEvent
from .limits import check_event, check_mask, check_position, check_share, check_speed, check_transition
from .passings import Passing
from .ramps import Transition

LONGEST_SCRIPT = 3600.0
"""In seconds. The longest change, and the furthest position from a clip's start: files have the sidebar's
limits."""

MOST_TRACKS = 256
MOST_INSTANCES = 1000

AT_ONCE = frozenset({EventKind.ENABLE, EventKind.POSITION, EventKind.PRIORITY})
"""Kinds without a transition between values."""

KEYED = (
    EventKind.ENABLE,
    EventKind.SPEED,
    EventKind.WEIGHT,
    EventKind.POSITION,
    EventKind.PRIORITY,
    EventKind.MASK,
    EventKind.PRIORITY_BLEND,
)
"""The kinds of event that a script can key."""


@dataclass(frozen=True)
class ScriptTrack:
    """A track's initial state.

    number: of the track. position: seconds. high: of the high-priority group. mask: bones that it moves, by
    name, from 0 to 1; None for all. instance: the one it applies to, None for all; an instance's own entry
    overrides that for all.
    """

    number: int
    clip: str
    enabled: bool = True
    speed: float = 1.0
    weight: float = 1.0
    position: float = 0.0
    high: bool = False
    mask: Mapping[str, float] | None = None
    instance: int | None = None


@dataclass(frozen=True)
class ScriptKey:
    """A change at a time: see `TrackEvent`. track: -1 for the priority blend. instance: None for all."""

    time: float
    kind: EventKind
    value: float
    track: int = -1
    duration: float = 0.0
    transition: Transition = Transition.LINEAR
    instance: int | None = None

    @property
    def event(self) -> TrackEvent:
        """The event that it keys, not yet numbered."""
        instances = None if self.instance is None else (self.instance,)
        return TrackEvent(
            0, self.time, self.kind, self.track, self.value, self.duration, self.transition, instances
        )


@dataclass(frozen=True)
class Script:
    """A controller's complete script.

    keys: simultaneous ones happen in this order. seconds: how long it plays; None until everything has
    happened. once: clips that stay at their end instead of looping.
    """

    tracks: tuple[ScriptTrack, ...]
    keys: tuple[ScriptKey, ...] = ()
    instances: int = 1
    seconds: float | None = None
    priority_blend: float = 1.0
    once: tuple[str, ...] = ()

    @property
    def clips(self) -> tuple[str, ...]:
        """The clips that its tracks play, each once."""
        return tuple(dict.fromkeys(track.clip for track in self.tracks))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of its tracks, ascending."""
        return tuple(sorted({track.number for track in self.tracks}))


def check_script(script: Script) -> None:
    """Check that a controller can follow a script.

    Raises:
        ScriptError: it can't; the sentence begins with the track or the key, counted from 1.
    """
    if not script.tracks:
        raise ScriptError("The script has no track; add one that plays a clip.")
    for clip in script.once:
        if clip not in script.clips:
            raise ScriptError("once lists '{clip}', which is not on a track; remove it.", clip=brief(clip))
    seen: set[tuple[int, int | None]] = set()
    for track in script.tracks:
        where = track_name(track.number)
        _check_instance(where, track.instance, script)
        try:
            _check_track(track)
        except ClipError as error:
            raise _at(where, error) from error
        if (track.number, track.instance) in seen:
            raise ScriptError(
                "{track} is defined twice; give one of them another number or instance.", track=where
            )
        seen.add((track.number, track.instance))
    own = {track.instance for track in script.tracks}
    bare = next((one for one in range(script.instances) if one not in own), None)
    if None not in own and bare is not None:
        raise ScriptError(
            "Instance {instance} has no track; add one for it or for all instances, or lower instances.",
            instance=bare,
        )
    for number, key in enumerate(script.keys, start=1):
        _check_key(key_name(number), key, script)


def check_clips(script: Script, names: Collection[str]) -> None:
    """Check that all clips of a script exist.

    Raises:
        ScriptError: one does not; the sentence begins with its track.
    """
    for track in script.tracks:
        if track.clip not in names:
            raise ScriptError(
                "{track}: there is no clip '{clip}'; choose a clip of the armature.",
                track=track_name(track.number),
                clip=brief(track.clip),
            )


def controller_of(script: Script, skeleton: Skeleton, clips: Sequence[Clip]) -> Controller:
    """Make the controller that follows a script, at its start.

    clips: at least those that it names; the script decides whether they loop.

    Raises:
        ScriptError: as for `check_script`, or a clip or a masked bone is missing.
    """
    check_script(script)
    by_name = {clip.name: clip for clip in clips}
    check_clips(script, by_name)
    played = [replace(by_name[name], looping=name not in script.once) for name in script.clips]
    controller = Controller(skeleton, played, max(script.numbers) + 1, script.instances)
    # An instance's own entry overrides that for all.
    for track in sorted(script.tracks, key=lambda one: one.instance is not None):
        _set_track(controller, track)
    controller.key(EventKind.PRIORITY_BLEND, script.priority_blend)
    for key in script.keys:
        event = key.event
        controller.key(
            event.kind,
            event.value,
            track=event.track,
            at=event.time,
            duration=event.duration,
            transition=event.transition,
            instances=event.instances,
        )
    return controller


def seconds_of(script: Script, clips: Sequence[Clip]) -> float:
    """Return how long a script plays: as stated, or until all keys have happened and each clip has played
    once.
    """
    if script.seconds is not None:
        return script.seconds
    lengths = {clip.name: clip.duration for clip in clips}
    keyed = [key.time + key.duration for key in script.keys]
    played = [
        (lengths[track.clip] - track.position if track.speed > 0 else track.position) / abs(track.speed)
        for track in script.tracks
        if track.enabled and track.speed
    ]
    return min(max([0.0, *keyed, *played]), LONGEST_SCRIPT)


@dataclass(frozen=True, eq=False)
class PlannedScript:
    """A script with its outcome. seconds: how long it plays. passings: of markers, to its end."""

    script: Script
    seconds: float
    passings: tuple[Passing, ...]


def planned(script: Script, skeleton: Skeleton, clips: Sequence[Clip]) -> PlannedScript:
    """Follow a script to its end.

    Raises:
        ScriptError: as for `controller_of`.
    """
    seconds = seconds_of(script, clips)
    return PlannedScript(script, seconds, tuple(controller_of(script, skeleton, clips).advance(seconds)))


def track_name(number: int) -> Message:
    """Name a track in a sentence."""
    return Message("track {number}", number=number)


def key_name(number: int) -> Message:
    """Name a key in a sentence. number: counted from 1."""
    return Message("key {number}", number=number)


def _set_track(controller: Controller, track: ScriptTrack) -> None:
    try:
        controller.set_track(
            track.number,
            track.clip,
            position=track.position,
            speed=track.speed,
            weight=track.weight,
            high=track.high,
            enabled=track.enabled,
            instances=None if track.instance is None else (track.instance,),
        )
        if track.mask is not None:
            controller.set_mask(track.number, track.mask)
    except ClipError as error:
        raise _at(track_name(track.number), error) from error


def _check_instance(where: Message, instance: int | None, script: Script) -> None:
    if instance is not None and instance >= script.instances:
        raise ScriptError(
            "{where}: it is for instance {instance}, but the last one is {last}; raise instances, or "
            "remove it.",
            where=where,
            instance=instance,
            last=script.instances - 1,
        )


def _check_track(track: ScriptTrack) -> None:
    check_speed(track.speed)
    check_share(track.weight)
    _check_position(track.position)
    for amount in (track.mask or {}).values():
        check_mask(amount)
    if track.instance is not None and track.mask is not None:
        raise ClipError(
            "a mask applies to all instances, but this track is only for instance {instance}; put the mask "
            "on the track for all instances, and key it to 0 for the others.",
            instance=track.instance,
        )


def _check_position(position: float) -> None:
    check_position(position)
    if abs(position) > LONGEST_SCRIPT:
        raise ClipError(
            "A position must be between -{farthest:g} and {farthest:g} seconds, not {value:g}.",
            farthest=LONGEST_SCRIPT,
            value=position,
        )


def _check_key(where: Message, key: ScriptKey, script: Script) -> None:
    numbers = script.numbers
    _check_instance(where, key.instance, script)
    if key.kind is not EventKind.PRIORITY_BLEND and key.track not in numbers:
        raise ScriptError(
            "{key}: there is no track {track} in the script; add it, or choose {tracks}.",
            key=where,
            track=key.track,
            tracks=", ".join(str(one) for one in numbers),
        )
    tracks = {track.instance for track in script.tracks if track.number == key.track}
    if (
        key.kind is not EventKind.PRIORITY_BLEND
        and key.instance is not None
        and not tracks & {None, key.instance}
    ):
        raise ScriptError(
            "{key}: instance {instance} has no track {track}; add it for that instance or for all, or key "
            "another one.",
            key=where,
            instance=key.instance,
            track=key.track,
        )
    if key.kind in AT_ONCE and key.duration:
        raise ScriptError("{key}: {what} changes at once; remove duration.", key=where, what=key.kind.value)
    try:
        check_transition(key.duration, LONGEST_SCRIPT)
        check_event(key.event, MOST_TRACKS, script.instances, 0.0)
        if key.kind is EventKind.POSITION:
            _check_position(key.value)
    except ClipError as error:
        raise _at(where, error) from error
    if script.seconds is None and key.time > LONGEST_SCRIPT:
        raise ScriptError(
            "{key}: it is at {time:g} s, but a script can be at most {longest:g} s long; give it an "
            "earlier time.",
            key=where,
            time=key.time,
            longest=LONGEST_SCRIPT,
        )
    if script.seconds is not None and key.time > script.seconds:
        raise ScriptError(
            "{key}: it is at {time:g} s, but the script ends at {end:g} s; give it an earlier time, or "
            "make the script longer.",
            key=where,
            time=key.time,
            end=script.seconds,
        )


def _at(where: Message, error: ClipError) -> ScriptError:
    return ScriptError("{where}: {reason}", where=where, reason=Continuation(error.args[0]))
