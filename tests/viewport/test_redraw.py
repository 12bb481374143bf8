"""The timer to which draw callbacks defer work."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.viewport.redraw import Later


@pytest.fixture
def register(monkeypatch):
    """What Blender was asked for: the functions that are registered, and after how long they are to be
    called.
    """
    registered: dict[object, float] = {}
    timers = bpy.app.timers
    monkeypatch.setattr(
        timers,
        "register",
        lambda timer, first_interval, **_: registered.update({timer: first_interval}),
    )
    monkeypatch.setattr(timers, "is_registered", registered.__contains__)
    monkeypatch.setattr(timers, "unregister", registered.pop)
    return registered


def test_the_earliest_wish_counts(register):
    later = Later(lambda: None, clock=lambda: 10.0)
    later.at(15.0)
    later.at(12.0)
    later.at(13.0)
    assert list(register.values()) == [2.0]
    later.cancel()
    assert not register


def test_an_action_may_ask_to_be_called_again(register):
    asked: list[float] = []

    def act() -> None:
        if asked:
            later.at(asked.pop())

    later = Later(act, clock=lambda: 10.0)
    later.at(10.0)
    (timer,) = register
    # Blender calls it, and calls it again after the seconds that it returns.
    asked.append(10.5)
    assert timer() == 0.5
    assert timer() is None


def test_an_action_that_cancels_is_not_called_again(register):
    def act() -> None:
        later.at(12.0)
        later.cancel()

    later = Later(act, clock=lambda: 10.0)
    later.at(10.0)
    (timer,) = register
    assert timer() is None


def test_what_is_asked_for_again_and_again_waits_for_the_end(register):
    later = Later(lambda: None, clock=lambda: 10.0)
    later.only_at(12.0)
    later.only_at(15.0)
    assert list(register.values()) == [5.0]
