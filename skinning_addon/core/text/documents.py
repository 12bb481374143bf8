"""Untrusted files, read safely: JSON, TOML and numpy archives.

Anything wrong with a file raises a `DocumentError` that says so in a few words; validating the values is up
to the caller.
"""

from __future__ import annotations

import json
import lzma
import stat
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numpy.lib import format as npy
from numpy.typing import NDArray

from .quoted import brief

LARGEST_UNPACKED = 2**30
MOST_PACKED = 200
"""An archive that unpacks to more bytes than the first, at a ratio above the second, is a zip bomb."""

_DAMAGED = (
    ValueError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
"""Raised by zipfile and numpy for damaged or encrypted archives, and for unknown compression methods."""

PIPES_OF_THE_SHELL = ("/dev/", "/proc/")

Parsed = TypeVar("Parsed")


class DocumentError(Exception):
    """A file that can't be read as the expected format. `str(error)` says why, in a few words without a full
    stop.

    unopened: whether it could not even be opened, so its name is the first thing to check.
    """

    def __init__(self, reason: object, *, unopened: bool = False) -> None:
        super().__init__(brief(" ".join(str(reason).split())))
        self.unopened = unopened


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        DocumentError: it can't be opened, or is something else.
    """
    return _parsed(path, json.loads)


def read_bytes(path: Path) -> bytes:
    """Read a file whole.

    Raises:
        DocumentError: it can't be opened, is no regular file, or does not fit into memory.
    """
    _refuse_what_is_no_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(error.strerror or error, unopened=True) from error
    except MemoryError as error:
        raise DocumentError("it holds more than fits into memory") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        DocumentError: it can't be opened, or is something else.
    """
    return _parsed(path, tomllib.loads)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read an archive that numpy.savez wrote, by name.

    Raises:
        DocumentError: it can't be opened, is something else, holds anything but plain arrays, or does not fit
        into memory.
    """
    _refuse_what_is_no_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if one.filename.endswith(".npy")]
            return {one.filename.removesuffix(".npy"): _array(archive, one) for one in members}
    except OSError as error:
        raise DocumentError(error.strerror or error, unopened=True) from error
    except zipfile.BadZipFile as error:
        raise DocumentError(f"it is not a complete .npz archive: {error}") from error
    except MemoryError as error:
        raise DocumentError("it holds more than fits into memory") from error
    except _DAMAGED as error:
        raise DocumentError(error) from error


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.file_size > max(LARGEST_UNPACKED, MOST_PACKED * member.compress_size):
        raise DocumentError(f"'{member.filename}' unpacks to {member.file_size / 2**30:.0f} GiB")
    with archive.open(member) as stream:
        major, minor = npy.read_magic(stream)
        read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(
            (major, minor)
        )
        if read_header is None:
            raise DocumentError(f"'{member.filename}' is of version {major}.{minor}, which holds records")
        shape, _, dtype = read_header(stream)
        held = member.file_size - stream.tell()
    wanted = dtype.itemsize
    for length in shape:
        wanted *= length
    # Checked before numpy allocates what a header merely claims. Objects are pickled, and read_array rejects
    # those.
    if wanted != held and not dtype.hasobject:
        raise DocumentError(f"'{member.filename}' says that it has the shape {shape}, and holds {held} bytes")
    with archive.open(member) as stream:
        return npy.read_array(stream, allow_pickle=False)


def _parsed(path: Path, parse: Callable[[str], Parsed]) -> Parsed:
    _refuse_what_is_no_file(path)
    try:
        # Some editors begin with a byte order mark.
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DocumentError(error.strerror or error, unopened=True) from error
    except UnicodeDecodeError as error:
        raise DocumentError("it is not UTF-8 text") from error
    try:
        return parse(text)
    except RecursionError as error:
        raise DocumentError("it is nested too deeply") from error
    except ValueError as error:
        raise DocumentError(error) from error


def _refuse_what_is_no_file(path: Path) -> None:
    """Reject files that never end, or that block until someone writes to them; a shell pipe already has its
    writer.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        # ValueError: a name with a null character.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise DocumentError(reason, unopened=True) from error
    piped = stat.S_ISFIFO(mode) and path.as_posix().startswith(PIPES_OF_THE_SHELL)
    if stat.S_ISDIR(mode):
        raise DocumentError("it is a folder", unopened=True)
    if not (stat.S_ISREG(mode) or piped):
        raise DocumentError("it is a pipe or a device, not a file", unopened=True)
