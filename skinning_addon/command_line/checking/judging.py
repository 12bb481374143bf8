"""Judges a measured file as its settings ask: severities, and what is suppressed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from ...core.verdicts.finding import worst_first
from ...measurement.check.report import FileReport
from ...measurement.check.suppressed import with_suppressed
from ..arguments.file_settings import FileSettings


def judged(report: FileReport, settings: FileSettings, today: date) -> FileReport:
    """Return a report with the configured severities applied, without findings that are switched off, and with
    what is suppressed today marked so. What an object carries comes before the configuration.
    """
    report = with_suppressed(report, (*report.suppressions, *settings.suppressions), today)
    severities = settings.severities
    kept = [one for one in report.findings if severities.get(one.rule, one.severity) is not None]
    findings = [replace(one, severity=severities.get(one.rule) or one.severity) for one in kept]
    return replace(report, findings=worst_first(findings))
