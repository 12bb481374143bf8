"""The output of `check-file` and `check-export`: that of `check`, plus how the file was verified."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...core.text.length import format_length
from ...core.text.message import counted
from ...core.text.printable import printable_lines
from ...measurement.check.report import FileReport
from ...measurement.exported.file_check import FileVerdict
from ...scene.exports.exporters import exporter_of
from ..program.versions import blender_version, skinscope_version
from ..reports.printable_report import printable_report
from ..reports.report_json import VERSION, file_entry, written
from ..reports.report_junit import write_junit
from ..reports.report_sarif import write_sarif
from ..reports.report_sentence import PARTS_SHOWN, in_words, verdict
from ..reports.report_text import WIDTH, write_findings, write_table


@dataclass(frozen=True, eq=False)
class Verification:
    """A verdict about a file. against: the file that it was exported from.

    exporter: the id of what exported it. options, sources: with which settings, and where they come from.
    All are empty if unknown. kept: the path of the exported file; None if it was deleted, or if it is the
    checked file itself.
    """

    verdict: FileVerdict
    against: str
    exporter: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    kept: str | None = None


def write_verification(one: Verification, report_format: str) -> str:
    """Write a verdict as 'text', 'json', 'junit' or 'sarif'."""
    report = one.verdict.report
    if report_format == "text":
        return printable_lines("\n".join(_text(one, printable_report(report))) + "\n")
    if report_format == "json":
        return written(_json(one))
    write = {"junit": write_junit, "sarif": write_sarif}[report_format]
    return write([report], skinscope_version(), blender_version())


def _text(one: Verification, report: FileReport) -> Iterator[str]:
    yield f"{report.file}: {verdict(report)}"
    yield ""
    yield from write_table(report.meshes)
    yield ""
    for line in (_circumstances(one), *_parts(report)):
        # Paths stay whole.
        yield from textwrap.wrap(
            line,
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    yield from write_findings(report.findings)


def _circumstances(one: Verification) -> str:
    report = one.verdict.report
    frames = max((mesh.worst.frames for mesh in report.meshes), default=0)
    clips = ", ".join(dict.fromkeys(f"'{name}'" for name in one.verdict.clips if not name.startswith("(")))
    ways = " and ".join(dict.fromkeys(one.verdict.matched.values()))
    tolerances = ", ".join(dict.fromkeys(str(mesh.tolerance) for mesh in report.meshes))
    of_clips = f" of {clips}" * bool(clips)
    exported = ""
    if one.exporter:
        settings = " and ".join(one.sources) or "the exporter's defaults"
        where = f" to '{one.kept}'" if one.kept else ""
        exported = f" Exported{where} as {exporter_of(one.exporter).menu} with {settings}."
    return (
        f"{counted(frames, 'frame', 'frames')}{of_clips}; vertices matched by {ways}; tolerance {tolerances}."
        f"{exported} "
        f"Verified by reading the file back ({one.verdict.reader}); what an engine's importer and shader do "
        f"after that is not part of it."
    )


def _parts(report: FileReport) -> Iterator[str]:
    for mesh in report.meshes:
        # Several bones make up one part; the worst of them comes first.
        parts: dict[str, float] = {}
        for one in mesh.worst.parts:
            parts.setdefault(in_words(one.bone), one.max)
        if parts:
            shown = [f"{part} {format_length(most)}" for part, most in list(parts.items())[:PARTS_SHOWN]]
            yield f"Largest deviations of '{mesh.object}': {', '.join(shown)}."


def _json(one: Verification) -> dict[str, object]:
    report = one.verdict.report
    return {
        "version": VERSION,
        "skinscope": skinscope_version(),
        "blender": blender_version(),
        "files": [
            file_entry(report)
            | {
                "verified": {
                    "stage": "file",
                    "by": one.verdict.reader,
                    "against": one.against,
                    "clips": list(one.verdict.clips),
                    "matched_by": dict(one.verdict.matched),
                    "exporter": one.exporter or None,
                    "options": dict(one.options),
                    "settings_from": list(one.sources),
                    "kept": one.kept,
                }
            }
        ],
        "passed": report.passed,
    }
