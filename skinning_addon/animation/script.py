"""Scripts: what an animation controller is told, as plain data. Which clips its tracks play, and what is keyed when.

A script comes from a file (`script_file`) or from the side bar, and `controller_of` makes the controller that follows it.
The clock begins at 0 there.
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
"""Seconds. Changes take no longer, and positions are no farther from a clip's start: files hold what the side bar does."""

MOST_TRACKS = 256
MOST_INSTANCES = 1000

AT_ONCE = frozenset({EventKind.ENABLE, EventKind.POSITION, EventKind.PRIORITY})
"""What has no way from one value to the next."""

KEYED = (
    EventKind.ENABLE,
    EventKind.SPEED,
    EventKind.WEIGHT,
    EventKind.POSITION,
    EventKind.PRIORITY,
    EventKind.MASK,
    EventKind.PRIORITY_BLEND,
)
"""What a script can key."""


@dataclass(frozen=True)
class ScriptTrack:
    """What a track is at the start.

    number: of the track. position: seconds. high: of the high-priority group. mask: bones that it moves, by name, from 0
    to 1; None for all. instance: the one that this is about, None for all; one instance's own goes before that of all.
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
    """Something that changes at a time: see `TrackEvent`. track: -1 for the priority blend. instance: None for all."""

    time: float
    kind: EventKind
    value: float
    track: int = -1
    duration: float = 0.0
    transition: Transition = Transition.LINEAR
    instance: int | None = None

    @property
    def event(self) -> TrackEvent:
        """The event that it keys, not numbered yet."""
        instances = None if self.instance is None else (self.instance,)
        return TrackEvent(
            0, self.time, self.kind, self.track, self.value, self.duration, self.transition, instances
        )


@dataclass(frozen=True)
class Script:
    """All that a controller is told.

    keys: those of one time happen in this order. seconds: how long it plays; None until all has happened.
    once: clips that stay at their end instead of looping.
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
    """See that a controller can do what a script says.

    Raises:
        ScriptError: it can't; the sentence begins with the track or the key, counted from 1.
    """
    if not script.tracks:
        raise ScriptError("The script has no track; add one that plays a clip.")
    for clip in script.once:
        if clip not in script.clips:
            raise ScriptError("once names '{clip}', which is on no track; take it out.", clip=brief(clip))
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
                "{track} is there twice; give one of them another number or instance.", track=where
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
    """See that all clips of a script are among those that there are.

    Raises:
        ScriptError: one is not; the sentence begins with its track.
    """
    for track in script.tracks:
        if track.clip not in names:
            raise ScriptError(
                "{track}: there is no clip '{clip}'; choose one of the armature's.",
                track=track_name(track.number),
                clip=brief(track.clip),
            )


def controller_of(script: Script, skeleton: Skeleton, clips: Sequence[Clip]) -> Controller:
    """Make the controller that follows a script, at its start.

    clips: at least those that it names; whether they loop is the script's to say.

    Raises:
        ScriptError: as `check_script`, or a clip or a masked bone is not there.
    """
    check_script(script)
    by_name = {clip.name: clip for clip in clips}
    check_clips(script, by_name)
    played = [replace(by_name[name], looping=name not in script.once) for name in script.clips]
    controller = Controller(skeleton, played, max(script.numbers) + 1, script.instances)
    # What one instance has of its own goes before what all have.
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
    """Return how long a script plays: as it says, or until all keys have happened and each clip was played once."""
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
    """A script with all that will come of it. seconds: how long it plays. passings: of markers, to its end."""

    script: Script
    seconds: float
    passings: tuple[Passing, ...]


def planned(script: Script, skeleton: Skeleton, clips: Sequence[Clip]) -> PlannedScript:
    """Follow a script to its end.

    Raises:
        ScriptError: as `controller_of`.
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
            "{where}: it is for instance {instance}, and the last one is {last}; raise instances, or remove it.",
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
            "a mask is for all instances, and this track is for instance {instance} alone; give it to the track for all "
            "instances, and key it to 0 where it shall not hold.",
            instance=track.instance,
        )


def _check_position(position: float) -> None:
    check_position(position)
    if abs(position) > LONGEST_SCRIPT:
        raise ClipError(
            "A position must lie between -{farthest:g} and {farthest:g} seconds, not at {value:g}.",
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
            "{key}: instance {instance} has no track {track}; add it for that instance or for all, or key another one.",
            key=where,
            instance=key.instance,
            track=key.track,
        )
    if key.kind in AT_ONCE and key.duration:
        raise ScriptError("{key}: {what} changes at once; take out duration.", key=where, what=key.kind.value)
    try:
        check_transition(key.duration, LONGEST_SCRIPT)
        check_event(key.event, MOST_TRACKS, script.instances, 0.0)
        if key.kind is EventKind.POSITION:
            _check_position(key.value)
    except ClipError as error:
        raise _at(where, error) from error
    if script.seconds is None and key.time > LONGEST_SCRIPT:
        raise ScriptError(
            "{key}: it is at {time:g} s, and no script is longer than {longest:g} s; give it an earlier time.",
            key=where,
            time=key.time,
            longest=LONGEST_SCRIPT,
        )
    if script.seconds is not None and key.time > script.seconds:
        raise ScriptError(
            "{key}: it is at {time:g} s, and the script ends at {end:g} s; give it an earlier time or the script more "
            "seconds.",
            key=where,
            time=key.time,
            end=script.seconds,
        )


def _at(where: Message, error: ClipError) -> ScriptError:
    return ScriptError("{where}: {reason}", where=where, reason=Continuation(error.args[0]))
