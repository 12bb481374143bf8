"""Slow work alongside drawing: once per key, the latest request next, and no error lost to a later request."""

from __future__ import annotations

import threading
import time

from skinning_addon.viewport.character.preparation import Preparation


def wait_for(preparation: Preparation) -> None:
    end = time.monotonic() + 10
    while preparation.running:
        assert time.monotonic() < end
        time.sleep(0.002)


def test_work_is_done_once_in_another_thread():
    preparation, done = Preparation(), []
    assert not preparation.ready("a", lambda: done.append(threading.get_ident()))
    wait_for(preparation)
    assert preparation.ready("a", lambda: done.append(threading.get_ident()))
    assert len(done) == 1
    assert done[0] != threading.get_ident()


def test_the_latest_wish_is_next():
    preparation, go_on, done = Preparation(), threading.Event(), []

    def slow() -> None:
        go_on.wait(10)
        done.append("slow")

    assert not preparation.ready("slow", slow)
    for key in ("dropped", "latest"):
        assert not preparation.ready(key, lambda key=key: done.append(key))
    go_on.set()
    wait_for(preparation)
    assert not preparation.ready("latest", lambda: done.append("latest"))
    wait_for(preparation)
    assert preparation.ready("latest", lambda: done.append("latest"))
    assert done == ["slow", "latest"]


def test_what_fails_counts_as_done():
    def fail() -> None:
        raise ValueError

    preparation = Preparation()
    assert not preparation.ready("a", fail)
    wait_for(preparation)
    assert preparation.ready("a", fail)
