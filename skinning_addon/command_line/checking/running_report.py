"""The growing report of a check: output as files finish, and complete and valid at any moment, however the
check ends.

Text on standard output appears file by file, in the order of the files. Report files and the summary page are
rewritten every few seconds: pending files are listed as not checked, so that an unfinished report never looks
like a pass. Machine-readable formats on standard output are written at the end.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from ...core.text.errors import OutputError
from ...measurement.check.report import FileReport
from ..arguments.file_settings import FileSettings
from ..program.output_files import Outputs
from ..program.streams import complain
from ..program.unexpected import internal_error
from ..program.versions import skinscope_version
from ..reports.report_html import write_html
from ..reports.report_json import write_json
from ..reports.report_junit import write_junit
from ..reports.report_sarif import write_sarif
from ..reports.report_text import write_summary, write_text
from .answers import Answer
from .baseline import Baseline, with_known, write_baseline

SECONDS_BETWEEN_REPORTS = 2.0

FORMATS = {"json": write_json, "junit": write_junit, "sarif": write_sarif}
"""The machine-readable formats."""


@dataclass(frozen=True)
class Destination:
    """Where a report goes. path: the report's file, None for `output`. summary: the summary page's file, None
    for none.
    """

    report_format: str
    output: TextIO
    path: Path | None
    summary: Path | None


@dataclass
class RunningReport:
    """What is known so far.

    baselines: by path. rewrites: whether to write them, which needs all files; findings are marked as known
    afterwards.
    """

    settings: Sequence[FileSettings]
    destination: Destination
    baselines: dict[Path, Baseline]
    rewrites: bool
    internal: bool = False
    _done: dict[int, FileReport] = field(default_factory=dict)
    _blender: str = ""
    _told: int = 0
    _parts: bool = False
    _written_at: float = field(default_factory=time.monotonic)

    def take(self, index: int, answer: Answer) -> None:
        """Record the answer about a file, and output whatever can be output now.

        Raises:
            OutputError: standard output can't be written to any more.
        """
        one = self.settings[index]
        self.internal = self.internal or answer.internal
        report = self._tellable(one, answer.report)
        if report.error is not None:
            # A sentence about the file's contents, such as a clip that it lacks, need not name the file itself.
            complain(report.error if one.file in report.error else f"{one.file}: {report.error}")
        self._blender = self._blender or answer.blender
        self._done[index] = report
        if self._streams:
            self._stream()
        elif time.monotonic() - self._written_at > SECONDS_BETWEEN_REPORTS and not self.rewrites:
            # A write that fails now is reported at the end, if it still fails.
            with contextlib.suppress(OutputError):
                self._write_files("hasn't been checked yet")
            self._written_at = time.monotonic()

    def end(self, missing: str = "") -> list[FileReport]:
        """Write all outputs and return all reports. missing: what to say about files that are not done.

        Raises:
            OutputError: it can't be written.
        """
        if self.rewrites and not missing:
            self._rewrite_baselines()
        reports = self._all(missing)
        self._write_files(missing)
        if self._streams:
            self._stream(missing)
            if len(reports) > 1:
                self._write_part(write_summary(reports))
        elif self.destination.path is None:
            self.destination.output.write(self._text(reports))
        return reports

    @property
    def done(self) -> int:
        """How many files are done."""
        return len(self._done)

    @property
    def _streams(self) -> bool:
        return (
            self.destination.path is None and self.destination.report_format == "text" and not self.rewrites
        )

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
            if self.destination.path is not None:
                outputs.text(self.destination.path, self._text(reports, with_errors=True))
            if self.destination.summary is not None:
                page = write_html(reports, skinscope_version(), self._blender)
                outputs.text(self.destination.summary, page)

    def _text(self, reports: Sequence[FileReport], *, with_errors: bool = False) -> str:
        if self.destination.report_format == "text":
            return write_text(reports, with_errors=with_errors)
        return FORMATS[self.destination.report_format](reports, skinscope_version(), self._blender)

    def _tellable(self, one: FileSettings, report: FileReport) -> FileReport:
        """Return the judged report; if judging or writing it fails unexpectedly, a report of that failure."""
        try:
            judged = self._known(one, one.judged(report))
            self._text([judged], with_errors=True)
            if self.destination.summary is not None:
                write_html([judged], skinscope_version(), self._blender)
        except Exception as error:  # noqa: BLE001
            # The boundary of a file, as in the process that checks it: no report is lost for another one's
            # sake.
            self.internal = True
            return FileReport(one.file, error=internal_error(error, f"reporting '{one.file}'"))
        return judged

    def _known(self, one: FileSettings, report: FileReport) -> FileReport:
        if one.baseline is None or self.rewrites:
            return report
        return with_known(report, self.baselines[one.baseline], one.baseline.parent)

    def _rewrite_baselines(self) -> None:
        for path in self.baselines:
            of_baseline = [
                self._done[index] for index, one in enumerate(self.settings) if one.baseline == path
            ]
            if of_baseline:
                self.baselines[path] = write_baseline(path, of_baseline)
        self.rewrites = False
        for index, report in self._done.items():
            self._done[index] = self._known(self.settings[index], report)
