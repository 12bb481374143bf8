"""Reports for people: one sentence a file, the figures behind it, then what was found."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from ..core.finding import Finding
from ..core.length import format_length
from ..measurement.report import FileReport, MeshReport, WorstFrame

WIDTH = 100


def write_text(reports: Sequence[FileReport], *, with_errors: bool) -> str:
    """Write reports as text, each file a paragraph or two, with a last line where there are several files.

    with_errors: also what has been said on standard error already.
    """
    parts = ["\n".join(_file(report)) for report in reports if with_errors or report.error is None]
    if len(reports) > 1:
        parts.append(_summary(reports))
    return "\n\n".join(parts) + "\n" if parts else ""


def verdict(report: FileReport) -> str:
    """Say in one sentence how a file did."""
    if report.error is not None:
        return f"not checked. {report.error}"
    if not report.meshes:
        return "failed: nothing could be measured."
    worst = max(report.meshes, key=lambda mesh: mesh.worst.max)
    sentence = f"The largest deviation from Blender is {format_length(worst.worst.max)}, {_place(worst)}."
    beyond = [mesh for mesh in report.meshes if not mesh.passed]
    if beyond:
        meshes = "1 mesh is" if len(beyond) == 1 else f"{len(beyond)} of {len(report.meshes)} meshes are"
        return f"failed: {meshes} not within tolerance. {sentence}"
    if not report.passed:
        return f"failed: see below. {sentence}"
    return f"{'exact' if all(mesh.worst.exact for mesh in report.meshes) else 'within tolerance'}. {sentence}"


def _file(report: FileReport) -> Iterator[str]:
    yield f"{report.file}: {verdict(report)}"
    if report.meshes:
        yield ""
        yield from _table(report.meshes)
        yield ""
        yield f"  {_circumstances(report.meshes)}"
    for finding in report.findings:
        yield ""
        yield from _finding(finding)


def _table(meshes: Sequence[MeshReport]) -> Iterator[str]:
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
                f"vertex {worst.worst_vertex}, {_when(worst)}"
                + ("" if mesh.passed else "  NOT WITHIN TOLERANCE"),
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
    return (
        f"{frames} frame{'s' * (frames != 1)}, on the {first.device.upper()} ({techniques}); profile {first.profile}; "
        f"tolerance {first.tolerance}{' of size and movement' * first.tolerance.relative}."
    )


def _finding(finding: Finding) -> Iterator[str]:
    head = f"  {finding.severity.value}  "
    indent = " " * len(head)
    body = finding.message + (f" {finding.fix}" if finding.fix else "")
    yield from textwrap.wrap(f"{body} [{finding.rule}]", WIDTH, initial_indent=head, subsequent_indent=indent)


def _summary(reports: Sequence[FileReport]) -> str:
    passed = sum(report.passed for report in reports)
    unread = sum(report.error is not None for report in reports)
    failed = len(reports) - passed - unread
    parts = [
        f"{passed} passed",
        *([f"{failed} failed"] if failed else []),
        *([f"{unread} not checked"] if unread else []),
    ]
    return f"{len(reports)} files: {', '.join(parts)}."


def _place(mesh: MeshReport) -> str:
    return f"at vertex {mesh.worst.worst_vertex} of '{mesh.object}', {_when(mesh.worst)}"


def _when(worst: WorstFrame) -> str:
    clip = "" if worst.clip.startswith("(") else f" of '{worst.clip}'"
    return f"frame {worst.frame:g}{clip}"


def _columns(text: str) -> int:
    """Return how many columns of a terminal `text` takes: Korean, Chinese and Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int, *, right: bool) -> str:
    padding = " " * (width - _columns(text))
    return padding + text if right else text + padding
