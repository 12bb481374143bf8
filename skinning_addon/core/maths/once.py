"""Values that are computed once for everybody who needs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

Value = TypeVar("Value")


class Once(Protocol):
    """Returns the value that is known under a key, or makes it. A key is all that its value depends on."""

    def __call__(self, key: Hashable, make: Callable[[], Value], /) -> Value: ...


class Known:
    """The values of one moment, by key; call it as `Once` says."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}

    def __call__(self, key: Hashable, make: Callable[[], Value], /) -> Value:
        try:
            return self._values[key]
        except KeyError:
            pass
        value = self._values[key] = make()
        return value


def each_time(_key: Hashable, make: Callable[[], Value], /) -> Value:
    """Make a value that nobody else needs."""
    return make()
