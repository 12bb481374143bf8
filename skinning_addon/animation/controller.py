"""The animation controller: tracks that play clips, keyed changes, cross-fades, for one character or many at
once.

`timeline` handles time and `mixing` combines the tracks; this is the interface for a game.

Source: the animation controller of Direct3D 9's extension library (tracks, priority blend, keyed track events,
AdvanceTime), as used by its MultiAnimation sample, which has one controller per character and keeps only the
current track.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from ..core.text.errors import ClipError
from ..core.text.quoted import brief
from .clip import Clip
from .events import EventKind, TrackEvent
from .limits import (
    check_event,
    check_instances,
    check_mask,
    check_position,
    check_share,
    check_speed,
    check_step,
    check_track,
)
from .local_pose import LocalPose, compose, rest_pose
from .mixing import Mixer, contributions
from .passings import Passing
from .ramps import Transition
from .rotations import RotationBlend
from .sampling import ClipSampler
from .timeline import Timeline
from .tracks import Rows, TrackStates, positions_at

Instances = Sequence[int] | None
"""The instances a call applies to; None for all."""


class Controller:
    """Plays clips on one skeleton for I instances with K tracks each.

    clips: those that tracks may play. missing: by clip, the bones that it moves but the skeleton lacks.
    timeline: the whole state except `masks`, (B,) by track.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        clips: Sequence[Clip],
        tracks: int = 2,
        instances: int = 1,
        rotation_blend: RotationBlend = RotationBlend.NLERP,
    ) -> None:
        """Make a controller with idle tracks.

        Raises:
            ClipError: two clips have one name, one is for another skeleton, or there are no tracks or
            instances.
        """
        if tracks < 1 or instances < 1:
            raise ClipError("A controller needs at least one track and one instance; ask for more.")
        self.skeleton = skeleton
        self.clips = tuple(clips)
        self.instances, self.track_count = instances, tracks
        self.rotation_blend = rotation_blend
        self.samplers = tuple(ClipSampler(clip, skeleton) for clip in clips)
        self.missing = {one.clip.name: one.missing for one in self.samplers if one.missing}
        self._number = {clip.name: number for number, clip in enumerate(clips)}
        if len(self._number) < len(self.clips):
            twice = next(clip.name for number, clip in enumerate(clips) if self._number[clip.name] != number)
            raise ClipError("Two clips are called '{clip}'; rename one of them.", clip=twice)
        self._rest = rest_pose(skeleton)
        self.timeline = Timeline(clips, tracks, instances)
        self.masks: dict[int, NDArray[np.float32]] = {}

    @property
    def now(self) -> float:
        """The clock, in seconds."""
        return self.timeline.now

    @property
    def states(self) -> TrackStates:
        """The tracks of all instances as arrays."""
        return self.timeline.states

    def set_track(
        self,
        track: int,
        clip: str,
        *,
        position: float = 0.0,
        speed: float = 1.0,
        weight: float = 1.0,
        high: bool = False,
        enabled: bool = True,
        instances: Instances = None,
    ) -> None:
        """Make a track play a clip from now on, starting at `position` (seconds).

        Raises:
            ClipError: there is no such track, clip or instance, or a value is invalid.
        """
        number = self._clip_number(clip)
        check_speed(speed)
        check_share(weight)
        check_position(position)
        rows = self._rows(track, instances)
        now = self.now
        self.timeline.settle(rows, now)
        states = self.states
        states.clip[rows.index] = number
        states.enabled[rows.index] = enabled
        states.high[rows.index] = high
        states.position[rows.index] = position
        states.speed.set(rows.index, now, speed, 0.0, Transition.LINEAR)
        states.weight.set(rows.index, now, weight, 0.0, Transition.LINEAR)

    def set_mask(self, track: int, mask: Mapping[str, float] | None) -> None:
        """Restrict a track to some bones: by name, from 0 to 1. None for all bones again.

        Raises:
            ClipError: a bone is unknown, or a value lies outside 0 to 1.
        """
        check_track(track, self.track_count)
        if mask is None:
            self.masks.pop(track, None)
            return
        amounts = np.zeros(len(self.skeleton.names), dtype=np.float32)
        for bone, amount in mask.items():
            if bone not in self.skeleton.names:
                raise ClipError(
                    "There is no bone '{bone}' to mask; choose a bone of the armature.", bone=brief(bone)
                )
            check_mask(amount)
            amounts[self.skeleton.index(bone)] = amount
        self.masks[track] = amounts

    def key(
        self,
        kind: EventKind,
        value: float,
        *,
        track: int = -1,
        at: float | None = None,
        duration: float = 0.0,
        transition: Transition = Transition.LINEAR,
        instances: Instances = None,
    ) -> int:
        """Key a change at a time, now by default, and return its number for `unkey`.

        track: None for the priority blend. duration: seconds from the current value to the new one; enable,
        position and
        priority change at once.

        Raises:
            ClipError: the value, the track or an instance is invalid, or the time has passed.
        """
        event = TrackEvent(
            0,
            self.now if at is None else float(at),
            kind,
            track,
            float(value),
            float(duration),
            transition,
            None if instances is None else tuple(instances),
        )
        return self._add(event)

    def cross_fade(
        self,
        source: int,
        track: int,
        duration: float,
        *,
        at: float | None = None,
        transition: Transition = Transition.LINEAR,
        speed: float = 1.0,
        weight: float = 1.0,
        position: float = 0.0,
        match_phase: bool = False,
        instances: Instances = None,
    ) -> int:
        """Fade from one track to another; the first is switched off at the end. Returns the event's number.

        speed, weight, position: of the track that fades in; `position` only counts if it isn't audible
        already. match_phase: keep both in the same phase of their cycles throughout: the new clip starts
        where the old one is, and both speeds go from the old cycle's rate to the new one's.

        Raises:
            ClipError: as for `key`, or both tracks are the same.
        """
        event = TrackEvent(
            0,
            self.now if at is None else float(at),
            EventKind.CROSS_FADE,
            track,
            float(speed),
            float(duration),
            transition,
            None if instances is None else tuple(instances),
            source,
            match_phase,
            float(weight),
            float(position),
        )
        return self._add(event)

    def unkey(self, number: int) -> bool:
        """Remove a keyed event that has not happened yet; return whether there was one."""
        return self.timeline.queue.remove(number)

    def unkey_all(self, track: int, instances: Instances = None) -> None:
        """Remove all events of a track that have not happened yet."""
        check_track(track, self.track_count)
        self.timeline.queue.remove_of_tracks((track,), self._named(instances), range(self.instances))

    def upcoming(self, track: int | None = None, kind: EventKind | None = None) -> tuple[TrackEvent, ...]:
        """List the pending events, the next first."""
        return tuple(
            event
            for event in self.timeline.queue
            if (track is None or track in event.tracks) and (kind is None or event.kind is kind)
        )

    def advance(self, dt: float | Fraction) -> list[Passing]:
        """Advance time, and list the markers that were passed, in order.

        dt: seconds, taken exactly: a third of a second is `Fraction(1, 3)`.

        Raises:
            ClipError: dt is not a number, negative, or more than a day; nothing has changed then.
        """
        check_step(float(dt))
        return self.timeline.advance(Fraction(dt))

    def reset_time(self) -> None:
        """Reset the clock to 0 (D3DX's ResetTime): tracks continue from where they are, and pending events
        keep their distance.

        A clock that runs for weeks loses precision; a game resets it at an inconspicuous moment.
        """
        self.timeline.reset()

    def settle(self) -> None:
        """Anchor all tracks where they are: loops forget the rounds that they have made."""
        for track in range(self.track_count):
            self.timeline.settle(self._rows(track, None), self.now)

    def position(self, track: int, instances: Instances = None) -> NDArray[np.float64]:
        """Return a track's position in its clip, in seconds from its start, for each instance."""
        return positions_at(self.states, self.timeline.lengths, self._rows(track, instances), self.now)

    def weight(self, track: int, instances: Instances = None) -> NDArray[np.float64]:
        """Return a track's weight for each instance; 0 if disabled."""
        rows = self._rows(track, instances)
        return np.where(
            self.states.enabled[rows.index], self.states.weight.at(rows.index).value(self.now), 0.0
        )

    def speed(self, track: int, instances: Instances = None) -> NDArray[np.float64]:
        """Return a track's speed for each instance."""
        return self.states.speed.at(self._rows(track, instances).index).value(self.now)

    def mixer(self) -> Mixer:
        """Return the mixer for the current time; keep it to pose a crowd part by part."""
        priority_blend = self.timeline.priority_blend.value(self.now)
        heard = tuple(contributions(self.timeline, self.masks))
        return Mixer(heard, priority_blend, self.samplers, self._rest, self.rotation_blend)

    def pose(self, first: int = 0, count: int | None = None) -> LocalPose:
        """Return the pose of `count` instances from `first` on, or all of them, as (D, I, B)."""
        end = self.instances if count is None else min(first + count, self.instances)
        return self.mixer().pose(first, end)

    def to_root(self, first: int = 0, count: int | None = None) -> NDArray[np.float64]:
        """Return to_root of all bones, (I, B, 4, 4): sampled, blended, and composed down the hierarchy in one
        pass.
        """
        return self.skeleton.to_root(compose(self.pose(first, count)))

    def _add(self, event: TrackEvent) -> int:
        check_event(event, self.track_count, self.instances, self.now)
        return self.timeline.add(event)

    def _clip_number(self, name: str) -> int:
        if name not in self._number:
            raise ClipError("The controller has no clip '{clip}'; choose one of its clips.", clip=name)
        return self._number[name]

    def _named(self, instances: Instances) -> tuple[int, ...] | None:
        if instances is None:
            return None
        check_instances(instances, self.instances)
        return tuple(instances)

    def _rows(self, track: int, instances: Instances) -> Rows:
        check_track(track, self.track_count)
        named = self._named(instances)
        return Rows.of(np.arange(self.instances) if named is None else np.array(named, dtype=np.intp), track)
