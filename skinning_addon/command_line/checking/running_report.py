"""The growing report of a check: output as files finish, and complete and valid at any moment, however the
check ends.

Text on standard output appears file by file, in the order of the files; JSON lines, as files are done. Report
files are rewritten every few seconds: pending files are listed as not checked, so that an unfinished report
never looks like a pass. Other machine-readable formats on standard output are written at the end.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import Enum
from pathlib import Path
from typing import TextIO

from ...core.text.errors import OutputError
from ...core.verdicts.suppression import this_day
from ...measurement.check.report import FileReport
from ..arguments.file_settings import FileSettings
from ..arguments.options import LINES
from ..program.output_files import Outputs
from ..program.progress import ProgressLine
from ..program.streams import complain
from ..program.unexpected import internal_error
from ..reports.formats import Circumstances, report_in
from ..reports.report_lines import FileLine, Pace
from ..reports.report_text import write_summary, write_text
from ..reports.run import Run
from .answers import Answer
from .baseline import Baseline, prune_baseline, with_known, write_baseline
from .judging import judged
from .lines_report import LinesReport
from .result_cache import content_digest

SECONDS_BETWEEN_REPORTS = 2.0

MINUTE = 60
HOUR = 3600


@dataclass(frozen=True)
class Destination:
    """Where a report goes.

    streamed: its format on `output`, "" for none. files: the format of each file. lines: those of JSON lines.
    """

    streamed: str
    output: TextIO
    files: Sequence[tuple[str, Path]] = ()
    lines: Sequence[LinesReport] = ()


class Rewrites(Enum):
    """What becomes of the baselines: true if they are written."""

    NOT = ""
    WHOLE = "write"
    PRUNED = "prune"

    def __bool__(self) -> bool:
        return self is not Rewrites.NOT


@dataclass
class RunningReport:
    """What is known so far.

    settings: of the run's files that are checked here. baselines: by path. rewrites: what becomes of
    them, which needs all files; findings are marked as known afterwards. today: for suppressions that end.
    """

    settings: Sequence[FileSettings]
    destination: Destination
    baselines: dict[Path, Baseline]
    rewrites: Rewrites
    circumstances: Circumstances
    run: Run
    today: date = field(default_factory=this_day)
    internal: bool = False
    _done: dict[int, FileReport] = field(default_factory=dict)
    _told: int = 0
    _parts: bool = False
    _started_at: float = field(default_factory=time.monotonic)
    _written_at: float = field(default_factory=time.monotonic)
    _timed: int = 0
    _progress: ProgressLine = field(default_factory=ProgressLine)

    def take(self, index: int, answer: Answer, *, is_kept: bool = False) -> None:
        """Record the answer about a file, and output whatever can be output now. is_kept: from before, not
        checked just now.

        Raises:
            OutputError: standard output, or a file of JSON lines, can't be written to any more.
        """
        self._progress.clear()
        one = self.settings[index]
        self.internal = self.internal or answer.internal
        report = self._tellable(one, answer.report)
        if report.error is not None:
            # A sentence about the file's contents, such as a clip that it lacks, need not name the file itself.
            complain(report.error if one.file in report.error else f"{one.file}: {report.error}")
        self.circumstances = replace(self.circumstances, blender=self.circumstances.blender or answer.blender)
        self._done[index] = report
        self._timed += not is_kept
        self._write_lines(index, answer, report)
        if self._streams:
            self._stream()
        elif time.monotonic() - self._written_at > SECONDS_BETWEEN_REPORTS and not self.rewrites:
            # A write that fails now is reported at the end, if it still fails.
            with contextlib.suppress(OutputError):
                self._write_files("hasn't been checked yet")
            self._written_at = time.monotonic()
        self._show_pace()

    def _write_lines(self, index: int, answer: Answer, report: FileReport) -> None:
        if not self.destination.lines:
            return
        content = content_digest(Path(report.file)) or ""
        number = self.run.numbers[index]
        line = FileLine(number, report, answer.blender, answer.seconds, content, answer.internal)
        for one in self.destination.lines:
            one.take(index, line, self.pace)

    @property
    def pace(self) -> Pace:
        """How far the check is."""
        left = len(self.settings) - len(self._done)
        taken = time.monotonic() - self._started_at
        return Pace(len(self._done), len(self.settings), left * taken / self._timed if self._timed else 0.0)

    def _show_pace(self) -> None:
        pace = self.pace
        if pace.done < pace.files and self._timed:
            each = (time.monotonic() - self._started_at) / self._timed
            left = about(pace.seconds_left)
            self._progress.say(f"[{pace.done}/{pace.files}] {each:.1f} s a file, about {left} left")

    def end(self, missing: str = "") -> list[FileReport]:
        """Write all outputs and return all reports. missing: what to say about files that are not done.

        Raises:
            OutputError: it can't be written.
        """
        self._progress.clear()
        if self.rewrites and not missing:
            self._rewrite_baselines()
        reports = self._all(missing)
        self._write_files(missing)
        if self._streams:
            self._stream(missing)
            if len(reports) > 1:
                self._write_part(write_summary(reports))
        elif self.destination.streamed not in {"", LINES}:
            self.destination.output.write(self._text(self.destination.streamed, reports))
        return reports

    @property
    def done(self) -> int:
        """How many files are done."""
        return len(self._done)

    @property
    def _streams(self) -> bool:
        return self.destination.streamed == "text" and not self.rewrites

    def _stream(self, missing: str = "") -> None:
        while self._told in self._done or (missing and self._told < len(self.settings)):
            report = self._done.get(self._told)
            # Files that could not be checked have been mentioned on standard error.
            if report is not None and report.error is None:
                self._write_part(write_text([report], with_errors=False))
            self._told += 1

    def _write_part(self, text: str) -> None:
        self.destination.output.write("\n" * self._parts + text)
        self.destination.output.flush()
        self._parts = True

    def _all(self, missing: str) -> list[FileReport]:
        return [
            self._done.get(index) or FileReport(one.file, error=f"'{one.file}' {missing}.")
            for index, one in enumerate(self.settings)
        ]

    def _write_files(self, missing: str) -> None:
        reports = self._all(missing)
        with Outputs() as outputs:
            for report_format, path in self.destination.files:
                outputs.text(path, self._text(report_format, reports))

    def _text(self, report_format: str, reports: Sequence[FileReport]) -> str:
        return report_in(report_format, reports, self.circumstances)

    def _tellable(self, one: FileSettings, report: FileReport) -> FileReport:
        """Return the judged report; if judging or writing it fails unexpectedly, a report of that failure."""
        try:
            known = self._known(one, judged(report, one, self.today))
            for report_format in {self.destination.streamed, *(one for one, _ in self.destination.files)}:
                if report_format not in {"", LINES}:
                    self._text(report_format, [known])
        except Exception as error:  # noqa: BLE001
            # The boundary of a file, as in the process that checks it: no report is lost for another one's
            # sake.
            self.internal = True
            return FileReport(one.file, error=internal_error(error, f"reporting '{one.file}'"))
        return known

    def _known(self, one: FileSettings, report: FileReport) -> FileReport:
        if one.baseline is None or self.rewrites:
            return report
        return with_known(report, self.baselines[one.baseline])

    def _rewrite_baselines(self) -> None:
        for path in self.baselines:
            of_baseline = [
                self._done[index] for index, one in enumerate(self.settings) if one.baseline == path
            ]
            if of_baseline:
                rewrite = prune_baseline if self.rewrites is Rewrites.PRUNED else write_baseline
                self.baselines[path] = rewrite(path, of_baseline)
        self.rewrites = Rewrites.NOT
        for index, report in self._done.items():
            self._done[index] = self._known(self.settings[index], report)


def about(seconds: float) -> str:
    """Write a duration that is only an estimate."""
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE:.0f} min" if seconds < 2 * HOUR else f"{seconds / HOUR:.1f} h"
