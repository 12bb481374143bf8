"""Where results are written: found out before the work begins whether that will be possible."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.errors import OutputError


def prepared_folder(path: str) -> Path:
    """Make a folder, and those above it, unless they are there.

    Raises:
        OutputError: that can't be done, or nothing can be written into it.
    """
    folder = Path(path).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".skinscope-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"The folder '{path}' can't be written to ({error.strerror}); choose another with --output."
        ) from error
    return folder


def prepared_file(path: str) -> Path:
    """Make sure that a file can be written, leaving what is in it for now; the folders above it are made.

    Raises:
        OutputError: it can't, or it is a folder.
    """
    file = Path(path).absolute()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        existed = file.exists()
        file.open("ab").close()
        if not existed:
            file.unlink()
    except OSError as error:
        raise cannot_write(file, error.strerror) from error
    return file


def write_file(file: Path, text: str) -> None:
    """Write a text file.

    Raises:
        OutputError: it can't be written, although its folder can.
    """
    try:
        # A name that is no Unicode, as a file's may be, is written as standard output has it, and not refused.
        file.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise cannot_write(file, error.strerror) from error


def write_arrays(file: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Write arrays by name, as numpy's .npz whatever the file is called; the folder may be a new one.

    Raises:
        OutputError: it can't be written.
    """
    try:
        file.parent.mkdir(exist_ok=True)
        with file.open("wb") as stream:
            # To the stubs an array might be meant for savez's own option.
            np.savez(stream, **arrays)  # pyright: ignore[reportArgumentType]
    except OSError as error:
        raise cannot_write(file, error.strerror) from error


def cannot_write(file: Path, reason: str | None) -> OutputError:
    """Say that a file can't be written, and why."""
    return OutputError(
        f"'{file}' can't be written ({reason or 'no reason given'}); choose another place with --output."
    )
