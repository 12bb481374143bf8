"""Frozen dataclasses that hold arrays <-> one file, without pickle: what one process hands to another.

The file is numpy's .npz: each array as it is, to the last bit, and a tree of everything else as JSON. Reading
it makes nothing but the dataclasses that the reader names.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..text.errors import InvalidArrayError, SourceFileError
from ..text.identity import Identity
from ..text.message import Message
from ..text.message_record import recorded, restored

TREE = "tree"

PathRule = Callable[[str], str]
"""Turns the path of a library into what another process, or this one, knows it by."""


@dataclass(frozen=True)
class RecordKinds:
    """kinds: the dataclasses that a record may hold."""

    kinds: tuple[type, ...]

    def write(self, path: Path, value: object, library: PathRule = str) -> None:
        """Write a value: of dataclasses, arrays, tuples, lists, frozen sets, mappings, texts, numbers and None.

        Raises:
            TypeError: there is something else in it.
            OSError: the file can't be written.
        """
        arrays: dict[str, NDArray[Any]] = {}
        tree = _Writer(frozenset(self.kinds), library, arrays).tree(value)
        arrays[TREE] = np.frombuffer(json.dumps(tree).encode(), dtype=np.uint8)
        with path.open("wb") as file:
            # There are no arrays of objects, so nothing is pickled.
            np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]

    def read(self, path: Path, library: PathRule = str) -> Any:
        """Return what was written.

        Raises:
            SourceFileError: the file is cut short, or not such a record.
        """
        try:
            # Given a path, numpy would leave a broken file open.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                tree = json.loads(arrays[TREE].tobytes().decode())
                return _Reader({one.__name__: one for one in self.kinds}, library, arrays).value(tree)
        except (
            OSError,
            EOFError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            zipfile.BadZipFile,
            InvalidArrayError,
        ) as error:
            raise SourceFileError(
                "'{file}' is incomplete or broken ({reason}); write it again.",
                file=path.name,
                reason=str(error),
            ) from error


@dataclass(frozen=True)
class _Writer:
    kinds: frozenset[type]
    library: PathRule
    arrays: dict[str, NDArray[Any]]

    def tree(self, value: Any) -> object:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, np.generic):
            return cast("Any", value).item()
        if isinstance(value, int | float):
            return value
        if isinstance(value, np.ndarray):
            return self._array(cast("NDArray[Any]", value))
        if isinstance(value, str):
            return self._text(value)
        if is_dataclass(value) and type(value) in self.kinds:
            parts = {one.name: self.tree(getattr(value, one.name)) for one in fields(value)}
            return {"kind": type(value).__name__, "fields": parts}
        return self._many(value)

    def _array(self, value: NDArray[Any]) -> object:
        if value.dtype.hasobject:
            raise TypeError("an array of Python objects can't be recorded")
        name = f"array{len(self.arrays)}"
        self.arrays[name] = value
        return {"array": name}

    def _text(self, value: str) -> object:
        if isinstance(value, Message):
            return {"message": recorded(value)}
        if isinstance(value, Identity) and value.library is not None:
            return {"name": value.name, "library": self.library(value.library)}
        return {"name": value.name} if isinstance(value, Identity) else str(value)

    def _many(self, value: object) -> object:
        if isinstance(value, Mapping):
            entries = cast("Mapping[Any, Any]", value)
            return {"entries": [[self.tree(key), self.tree(one)] for key, one in entries.items()]}
        if isinstance(value, frozenset):
            return {"set": [self.tree(one) for one in sorted(cast("frozenset[Any]", value))]}
        if isinstance(value, tuple | list):
            items = cast("Sequence[Any]", value)
            return {type(items).__name__: [self.tree(one) for one in items]}
        raise TypeError(f"a {type(value).__name__} can't be recorded")


@dataclass(frozen=True)
class _Reader:
    kinds: Mapping[str, type]
    library: PathRule
    arrays: Mapping[str, NDArray[Any]]

    def value(self, tree: Any) -> Any:
        if not isinstance(tree, dict):
            return tree
        held = cast("dict[str, Any]", tree)
        ((name, one),) = [(key, held[key]) for key in held if key not in ("fields", "library")]
        if name == "kind":
            parts = cast("dict[str, Any]", held["fields"])
            return self.kinds[one](**{part: self.value(each) for part, each in parts.items()})
        if name == "name":
            return Identity(one, self.library(held["library"]) if "library" in held else None)
        if name == "array":
            return self.arrays[one]
        if name == "message":
            return restored(one)
        if name == "entries":
            return {self.value(key): self.value(each) for key, each in one}
        return _MANY[name](self.value(each) for each in one)


_MANY: Mapping[str, Callable[[Any], Sequence[Any] | frozenset[Any]]] = {
    "set": frozenset,
    "tuple": tuple,
    "list": list,
}
