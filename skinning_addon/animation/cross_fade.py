"""One clip fading to another, phase-matched if wanted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .events import EventKind, TrackEvent
from .ramps import Transition
from .tracks import NO_CLIP, ClipLengths, Rows, TrackStates, positions_at


def begin_cross_fade(
    states: TrackStates, lengths: ClipLengths, instances: NDArray[np.intp], event: TrackEvent, number: int
) -> TrackEvent:
    """Change both tracks of a cross-fade at its time, and return the event that ends it.

    Both tracks must be anchored at that time. A track that is already audible continues from where it is, so
    that reversing a fade does not jump.
    """
    time, way = event.time, event.transition
    to, source = Rows.of(instances, event.track), Rows.of(instances, event.source)
    heard = states.enabled[to.index] & (states.weight.at(to.index).value(time) > 0)
    silent = to.where(~heard)
    states.weight.set(silent.index, time, 0.0, 0.0, Transition.LINEAR)
    states.position[silent.index] = event.position
    states.speed.set(to.index, time, event.value, 0.0, Transition.LINEAR)
    states.enabled[to.index] = True
    if event.phase:
        _match_phases(states, lengths, instances, event)
    states.weight.set(to.index, time, event.weight, event.duration, way)
    states.weight.set(source.index, time, 0.0, event.duration, way)
    return TrackEvent(
        number, time + event.duration, EventKind.FADE_END, event.source, 0.0, instances=event.instances
    )


def _match_phases(
    states: TrackStates, lengths: ClipLengths, instances: NDArray[np.intp], event: TrackEvent
) -> None:
    """Put both tracks in the same phase of their cycles, and keep them there during the fade.

    Cycles per second go from the old clip's to the new one's in both tracks, so their integrals are equal as
    well.
    """
    clips = states.clip[instances, event.track], states.clip[instances, event.source]
    usable = (clips[0] != NO_CLIP) & (clips[1] != NO_CLIP)
    usable &= (lengths.duration[clips[0]] > 0) & (lengths.duration[clips[1]] > 0)
    to, source = (Rows.of(instances[usable], track) for track in (event.track, event.source))
    ratio = lengths.duration[states.clip[to.index]] / lengths.duration[states.clip[source.index]]
    time, way = event.time, event.transition
    states.position[to.index] = positions_at(states, lengths, source, time) * ratio
    old_speed = states.speed.at(source.index).value(time)
    states.speed.set(to.index, time, old_speed * ratio, 0.0, Transition.LINEAR)
    states.speed.set(to.index, time, event.value, event.duration, way)
    states.speed.set(source.index, time, event.value / ratio, event.duration, way)
