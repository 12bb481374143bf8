"""Events keyed on a controller's clock: track changes at a time, and the queue they wait in."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import Any

from .ramps import Transition


class EventKind(Enum):
    """The property that an event changes."""

    ENABLE = "enable"
    SPEED = "speed"
    WEIGHT = "weight"
    POSITION = "position"
    PRIORITY = "priority"
    """Moves the track to the high-priority group (1) or to the low one (0), at once."""
    MASK = "mask"
    """Strength of the track's mask: at 1 it moves only its bones, at 0 all of them."""
    PRIORITY_BLEND = "priority blend"
    CROSS_FADE = "cross-fade"
    FADE_END = "fade end"
    """Switches off the track that a cross-fade has faded out; keyed by the cross-fade itself."""


@dataclass(frozen=True)
class TrackEvent:
    """Something that happens at a time.

    number: its id, which also orders simultaneous events. time: seconds on the controller's clock.
    track: -1 for the priority blend. value: the new one; 1 or 0 for enable and priority. duration,
    transition: of the change. instances: those affected, None for all.
    source: for a cross-fade, the track that fades out. phase: whether a cross-fade matches phases. weight:
    for a cross-fade, the weight of the track that fades in; `value` is then its speed, and `position` its
    start.
    """

    number: int
    time: float
    kind: EventKind
    track: int
    value: float
    duration: float = 0.0
    transition: Transition = Transition.LINEAR
    instances: tuple[int, ...] | None = None
    source: int = -1
    phase: bool = False
    weight: float = 1.0
    position: float = 0.0

    @property
    def tracks(self) -> tuple[int, ...]:
        """The tracks that it changes."""
        return tuple(track for track in (self.track, self.source) if track >= 0)

    def to_plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        plain = asdict(self)
        plain["kind"], plain["transition"] = self.kind.value, self.transition.value
        plain["instances"] = None if self.instances is None else list(self.instances)
        return plain

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> TrackEvent:
        """Undo `to_plain`. Invalid data raises any of LookupError, TypeError and ValueError."""
        instances = plain["instances"]
        return cls(
            number=int(plain["number"]),
            time=float(plain["time"]),
            kind=EventKind(plain["kind"]),
            track=int(plain["track"]),
            value=float(plain["value"]),
            duration=float(plain["duration"]),
            transition=Transition(plain["transition"]),
            instances=None if instances is None else tuple(int(one) for one in instances),
            source=int(plain["source"]),
            phase=bool(plain["phase"]),
            weight=float(plain["weight"]),
            position=float(plain["position"]),
        )


class EventQueue:
    """Events in order: by time, then by number."""

    def __init__(self, events: list[TrackEvent] | None = None) -> None:
        self._events = sorted(events or [], key=_order)

    def __iter__(self) -> Iterator[TrackEvent]:
        return iter(self._events)

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: TrackEvent) -> None:
        """Insert an event in order."""
        bisect.insort(self._events, event, key=_order)

    def pop_due(self, time: float) -> TrackEvent | None:
        """Remove and return the first event if it is due at `time`."""
        if self._events and self._events[0].time <= time:
            return self._events.pop(0)
        return None

    def remove(self, number: int) -> bool:
        """Remove the event with that number; return whether it was there."""
        kept = [event for event in self._events if event.number != number]
        found = len(kept) < len(self._events)
        self._events = kept
        return found

    def remove_of_tracks(
        self,
        tracks: tuple[int, ...],
        instances: tuple[int, ...] | None,
        every_instance: range,
        kind: EventKind | None = None,
    ) -> None:
        """Remove the events of some tracks (only of one kind, if given) for some instances; others keep
        theirs.
        """
        kept: list[TrackEvent] = []
        for event in self._events:
            if not set(event.tracks) & set(tracks) or (kind is not None and event.kind is not kind):
                kept.append(event)
            elif instances is not None:
                gone = set(instances)
                having = every_instance if event.instances is None else event.instances
                left = tuple(one for one in having if one not in gone)
                if left:
                    kept.append(replace(event, instances=left))
        self._events = kept


def _order(event: TrackEvent) -> tuple[float, int]:
    return event.time, event.number
