"""Array fields of the frozen dataclasses: converted and checked once on the way in, read-only from then on."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..text.errors import InvalidArrayError

Number = TypeVar("Number", bound=np.generic)

set_field = object.__setattr__
"""Sets a field of a frozen dataclass; for use in `__post_init__` only."""


def read_only(
    name: str, values: ArrayLike, dtype: DTypeLike, shape: tuple[int | None, ...]
) -> NDArray[np.generic]:
    """Return `values` as a C-contiguous read-only array of `dtype`, copied only where it must be.

    shape: the required shape; None stands for any length. The caller's own array stays writable
    (a view is handed out), so arrays that are passed in must not be written to afterwards.

    Raises:
        InvalidArrayError: the array has another shape; the message starts with `name`.
    """
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.shape != shape and not _fits(array.shape, shape):
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InvalidArrayError(f"{name} has the shape {array.shape}; it needs ({expected}).")
    return sealed(array.view())


def sealed(array: NDArray[Number]) -> NDArray[Number]:
    """Make one of our own arrays read-only and return it; for values that a dataclass computes once and
    keeps.
    """
    array.flags.writeable = False
    return array


def _fits(have: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    if len(have) != len(wanted):
        return False
    # A generator would take longer than all the rest.
    for length, needed in zip(have, wanted, strict=True):
        if needed is not None and needed != length:
            return False
    return True
