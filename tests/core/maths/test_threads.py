"""Pieces of work on several threads: each is done once, told on the thread that asked, and ended from there."""

import threading
import time

import pytest

from skinning_addon.core.maths import threads


@pytest.fixture(autouse=True)
def several_processors(monkeypatch):
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 4)


def test_every_piece_is_done_once():
    done: list[int] = []
    threads.each_on_some_thread(done.append, range(1000), 4)
    assert sorted(done) == list(range(1000))


@pytest.mark.parametrize("most", [0, 4])
def test_progress_is_told_on_the_thread_that_asked(most):
    told: list[int] = []
    threads.each_on_some_thread(
        lambda _: time.sleep(1e-4), range(50), most, after_each=lambda: told.append(threading.get_ident())
    )
    assert set(told) == {threading.get_ident()}


def test_ending_at_progress_leaves_the_other_pieces():
    done: list[int] = []

    def work(piece: int) -> None:
        time.sleep(1e-3)
        done.append(piece)

    def end() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        threads.each_on_some_thread(work, range(1000), 4, after_each=end)
    # How many are done by then is up to the machine.
    assert 1 <= len(done) < 1000


@pytest.mark.parametrize("most", [1, 4])
def test_what_goes_wrong_on_any_of_them_is_raised_here(most):
    def fail_late(piece: int) -> None:
        if piece == 7:
            raise IndexError("7")

    with pytest.raises(IndexError, match="7"):
        threads.each_on_some_thread(fail_late, range(20), most)
