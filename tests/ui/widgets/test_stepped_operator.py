"""Work in steps with progress: how much of the time is work."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import pytest

from skinning_addon.core.text.message import Message
from skinning_addon.ui.widgets import stepped_operator
from skinning_addon.ui.widgets.stepped_operator import SteppedOperator, StepProgress, Steps

TIMER = SimpleNamespace(type="TIMER", value="NOTHING")
STEP = 0.01
"""Seconds."""


class Clock:
    """Stands in for the `time` module."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class WorkOnRemoved(SteppedOperator):
    """Works on an object that is removed after its first step."""

    def __init__(self) -> None:
        self.reports: list[tuple[set[str], str]] = []
        self._steps = self._works_on(bpy.data.objects.new("Gone", None))
        self._paused_at = 0.0

    def report(self, kind: set[str], text: str) -> None:
        self.reports.append((kind, text))

    def _works_on(self, one: bpy.types.Object) -> Steps:
        yield StepProgress(Message("Counting"), 0, 2)
        bpy.data.objects.remove(one)
        yield StepProgress(Message("Counting"), len(one.name), 2)


class LongWork(SteppedOperator):
    """Counts its steps, each of which takes STEP seconds of the clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.done = 0
        self._steps = self._counted()
        self._paused_at = clock.now

    def _counted(self) -> Steps:
        while True:
            self.clock.now += STEP
            self.done += 1
            yield StepProgress(Message("Counting"), self.done, 10_000)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> LongWork:
    clock = Clock()
    monkeypatch.setattr(stepped_operator, "time", clock)
    monkeypatch.setattr(LongWork, "_tell_progress", lambda *_: None)
    return LongWork(clock)


@pytest.mark.parametrize(("drawing", "least", "most"), [(0.0, 0.1, 0.13), (0.3, 0.3, 0.33), (3.0, 0.5, 0.53)])
def test_half_of_the_time_is_work_while_drawing_takes_up_to_half_a_second(
    work: LongWork, drawing: float, least: float, most: float
):
    for _ in range(3):
        work.clock.now += drawing
        before = work.clock.now
        work.modal(bpy.context, TIMER)
        assert least <= work.clock.now - before <= most


def test_what_was_removed_meanwhile_ends_the_work_with_a_sentence(monkeypatch: pytest.MonkeyPatch):
    """Another extension's timer may remove it."""
    monkeypatch.setattr(WorkOnRemoved, "_end_progress", lambda *_: None)
    work = WorkOnRemoved()
    assert work.modal(bpy.context, TIMER) == {"CANCELLED"}
    ((kind, text),) = work.reports
    assert kind == {"ERROR"}
    assert text.startswith("What this works on was removed")
