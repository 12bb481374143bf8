"""The exit status that reports come to."""

from __future__ import annotations

from collections.abc import Sequence

from ...measurement.check.report import FileReport

PASSED, FAILED, UNREADABLE = 0, 1, 2


def exit_status(reports: Sequence[FileReport]) -> int:
    """Return the exit status for the reports."""
    if any(report.error is not None for report in reports):
        return UNREADABLE
    return PASSED if all(report.passed for report in reports) else FAILED
