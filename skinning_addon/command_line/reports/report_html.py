"""One page about many files, for people: worst first, self-contained, loading nothing from anywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from string import Template

from ...core.text.length import format_length
from ...core.verdicts.finding import Finding
from ...measurement.check.report import FileReport, MeshReport
from .printable_report import printable_report
from .report_results import standings
from .report_sentence import verdict, when

PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent);
  --faint: color-mix(in srgb, currentColor 65%, transparent);
  --failed: light-dark(#b3261e, #ff8a80); --unread: light-dark(#6d3fa0, #cfa8ff);
  --known: light-dark(#8a5a00, #ffc24d); --passed: light-dark(#1b6e3c, #7ddc9b); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; } p { margin: .3rem 0; } .faint { color: var(--faint); }
ul.counts { list-style: none; display: flex; gap: 1.5rem; padding: 0; font-size: 1.1rem; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; } summary b { margin-right: .5rem; }
details > *:not(summary) { margin-left: 1.2rem; }
.failed { color: var(--failed); } .unread { color: var(--unread); } .known { color: var(--known); }
.passed { color: var(--passed); } code { font-size: .9em; }
.scroll { overflow-x: auto; }
</style>
<h1>$title</h1>
<p class="faint">$circumstances</p>
<ul class="counts">$counts</ul>
$files
</html>
""")

LABELS = {"failed": "failed", "unread": "not checked", "known": "known", "passed": "passed"}
"""By class, the worst first. Words, so that nothing is conveyed by colour alone."""


def write_html(reports: Sequence[FileReport], skinscope: str, blender: str) -> str:
    """Write reports as one page."""
    reports = [printable_report(report) for report in reports]
    classes = [_class(report) for report in reports]
    counts = [
        f'<li class="{name}">{classes.count(name)} {label}</li>'
        for name, label in LABELS.items()
        if name in classes
    ]
    ordered = sorted(
        reports, key=lambda report: (list(LABELS).index(_class(report)), -_times(report), report.file)
    )
    count = len(reports)
    return PAGE.substitute(
        title=f"Skinscope: {count} file{'s' * (count != 1)} checked",
        circumstances=escape(
            f"Skinscope {skinscope}, Blender {blender}. Worst files first; click a file to see its meshes."
        ),
        counts="".join(counts),
        files="\n".join("\n".join(_file(report)) for report in ordered),
    )


def _class(report: FileReport) -> str:
    if report.error is not None:
        return "unread"
    if not report.passed:
        return "failed"
    accepted = any(_is_accepted(one) for one in (*report.meshes, *report.findings))
    return "known" if accepted else "passed"


def _is_accepted(one: MeshReport | Finding) -> bool:
    return one.known or one.suppressed is not None


def _times(report: FileReport) -> float:
    """Return a file's worst deviation as a multiple of the tolerance; infinite for NaN."""
    times = [_measured(mesh) / mesh.tolerance.value for mesh in report.meshes]
    return max((math.inf if math.isnan(one) else one for one in times), default=0.0)


def _measured(mesh: MeshReport) -> float:
    return mesh.worst.relative if mesh.tolerance.relative else mesh.worst.max


def _file(report: FileReport) -> Iterator[str]:
    kind = _class(report)
    opened = " open" * (kind in ("failed", "unread"))
    yield f"<details{opened}><summary><b class={kind}>{LABELS[kind]}</b>{escape(report.file)}</summary>"
    yield f"<p>{escape(verdict(report))}</p>"
    if report.meshes:
        yield from _table(report.meshes)
    if report.findings:
        yield "<ul>"
        yield from map(_finding, report.findings)
        yield "</ul>"
    yield "</details>"


def _table(meshes: Sequence[MeshReport]) -> Iterator[str]:
    yield '<div class="scroll"><table><tr><th>mesh<th>profile<th class="number">largest<th class="number">rms'
    yield '<th class="number">surface off<th>where<th>verdict</tr>'
    for mesh in meshes:
        worst = mesh.worst
        kind = "passed" if mesh.passed else "known" if mesh.accepted else "failed"
        cells = (
            ("", mesh.object),
            ("", " \N{MIDDLE DOT} ".join((mesh.profile, *standings([mesh]).values()))),
            ("number", format_length(worst.max)),
            ("number", format_length(worst.rms)),
            ("number", f"{worst.surface:.1%}"),
            (
                "",
                f"{worst.bone or 'vertex ' + str(worst.worst_vertex)}, {when(worst)}",
            ),
            (kind, str(mesh.suppressed or LABELS[kind])),
        )
        yield "<tr>" + "".join(f'<td class="{name}">{escape(text)}' for name, text in cells) + "</tr>"
    yield "</table></div>"


def _finding(finding: Finding) -> str:
    kind = (
        "known"
        if finding.accepted
        else {"error": "failed", "warning": "known", "info": "faint"}[finding.severity.value]
    )
    why = f", {finding.suppressed}" if finding.suppressed else ", known" * finding.known
    label = escape(f"{finding.severity.value}{why}")
    fix = f" {escape(finding.fix)}" if finding.fix else ""
    return (
        f'<li><b class="{kind}">{label}</b> {escape(finding.message)}{fix} '
        f"<code>{escape(finding.rule)}</code></li>"
    )
