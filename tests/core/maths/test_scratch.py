"""Arrays that memory does not hold are the same arrays."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.maths import scratch as module
from skinning_addon.core.maths.scratch import RowsToCome, row_blocks, scratch, taken


@pytest.fixture(params=[0, 100, 1 << 30])
def in_memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(module, "IN_MEMORY", request.param)
    monkeypatch.setattr(module, "BLOCK", 64)
    return request.param


def test_rows_come_back_as_they_were_given(in_memory: int):
    rows = RowsToCome[np.float32]()
    given = np.random.default_rng(1).normal(size=(20, 3, 2)).astype(np.float32)
    for one in given:
        # Rows may be views, in any order of memory.
        rows.append(np.asfortranarray(one))
    found = rows.array()
    assert isinstance(found, np.memmap) == (in_memory < given.nbytes)
    assert np.array_equal(found, given)
    assert found.dtype == np.float32


@pytest.mark.parametrize(
    "rows", [np.array([5, 1, 1, 19]), np.arange(20) % 3 == 0, np.empty(0, dtype=np.intp)]
)
def test_rows_are_taken_as_by_an_index(in_memory: int, rows: np.ndarray):
    array = np.random.default_rng(2).normal(size=(20, 7))
    found = taken(array, rows)
    assert np.array_equal(found, array[rows])
    assert isinstance(found, np.memmap) == (in_memory < found.nbytes)


def test_large_arrays_are_writable_and_empty_ones_are_arrays(in_memory: int):
    array = scratch((4, 9), np.float32)
    array[:] = 3
    assert array.sum() == 108
    assert isinstance(array, np.memmap) == (in_memory < array.nbytes)
    assert scratch((0, 9), np.float32).shape == (0, 9)


def test_blocks_cover_all_rows_once():
    array = np.zeros((10, 1000, 1000), dtype=np.float32)
    found = [one for rows in row_blocks(array) for one in range(rows.start, rows.stop)]
    assert found == list(range(10))
    assert not list(row_blocks(np.empty((0, 3))))
