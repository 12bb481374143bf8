"""Output files: checked to be writable before the work begins, and never left half written.

Every file is written under a temporary name in its own folder, and renamed once it is complete; if anything
goes wrong before that, an older file of the name is left untouched. Everything but the content survives: a
symbolic link stays one, and an overwritten file keeps its permissions. Anything that isn't a regular file,
such as /dev/stdout or a named pipe, is written to directly.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TextIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...core.text.errors import OutputError
from ..arguments.same_file import is_same_file
from .streams import STANDARD_ERROR, STANDARD_OUTPUT, error_descriptor, report_descriptor

TEMPORARY = ".skinscope-"
"""Prefix of temporary names. The rest is random: several processes may write into one folder."""

_OPEN_ALREADY = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d+)")

_NO_NEW_FILES = (errno.EACCES, errno.EPERM, errno.EROFS)
_NOT_TO_BE_RENAMED_OVER = (errno.EBUSY, errno.EXDEV, *_NO_NEW_FILES)
"""Such as a single file mounted into a container."""


def prepared_folder(path: str, option: str = "--output") -> Path:
    """Make a folder and its parents, unless they exist.

    Raises:
        OutputError: that can't be done, or the folder isn't writable. The message names `option`.
    """
    if not path.strip():
        raise OutputError(f"{option} names no folder; write one, such as 'out'.")
    folder = Path(path).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = _new_file(folder, "")
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"The folder '{path}' can't be written to ({error.strerror}); choose another with {option}."
        ) from error
    return folder


@contextlib.contextmanager
def filled_folder(path: str) -> Iterator[Path]:
    """Make a folder and its parents for the block; if the block fails, remove the ones that were new.

    Raises:
        OutputError: see `prepared_folder`.
    """
    folder = Path(path).absolute()
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        yield prepared_folder(path)
    except BaseException:
        _remove_empty(made)
        raise


def prepared_file(
    path: str, suffix: str = "", *, option: str = "--output", inputs: Sequence[str] = ()
) -> Path:
    """Make sure that a file can be written, leaving its content alone for now; makes its parent folders.

    suffix: the only kind of file that will be written, such as '.png'; '' if any suffix will do. option: what
    the message names. inputs: files that are read, and stay as they are.

    Raises:
        OutputError: it can't, it is a folder or one of the inputs, or its suffix is of another kind.
    """
    file = Path(path).absolute()
    if any(is_same_file(file, one) for one in inputs):
        raise OutputError(f"'{path}' is the file that is read, and stays; choose another path with {option}.")
    if suffix and file.suffix.lower() not in {"", suffix}:
        raise OutputError(
            f"'{path}' has the wrong extension for a {suffix[1:].upper()} file; call it "
            f"'{file.stem}{suffix}'."
        )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _Staged.of(file).discard()
    except OSError as error:
        raise cannot_write(file, error.strerror, option) from error
    return file


def write_file(file: Path, text: str) -> None:
    """Write a text file.

    Raises:
        OutputError: it can't be written, although its folder can.
    """
    with Outputs() as outputs:
        outputs.text(file, text)


def write_report(text: str, file: Path | None, output: TextIO) -> None:
    """Write a report to the file, if there is one, or else to `output`.

    Raises:
        OutputError: see `write_file`.
    """
    if file is None:
        output.write(text)
    else:
        write_file(file, text)


class Outputs:
    """Files that are written together: all are renamed, in order, at the end of the block, or none after an
    error.

    Raises:
        OutputError: one can't be written; also from the end of the block.
    """

    def __init__(self, options: Mapping[Path, str] | None = None) -> None:
        """options: what messages name for a file, if not --output."""
        self._options = options or {}
        self._staged: list[_Staged] = []
        self._made: list[Path] = []

    def text(self, file: Path, text: str) -> None:
        """Write a text file."""
        # A name that isn't valid Unicode, as file names may be, is written the way standard output does
        # instead of failing.
        self.content(file, text.encode("utf-8", errors="backslashreplace"))

    def content(self, file: Path, content: bytes) -> None:
        """Write a file."""
        with self._telling(file):
            self.path(file).write_bytes(content)

    def arrays(self, file: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Write arrays by name, as numpy's .npz whatever the file is called; the folder need not exist."""
        with self._telling(file):
            if not file.parent.exists():
                file.parent.mkdir(exist_ok=True)
                self._made.append(file.parent)
            # Not numpy's savez, which leaves the archive open after an error and complains again when it is
            # freed.
            with zipfile.ZipFile(self.path(file), "w") as archive:
                for name, array in arrays.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        npy.write_array(member, np.asanyarray(array), allow_pickle=False)

    def path(self, file: Path) -> Path:
        """Return a file's temporary name, for code that writes files itself; an empty file exists already."""
        with self._telling(file):
            self._staged.append(_Staged.of(file))
        return self._staged[-1].temporary

    def __enter__(self) -> Outputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                # Before any is renamed, so that a full disk leaves all the older files.
                for one in self._staged:
                    with self._telling(one.file):
                        one.settle()
                for one in self._staged:
                    with self._telling(one.file):
                        one.commit()
        finally:
            for one in self._staged:
                one.discard()
            _remove_empty(self._made)

    @contextlib.contextmanager
    def _telling(self, file: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(file, error.strerror, self._options.get(file, "--output")) from error


@dataclass(frozen=True)
class _Staged:
    """A file on its way.

    file: as requested. target: the file it resolves to. temporary: the file being written. rename: whether
    that replaces the target; otherwise its content is copied there. descriptor: of a stream that is open
    already, -1 for none.
    """

    file: Path
    target: Path
    temporary: Path
    rename: bool
    descriptor: int = -1

    @classmethod
    def of(cls, file: Path) -> _Staged:
        """Find out how to write a file, and make the temporary one.

        Raises:
            OSError: it can't be written.
        """
        descriptor = _descriptor(str(file))
        if descriptor >= 0:
            return cls(file, file, _elsewhere(), rename=False, descriptor=descriptor)
        target = Path(os.path.realpath(file))
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if mode is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if mode is not None and not stat.S_ISREG(mode):
            return cls(file, target, _elsewhere(), rename=False)
        try:
            return cls(file, target, _new_file(target.parent, target.suffix), rename=True)
        except OSError as error:
            if mode is None or error.errno not in _NO_NEW_FILES:
                raise
            # A writable file in a folder that isn't.
            return cls(file, target, _elsewhere(), rename=False)

    def settle(self) -> None:
        """Make sure the temporary file is on the disk, as far as a disk can be trusted."""
        if self.rename:
            with self.temporary.open("rb+") as stream:
                os.fsync(stream.fileno())

    def commit(self) -> None:
        """Put what was written in its place."""
        if self.descriptor >= 0:
            with os.fdopen(os.dup(self.descriptor), "wb") as stream:
                stream.write(self.temporary.read_bytes())
        elif not self.rename:
            self._copy()
        else:
            if self.target.exists():
                _make_like(self.temporary, self.target)
            try:
                self.temporary.replace(self.target)
            except OSError as error:
                if error.errno not in _NOT_TO_BE_RENAMED_OVER or not self.target.exists():
                    raise
                self._copy()

    def discard(self) -> None:
        """Remove the temporary file if it is still there."""
        self.temporary.unlink(missing_ok=True)

    def _copy(self) -> None:
        with self.temporary.open("rb") as source, self.target.open("wb") as stream:
            shutil.copyfileobj(source, stream)


def _descriptor(path: str) -> int:
    """Return the descriptor that a path stands for, -1 for none. Opening it by name would empty a file behind
    it.
    """
    if path == "/dev/stderr":
        return error_descriptor()
    match = _OPEN_ALREADY.fullmatch(path)
    number = STANDARD_OUTPUT if path == "/dev/stdout" else int(match[1]) if match else -1
    # Both have moved to other numbers by now: standard output is the report's, and what others print to
    # standard error is held back.
    return {STANDARD_OUTPUT: report_descriptor(), STANDARD_ERROR: error_descriptor()}.get(number, number)


def _new_file(folder: Path, suffix: str) -> Path:
    """Make an empty file with an unused name and a new file's usual permissions."""
    path = folder / f"{TEMPORARY}{secrets.token_hex(8)}{suffix}"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    return path


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders that are empty, the innermost first."""
    for one in folders:
        # Leave one that another program has written into or removed meanwhile.
        with contextlib.suppress(OSError):
            one.rmdir()


def _elsewhere() -> Path:
    return _new_file(Path(tempfile.gettempdir()), "")


def _make_like(path: Path, other: Path) -> None:
    """Give a file another's permissions and, as far as that is allowed, its owner."""
    wanted, there = other.stat(), path.stat()
    if (wanted.st_uid, wanted.st_gid) != (there.st_uid, there.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(path, wanted.st_uid, wanted.st_gid)
    path.chmod(stat.S_IMODE(wanted.st_mode))


def cannot_write(file: Path, reason: str | None, option: str = "--output") -> OutputError:
    """Say that a file can't be written, and why. option: what chooses another."""
    return OutputError(
        f"'{file}' can't be written ({reason or 'no reason given'}); choose another path with {option}."
    )
