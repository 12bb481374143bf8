"""The report as JSON lines, written as files are done; a check that was ended goes on from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import FileIO
from pathlib import Path
from typing import TextIO

from ...core.text.errors import UsageError
from ..arguments.file_settings import FileSettings
from ..program.output_files import cannot_write
from ..program.streams import complain
from ..reports.report_lines import FileLine, Lines, Pace, file_line, head_line, read_lines
from ..reports.run import Run
from .result_cache import content_digest

WriteLine = Callable[[str], None]


class LinesReport:
    """Writes lines to a file, or to an open stream.

    kept: what a resumed file has of the shard's files already, by their index; those are not written again.
    """

    def __init__(
        self, write: WriteLine, kept: dict[int, FileLine] | None = None, stream: FileIO | None = None
    ) -> None:
        self._write = write
        self._stream = stream
        self.kept = kept or {}

    def close(self) -> None:
        """Close its file; standard output stays open."""
        if self._stream is not None:
            self._stream.close()

    @classmethod
    def to_stream(cls, output: TextIO, skinscope: str, run: Run) -> LinesReport:
        """Write to standard output."""

        def write(line: str) -> None:
            output.write(line)
            output.flush()

        write(head_line(skinscope, run))
        return cls(write)

    @classmethod
    def to_file(cls, path: Path, skinscope: str, run: Run) -> LinesReport:
        """Begin a file, replacing one of its name.

        Raises:
            OutputError: it can't be written.
        """
        stream = _opened(path, "w")
        report = cls(_writer(path, stream), stream=stream)
        report._write(head_line(skinscope, run))
        return report

    @classmethod
    def resumed(cls, path: Path, skinscope: str, run: Run, settings: Sequence[FileSettings]) -> LinesReport:
        """Go on with a file, or begin it if there is none. settings: of the shard's files.

        What could not be checked is checked again, and so is a file whose content has changed since.

        Raises:
            UsageError: the file is of another run, or no such report.
            OutputError: it can't be written.
        """
        lines = _lines_of(path)
        if lines is None:
            return cls.to_file(path, skinscope, run)
        if lines.run != run or lines.skinscope != skinscope:
            raise UsageError(
                "'{path}' is of another check: other files, settings, shard or version of Skinscope; leave out "
                "--resume to begin again, or choose another file.",
                path=str(path),
            )
        stream = _opened(path, "r+")
        # The program was ended in the middle of a line.
        stream.truncate(lines.length)
        stream.seek(lines.length)
        index_of = {number: index for index, number in enumerate(run.numbers)}
        kept = {index_of[one.number]: one for one in lines.files if one.number in index_of}
        still = {
            index: one
            for index, one in kept.items()
            if one.report.error is None
            and one.content
            and content_digest(Path(settings[index].file)) == one.content
        }
        return cls(_writer(path, stream), still, stream)

    def take(self, index: int, line: FileLine, pace: Pace) -> None:
        """Write the line of the shard's file `index`, unless it is there.

        Raises:
            OutputError: it can't be written.
        """
        if index not in self.kept:
            self._write(file_line(line, pace))


def _opened(path: Path, mode: str) -> FileIO:
    try:
        # Without a buffer, which would be written once more, and fail once more, when it is freed.
        return FileIO(path, mode)
    except OSError as error:
        raise cannot_write(path, error.strerror) from error


def _writer(path: Path, stream: FileIO) -> WriteLine:
    def write(line: str) -> None:
        content = line.encode("utf-8", errors="backslashreplace")
        try:
            while content:
                content = content[stream.write(content) :]
        except OSError as error:
            raise cannot_write(path, error.strerror) from error

    return write


def _lines_of(path: Path) -> Lines | None:
    """Read a report to go on with; None if there is none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        complain(f"There is no '{path}' to go on with; the check begins at the first file.")
        return None
    except OSError as error:
        raise cannot_write(path, error.strerror) from error
    if b"\n" not in content:
        # Ended before the first line was complete.
        return None
    try:
        return read_lines(content)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            "'{path}' is no report of JSON lines, so a check can't go on with it; choose another file.",
            path=str(path),
        ) from error
