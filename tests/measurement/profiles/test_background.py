"""Work in another thread: in order, errors reported, nothing left running."""

from __future__ import annotations

import threading

import pytest

from skinning_addon.measurement.profiles.background import Background


def test_items_are_worked_on_in_order_by_one_other_thread():
    done: list[tuple[int, int]] = []
    with Background(lambda item: done.append((item, threading.get_ident()))) as background:
        for item in range(5):
            background.hand_over(item)
    assert [item for item, _ in done] == [0, 1, 2, 3, 4]
    threads = {thread for _, thread in done}
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def refuse(item: int) -> None:
    raise ValueError(f"not {item}")


@pytest.mark.parametrize("items", [(1,), (1, 2)])
def test_what_the_work_raises_is_raised_here(items: tuple[int, ...]):
    def hand_over_all() -> None:
        with Background(refuse) as background:
            for item in items:
                background.hand_over(item)

    with pytest.raises(ValueError, match="not 1"):
        hand_over_all()


def test_leaving_by_an_exception_waits_for_what_runs():
    begun, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def work(item: int) -> None:
        begun.set()
        go_on.wait(10)
        done.append(item)

    def interrupted() -> None:
        with Background(work) as background:
            background.hand_over(1)
            assert begun.wait(10)
            go_on.set()
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert done == [1]
    assert not [one for one in threading.enumerate() if one.name.startswith("skinscope")]
