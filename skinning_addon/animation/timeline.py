"""The clock, the tracks that follow it, and the events keyed on it.

Time is exact. The clock is the sum of the given steps, kept as a fraction, so that it does not depend on how
time is divided. Everything else is a function of the clock: positions, speeds and weights in closed form from
an anchor
(`motion`, `ramps`), keyed events at their own times whichever step they fall into, and passings of markers
likewise. A
thousand small steps and a large one end in the same state, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from .clip import Clip
from .cross_fade import begin_cross_fade
from .events import EventKind, EventQueue, TrackEvent
from .passings import Passing, tell_passings
from .ramps import Ramps
from .tracks import ClipLengths, Rows, TrackStates, set_anchor


class Timeline:
    """The whole changing state of a controller except its masks: I instances with K tracks each.

    clock: seconds. states, priority_blend: as of the last event of each track. queue: pending events.
    next_number: of the next event. untold: passings that the next `advance` will list.
    """

    def __init__(self, clips: Sequence[Clip], tracks: int, instances: int) -> None:
        """Make a clock at 0, and tracks that play nothing."""
        self.clips = tuple(clips)
        self.instances, self.tracks = instances, tracks
        self.lengths = ClipLengths(
            np.array([clip.duration for clip in clips]),
            np.array([clip.looping for clip in clips], dtype=np.bool_),
        )
        self.clock = Fraction(0)
        self.states = TrackStates.empty(instances, tracks)
        self.priority_blend = Ramps.constant((instances,), 1.0)
        self.queue = EventQueue()
        self.next_number = 0
        self.untold: list[Passing] = []

    @property
    def now(self) -> float:
        """The clock, in seconds."""
        return float(self.clock)

    def advance(self, dt: Fraction) -> list[Passing]:
        """Advance time, and list the markers that were passed, in order."""
        target = self.clock + dt
        now = float(target)
        while (event := self.queue.pop_due(now)) is not None:
            self._happen(event)
        self.clock = target
        instance, track = np.divmod(np.arange(self.instances * self.tracks), self.tracks)
        self.untold += self._told(Rows(instance, track), now)
        told, self.untold = self.untold, []
        return sorted(told, key=lambda passing: passing.order)

    def reset(self) -> None:
        """Reset the clock to 0, and shift all past and pending times with it, so that nothing else
        changes.
        """
        instance, track = np.divmod(np.arange(self.instances * self.tracks), self.tracks)
        past = self.now
        self.settle(Rows(instance, track), past)
        self.clock = Fraction(0)
        states = self.states
        states.anchor -= past
        states.told -= past
        for ramps in (states.speed, states.weight, states.mask, self.priority_blend):
            ramps.earlier_by(past)
        self.queue = EventQueue([replace(event, time=event.time - past) for event in self.queue])
        self.untold = [passing._replace(time=passing.time - past) for passing in self.untold]

    def add(self, event: TrackEvent) -> int:
        """Number an event and apply it, at once or at its time. Returns the number."""
        numbered = replace(event, number=self.next_number)
        self.next_number += 1
        if numbered.time <= self.now:
            self._happen(numbered)
        else:
            self.queue.add(numbered)
        return numbered.number

    def settle(self, rows: Rows, time: float) -> None:
        """Record the tracks' passings so far and re-anchor them, since they are about to change."""
        self.untold += self._told(rows, time, stopping=True)
        set_anchor(self.states, self.lengths, rows, time)

    def _told(self, rows: Rows, time: float, *, stopping: bool = False) -> list[Passing]:
        told = tell_passings(self.states, self.lengths, self.clips, rows, time, stopping=stopping)
        self.states.told[rows.index] = time
        return told

    def _happen(self, event: TrackEvent) -> None:
        """Apply an event at its own time."""
        named = event.instances
        instances = np.arange(self.instances) if named is None else np.array(named, dtype=np.intp)
        states, time = self.states, event.time
        if event.kind is EventKind.PRIORITY_BLEND:
            self.priority_blend.set(instances, time, event.value, event.duration, event.transition)
            return
        rows = Rows.of(instances, event.track)
        if event.kind is EventKind.WEIGHT:
            # With the weight at that time: a step may reach far beyond this event.
            self.untold += self._told(rows, time)
            states.weight.set(rows.index, time, event.value, event.duration, event.transition)
            return
        if event.kind is EventKind.MASK:
            states.mask.set(rows.index, time, event.value, event.duration, event.transition)
            return
        if event.kind is EventKind.PRIORITY:
            states.high[rows.index] = event.value != 0
            return
        self.settle(rows, time)
        if event.kind is EventKind.CROSS_FADE:
            self.settle(Rows.of(instances, event.source), time)
            self.queue.remove_of_tracks(
                event.tracks, event.instances, range(self.instances), EventKind.FADE_END
            )
            end = begin_cross_fade(states, self.lengths, instances, event, self.next_number)
            self.next_number += 1
            self.queue.add(end)
        elif event.kind is EventKind.SPEED:
            states.speed.set(rows.index, time, event.value, event.duration, event.transition)
        elif event.kind is EventKind.POSITION:
            states.position[rows.index] = event.value
        else:
            states.enabled[rows.index] = event.kind is EventKind.ENABLE and event.value != 0
