"""Arrays that memory may not hold: above a size they lie in unnamed files, which vanish with them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

IN_MEMORY = 1 << 30
"""Bytes of an array up to which it stays in memory."""

BLOCK = 1 << 25
"""Bytes that are worked on at once where an array is gone through in blocks."""


Number = TypeVar("Number", bound=np.generic)


def scratch(shape: tuple[int, ...], dtype: type[Number]) -> NDArray[Number]:
    """Return an array, not initialised."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if size <= IN_MEMORY:
        return np.empty(shape, dtype=dtype)
    # The array keeps what it is mapped from.
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, dtype=dtype, mode="w+", shape=shape)


def taken(array: NDArray[Number], rows: NDArray[np.integer] | NDArray[np.bool_]) -> NDArray[Number]:
    """Return `array[rows]`, row by row if it is large."""
    numbers = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
    result = scratch((len(numbers), *array.shape[1:]), array.dtype.type)
    for block in row_blocks(result):
        result[block] = array[numbers[block]]
    return result


def row_blocks(array: NDArray[np.generic]) -> Iterator[slice]:
    """Cut the rows of an array into blocks of at most `BLOCK` bytes, at least one row each."""
    each = array[:1].nbytes
    step = max(1, BLOCK // max(1, each))
    for start in range(0, len(array), step):
        yield slice(start, min(start + step, len(array)))


class RowsToCome(Generic[Number]):
    """Rows of an array, one by one. Those that memory does not hold go to a file at once."""

    def __init__(self) -> None:
        self._rows: list[NDArray[Number]] = []
        self._bytes = 0
        self._count = 0
        self._file: IO[bytes] | None = None

    def append(self, row: NDArray[Number]) -> None:
        """Take a row: of the shape and the dtype of all others."""
        self._count += 1
        self._bytes += row.nbytes
        self._rows.append(row)
        if self._bytes <= IN_MEMORY:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `array` closes it
        else:
            # The first stays for its shape and dtype.
            del self._rows[0]
        for one in self._rows:
            self._file.write(one.tobytes())
        del self._rows[1:]

    def array(self) -> NDArray[Number]:
        """Return all rows, at least one, as an array. No row may come afterwards."""
        if self._file is None:
            return np.stack(self._rows)
        first = self._rows[0]
        with self._file as file:
            file.flush()
            return np.memmap(file, dtype=first.dtype, mode="r", shape=(self._count, *first.shape))
