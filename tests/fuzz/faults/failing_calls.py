"""Makes one operating system call fail: the Nth that opens, writes, flushes, renames or creates something in a
folder.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EIO)

CALLS = ("open", "mkdir", "rename", "replace", "fsync", "chmod", "truncate")
"""Functions of the module os; those of pathlib and shutil end up there."""


class Calls:
    """Counts the calls that concern a folder. failed: the call that was made to fail, '' if none was."""

    def __init__(self, folder: Path, fails: int) -> None:
        """fails: the number of the call that fails, starting from 1; 0 for none."""
        self.folder, self.fails = str(folder), fails
        self.count, self.failed = 0, ""

    def made(self, call: str, path: object) -> None:
        """Count a call, and fail it if it is its turn."""
        if not isinstance(path, str | os.PathLike) or not os.fspath(path).startswith(self.folder):
            return
        self.count += 1
        if self.count == self.fails:
            number = ERRORS[self.fails % len(ERRORS)]
            self.failed = f"{call} {os.fspath(path)} ({errno.errorcode[number]})"
            raise OSError(number, os.strerror(number), os.fspath(path))


class _File:
    """A file opened for writing that counts its writes, flushes and closing. It closes even if
    flushing fails.
    """

    def __init__(self, file: Any, calls: Calls, path: object) -> None:
        self._file, self._calls, self._path = file, calls, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, content: Any) -> int:
        self._calls.made("write", self._path)
        return self._file.write(content)

    def flush(self) -> None:
        self._calls.made("flush", self._path)
        self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            try:
                self._calls.made("close", self._path)
            finally:
                self._file.close()

    def __enter__(self) -> _File:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)


@contextlib.contextmanager
def failing(folder: Path, fails: int) -> Iterator[Calls]:
    """Make one call that concerns a folder fail."""
    calls = Calls(folder, fails)
    own_open, own = io.open, {name: getattr(os, name) for name in CALLS}

    def opened(file: Any, mode: str = "r", *more: Any, **options: Any) -> Any:
        if not set(mode) & set("wax+"):
            return own_open(file, mode, *more, **options)
        calls.made("open", file)
        stream = own_open(file, mode, *more, **options)
        inside = isinstance(file, str | os.PathLike) and os.fspath(file).startswith(calls.folder)
        return _File(stream, calls, file) if inside else stream

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *more: Any, **options: Any) -> Any:
            # A descriptor no longer has a path; only our own files are synchronized.
            calls.made(name, calls.folder if name == "fsync" else path)
            return function(path, *more, **options)

        return call

    io.open = builtins.open = opened
    for name, function in own.items():
        setattr(os, name, counted(name, function))
    try:
        yield calls
    finally:
        io.open = builtins.open = own_open
        for name, function in own.items():
            setattr(os, name, function)
