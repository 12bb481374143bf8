"""Judges a measured file as its settings ask: normals, severities, and what is suppressed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from ...core.verdicts.finding import Finding, worst_first
from ...core.verdicts.rules import RULES
from ...measurement.check.report import FileReport
from ...measurement.check.suppressed import with_suppressed
from ..arguments.file_settings import FileSettings


def judged(report: FileReport, settings: FileSettings, today: date) -> FileReport:
    """Return a report with the configured severities applied, without findings that are switched off, and with
    what is suppressed today marked so. What an object carries comes before the configuration.
    """
    report = replace(report, findings=(*_without_normals(report), *_of_normals(report, settings.normals)))
    report = with_suppressed(report, (*report.suppressions, *settings.suppressions), today)
    severities = settings.severities
    kept = [one for one in report.findings if severities.get(one.rule, one.severity) is not None]
    findings = [replace(one, severity=severities.get(one.rule) or one.severity) for one in kept]
    return replace(report, findings=worst_first(findings))


NORMALS_OFF = "normals-off"


def _without_normals(report: FileReport) -> Iterator[Finding]:
    """Yield the findings but for those of normals, which a report that was judged before has."""
    yield from (one for one in report.findings if one.rule != NORMALS_OFF)


def _of_normals(report: FileReport, limit: float | None) -> Iterator[Finding]:
    """Yield a finding for each mesh whose normals are turned further than allowed; NaN is."""
    rule = RULES[NORMALS_OFF]
    for mesh in report.meshes:
        normals = mesh.worst.normals
        if limit is None or normals is None or normals.p99 <= limit:
            continue
        told = rule.told(
            mesh=mesh.object,
            angle=normals.p99,
            profile=mesh.profile,
            frame=normals.frame,
            clip=normals.clip,
            limit=limit,
        )
        found = rule.finding(mesh.object, told)
        yield replace(found, clip=normals.clip, frame=normals.frame, profile=mesh.profile)
