"""Reports for people: one sentence per file, the figures behind it, then the findings."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from ...core.profiles.exporter_settings import told
from ...core.profiles.profile import BLENDER_ID
from ...core.text.length import format_length
from ...core.text.message import counted
from ...core.text.printable import printable_lines
from ...core.verdicts.finding import Finding
from ...measurement.check.report import FileReport, MeshReport
from .printable_report import printable_report
from .report_sentence import behaviour, verdict, when

WIDTH = 100

OTHERS_NAMED = 4
"""How many of the other meshes with the same cause are named."""


def write_text(reports: Sequence[FileReport], *, with_errors: bool) -> str:
    """Write reports as text, a paragraph or two per file, with a last line if there are several files.

    with_errors: also what standard error has shown already.
    """
    shown = [printable_report(report) for report in reports if with_errors or report.error is None]
    parts = ["\n".join(_file(report)) for report in shown]
    if len(reports) > 1:
        parts.append(write_summary(reports).rstrip("\n"))
    # Again: when a line is wrapped, any word of a name may end up at its beginning.
    return printable_lines("\n\n".join(parts) + "\n") if parts else ""


def _file(report: FileReport) -> Iterator[str]:
    yield f"{report.file}: {verdict(report)}"
    for profile in dict.fromkeys(mesh.profile for mesh in report.meshes):
        meshes = [mesh for mesh in report.meshes if mesh.profile == profile]
        yield ""
        yield from write_table(meshes)
        yield ""
        yield f"  {_circumstances(meshes)}"
        for line in (line for mesh in meshes for line in behaviour(mesh)):
            yield from textwrap.wrap(line, WIDTH, initial_indent="  ", subsequent_indent="    ")
    yield from write_findings(report.findings)
    if report.fixed:
        yield ""
        for sentence in report.fixed:
            yield from textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")


def write_table(meshes: Sequence[MeshReport]) -> Iterator[str]:
    """Yield the lines of a table of meshes."""
    rows = [("mesh", "armature", "vertices", "joints", "largest", "rms", "relative", "where")]
    for mesh in meshes:
        worst = mesh.worst
        rows.append(
            (
                mesh.object,
                ", ".join(mesh.armatures),
                f"{mesh.vertices:,}",
                f"{mesh.joints:,}",
                format_length(worst.max),
                format_length(worst.rms),
                f"{worst.relative:.1e}",
                f"vertex {worst.worst_vertex}, {when(worst)}"
                + ("" if mesh.passed else f"  NOT WITHIN TOLERANCE{_accepted(mesh, ' ({})')}"),
            )
        )
    to_the_right = (2, 3, 4, 5, 6)
    widths = [max(_columns(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            _padded(text, width, right=column in to_the_right)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def _circumstances(meshes: Sequence[MeshReport]) -> str:
    first = meshes[0]
    techniques = ", ".join(dict.fromkeys(mesh.technique for mesh in meshes))
    frames = max(mesh.worst.frames for mesh in meshes)
    standing = "" if first.profile == BLENDER_ID else f" ({first.verified.standing})"
    return (
        f"{frames} frame{'s' * (frames != 1)}, on the {first.device.upper()} ({techniques}); profile "
        f"{first.profile}{standing}{_exported(first)}; "
        f"tolerance {first.tolerance}{' of size and movement' * first.tolerance.relative}."
    )


def _exported(mesh: MeshReport) -> str:
    return f", exported with {told(mesh.exporter_settings)}" if mesh.exporter_settings else ""


def write_findings(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the lines of findings, worst first; a cause that several meshes share is written once."""
    shared: dict[object, list[Finding]] = {}
    for one in findings:
        is_cause = one.profile and one.deviation
        shared.setdefault(
            (one.rule, one.profile, one.fix, one.known, one.suppressed) if is_cause else id(one), []
        ).append(one)
    for first, *others in shared.values():
        yield ""
        yield from _finding(first, others)


def _finding(finding: Finding, others: Sequence[Finding]) -> Iterator[str]:
    head = f"  {finding.severity.value}  "
    indent = " " * len(head)
    body = " ".join(one for one in (finding.message, _also(others), finding.fix) if one)
    mark = f"[{finding.rule}{_figure(finding)}{_accepted(finding, ', {}')}]"
    yield from textwrap.wrap(f"{body} {mark}", WIDTH, initial_indent=head, subsequent_indent=indent)


def _accepted(one: MeshReport | Finding, form: str) -> str:
    """Return why it is accepted, if it is, within a form such as ' ({})'."""
    if one.suppressed is not None:
        return form.format(one.suppressed)
    return form.format("known") if one.known else ""


def _also(others: Sequence[Finding]) -> str:
    """Name the other meshes that have the same cause."""
    if not others:
        return ""
    named = [f"'{one.object}' ({format_length(one.deviation or 0.0)})" for one in others[:OTHERS_NAMED]]
    more = len(others) - len(named)
    listed = ", ".join(named) + f" and {more} more" * bool(more)
    return f"Likewise {counted(len(others), 'other mesh', 'other meshes')}: {listed}."


def _figure(finding: Finding) -> str:
    """Return a finding's effect, as far as its sentence doesn't state it."""
    if not finding.deviation or finding.frame is None or finding.profile:
        return ""
    return f": {format_length(finding.deviation)}, frame {finding.frame:g}"


def write_summary(reports: Sequence[FileReport]) -> str:
    """Write the last line about several files."""
    passed = sum(report.passed for report in reports)
    unread = sum(report.error is not None for report in reports)
    failed = len(reports) - passed - unread
    parts = [
        f"{passed} passed",
        *([f"{failed} failed"] if failed else []),
        *([f"{unread} not checked"] if unread else []),
    ]
    return f"{len(reports)} files: {', '.join(parts)}.\n"


def _columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes: Korean, Chinese and Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int, *, right: bool) -> str:
    padding = " " * (width - _columns(text))
    return padding + text if right else text + padding
