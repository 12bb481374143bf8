"""Marks what is suppressed in a report, and says which suppressions have ended. Needs no Blender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from ...core.text.identity import Identity
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.rules_of_files import TOLERANCE
from ...core.verdicts.suppression import Suppression, suppressing
from .report import FileReport


def with_suppressed(report: FileReport, suppressions: Sequence[Suppression], today: date) -> FileReport:
    """Return a report with what is suppressed today marked, and a finding for each suppression that has ended.

    suppressions: of several that cover a finding, the first counts; one that has ended counts only if no other
    covers it. A report that was marked before, as one that a check goes on with, is marked afresh.
    """
    report = _unmarked(report)
    ended: dict[Suppression, None] = {}

    def found(rule: str, about: str, profile: str, deviation: float | None) -> Suppression | None:
        one = suppressing(suppressions, today, rule=rule, about=about, profile=profile, deviation=deviation)
        if one is not None and one.has_ended(today):
            ended.setdefault(one)
            return None
        return one

    meshes = tuple(
        mesh
        if mesh.passed or not (one := found(TOLERANCE, mesh.object, mesh.profile, mesh.worst.max))
        else replace(mesh, suppressed=one.told)
        for mesh in report.meshes
    )
    findings = tuple(
        replace(each, suppressed=one.told)
        if (one := found(each.rule, each.object, each.profile, each.deviation))
        else each
        for each in report.findings
    )
    return replace(report, meshes=meshes, findings=(*findings, *map(_of_ended, ended)))


def _unmarked(report: FileReport) -> FileReport:
    return replace(
        report,
        meshes=tuple(replace(one, suppressed=None) for one in report.meshes),
        findings=tuple(
            replace(one, suppressed=None) for one in report.findings if one.rule != "suppression-ended"
        ),
    )


def _of_ended(one: Suppression) -> Finding:
    rule = RULES["suppression-ended"]
    about = one.object if isinstance(one.object, Identity) else ""
    return rule.finding(about, rule.told(rule=one.rule, day=one.told.until, reason=one.reason))
