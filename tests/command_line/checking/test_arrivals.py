"""Answers that other threads put: a signal at any moment loses none, and comes once they are taken."""

from __future__ import annotations

import os
import signal
from queue import SimpleQueue

import pytest

from skinning_addon.command_line.checking import arrivals
from skinning_addon.command_line.checking.answers import Answer
from skinning_addon.command_line.checking.interruption import Interrupted, interruptible
from skinning_addon.measurement.check.report import FileReport

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends signals")

ONE, TWO = (0, Answer(FileReport("one.glb"))), (1, Answer(FileReport("two.glb")))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_answer_that_had_come_counts_though_a_signal_comes_as_it_is_taken(number: signal.Signals):
    class Interrupting(SimpleQueue[arrivals.Numbered | BaseException]):
        def get(self, block: bool = True, timeout: float | None = None) -> arrivals.Numbered | BaseException:
            found = super().get(block, timeout)
            signal.raise_signal(number)
            return found

    come = Interrupting()
    come.put(ONE)
    answers = arrivals.taken(come, 2)
    with interruptible():
        assert next(answers) == ONE
        with pytest.raises(Interrupted, match=str(int(number))):
            next(answers)


def test_a_signal_does_not_cut_short_what_is_done_with_an_answer():
    come: arrivals.Arrivals = SimpleQueue()
    come.put(ONE)
    answers = arrivals.taken(come, 3)
    with interruptible():
        found = [next(answers)]
        come.put(TWO)
        signal.raise_signal(signal.SIGTERM)
        found.append(next(answers))
        assert found == [ONE, TWO]
        with pytest.raises(Interrupted):
            next(answers)


def test_what_ended_a_thread_is_raised_after_the_answers_before_it():
    come: arrivals.Arrivals = SimpleQueue()
    for one in (ONE, ValueError("no profile"), TWO):
        come.put(one)
    answers = arrivals.taken(come, 3)
    assert next(answers) == ONE
    with pytest.raises(ValueError, match="no profile"):
        next(answers)
