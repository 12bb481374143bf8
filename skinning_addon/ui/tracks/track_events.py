"""Keys and markers around the shown moment of a playing script, past and upcoming."""

from __future__ import annotations

from dataclasses import dataclass

from ...animation.events import EventKind
from ...animation.passings import Passing
from ...animation.script import ScriptKey
from ...core.text.message import Message
from ...viewport.players import Player

PASSED_SHOWN = 3
UPCOMING_SHOWN = 5

WORDS = {
    EventKind.ENABLE: Message("Enable"),
    EventKind.SPEED: Message("Speed"),
    EventKind.WEIGHT: Message("Weight"),
    EventKind.POSITION: Message("Position"),
    EventKind.PRIORITY: Message("Priority"),
    EventKind.MASK: Message("Mask"),
    EventKind.PRIORITY_BLEND: Message("Priority Blend"),
}


@dataclass(frozen=True)
class Happening:
    """A key or a marker. seconds: its time. text: for the panel. passed: whether it is in the past."""

    seconds: float
    text: Message
    is_marker: bool
    passed: bool


def happenings(player: Player) -> list[Happening]:
    """List the shown instance's latest events and its next ones, in order of time."""
    plan, now = player.plan, player.controller.now
    if plan is None:
        return []
    keys = [
        Happening(key.time, _key_text(key), is_marker=False, passed=key.time <= now)
        for key in plan.script.keys
        if key.instance in {None, player.instance}
    ]
    markers = [
        Happening(one.time, _marker_text(one), is_marker=True, passed=one.time <= now)
        for one in plan.passings
        if one.instance == player.instance
    ]
    ordered = sorted((*keys, *markers), key=lambda one: one.seconds)
    passed = [one for one in ordered if one.passed]
    upcoming = [one for one in ordered if not one.passed]
    return [*passed[-PASSED_SHOWN:], *upcoming[:UPCOMING_SHOWN]]


def _marker_text(passing: Passing) -> Message:
    return Message(
        "{seconds} s  {marker} ({clip}, {weight}%)",
        seconds=f"{passing.time:.2f}",
        marker=passing.marker,
        clip=passing.clip,
        weight=f"{100 * passing.weight:.0f}",
    )


def _key_text(key: ScriptKey) -> Message:
    value: object = f"{key.value:.2f}"
    if key.kind is EventKind.ENABLE:
        value = Message("on") if key.value else Message("off")
    elif key.kind is EventKind.PRIORITY:
        value = Message("High") if key.value else Message("Low")
    if key.kind is EventKind.PRIORITY_BLEND:
        return Message(
            "{seconds} s  {what} {value}", seconds=f"{key.time:.2f}", what=WORDS[key.kind], value=value
        )
    return Message(
        "{seconds} s  Track {track}: {what} {value}",
        seconds=f"{key.time:.2f}",
        track=key.track,
        what=WORDS[key.kind],
        value=value,
    )
