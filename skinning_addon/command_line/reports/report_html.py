"""One page about many files, for people: worst first, self-contained, loading nothing from anywhere and running
no scripts.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template

from ...core.text.length import format_length
from ...core.text.printable import printable
from ...core.verdicts.finding import Finding
from ...measurement.check.report import FileReport, MeshReport
from .changes_since import ChangesSince
from .printable_report import printable_report
from .report_filters import Filters
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
.scroll { overflow-x: auto; } figure { margin: .6rem 1.2rem; } img { max-width: 100%; }
figcaption { color: var(--faint); }
form { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; padding: .6rem 0;
  border-bottom: 1px solid var(--line); }
select { font: inherit; max-width: 16rem; } .change { font-weight: 600; margin-left: .6rem; }
$hiding
</style>
<h1>$title</h1>
<p class="faint">$circumstances</p>
$sentences
<ul class="counts">$counts</ul>
<form aria-label="What is shown">$controls</form>
$files
</html>
""")

ALT = "The character as Blender shows it, and a heat map of its distance from that in the engine"
JPEG = b"\xff\xd8\xff"

LABELS = {"failed": "failed", "unread": "not checked", "known": "known", "passed": "passed"}
"""By class, the worst first. Words, so that nothing is conveyed by colour alone."""


@dataclass(frozen=True)
class Told:
    """What a page says besides its files. when, commit: of the check; empty if unknown. missing: sentences
    about what is not there. former: a former report; None for none.
    """

    when: str = ""
    commit: str = ""
    missing: Sequence[str] = ()
    former: Sequence[FileReport] | None = None


_NOTHING = Told()


def write_html(reports: Sequence[FileReport], skinscope: str, blender: str, told: Told = _NOTHING) -> str:
    """Write reports as one page."""
    reports = [printable_report(report) for report in reports]
    former = None if told.former is None else [printable_report(one) for one in told.former]
    changes = None if former is None else ChangesSince(former)
    classes = [_class(report) for report in reports]
    counts = [
        f'<li class="{name}">{classes.count(name)} {label}</li>'
        for name, label in LABELS.items()
        if name in classes
    ]
    ordered = sorted(
        reports,
        key=lambda report: (
            list(LABELS).index(_class(report)),
            -max((one.times for one in report.meshes), default=0.0),
            report.file,
        ),
    )
    count = len(reports)
    filters = Filters.of(reports, LABELS)
    sentences = [*told.missing, *(changes.sentences(reports) if changes is not None else ())]
    return PAGE.substitute(
        title=f"Skinscope: {count} file{'s' * (count != 1)} checked",
        circumstances=escape(_circumstances(skinscope, blender, told)),
        sentences="\n".join(f"<p>{escape(printable(one))}</p>" for one in sentences),
        counts="".join(counts),
        hiding=filters.style(),
        controls=filters.controls(reports, classes),
        files="\n".join("\n".join(_file(report, filters, changes)) for report in ordered),
    )


def _circumstances(skinscope: str, blender: str, told: Told) -> str:
    when = f"{told.when}. " if told.when else ""
    commit = f"Commit {printable(told.commit)}. " if told.commit else ""
    versions = f"Skinscope {skinscope}, Blender {blender}. "
    return f"{when}{commit}{versions}Worst files first; click a file to see its meshes."


def _class(report: FileReport) -> str:
    if report.error is not None:
        return "unread"
    if not report.passed:
        return "failed"
    accepted = any(_is_accepted(one) for one in (*report.meshes, *report.findings))
    return "known" if accepted else "passed"


def _is_accepted(one: MeshReport | Finding) -> bool:
    return one.known or one.suppressed is not None


def _file(report: FileReport, filters: Filters, changes: ChangesSince | None) -> Iterator[str]:
    kind = _class(report)
    opened = " open" * (kind in ("failed", "unread"))
    change = changes.of_file(report) if changes is not None else ""
    marked = f'<span class="change">{change}</span>' if change else ""
    yield f'<details class="{filters.of_file(report, kind)}"{opened}>'
    yield f"<summary><b class={kind}>{LABELS[kind]}</b>{escape(report.file)}{marked}</summary>"
    yield f"<p>{escape(verdict(report))}</p>"
    if report.fixed:
        yield f"<p>{escape(' '.join(report.fixed))}</p>"
    yield from _picture(report)
    if report.meshes:
        yield from _table(report, filters, changes)
    if report.findings:
        yield "<ul>"
        yield from (_finding(one, filters) for one in report.findings)
        yield "</ul>"
    yield "</details>"


def _picture(report: FileReport) -> Iterator[str]:
    """Show the file's picture, if it has one and it is still there; it becomes part of the page."""
    try:
        content = Path(report.picture).read_bytes() if report.picture else b""
    except OSError:
        return
    if not content.startswith(JPEG):
        return
    mesh = report.worst_mesh
    where = f"{mesh.object} under {mesh.profile}, {when(mesh.worst)}" if mesh is not None else ""
    encoded = base64.b64encode(content).decode("ascii")
    yield f'<figure><img alt="{escape(ALT)}" loading="lazy" src="data:image/jpeg;base64,{encoded}">'
    yield f"<figcaption>{escape(where)}</figcaption></figure>"


def _table(report: FileReport, filters: Filters, changes: ChangesSince | None) -> Iterator[str]:
    before = '<th class="number">before' if changes is not None else ""
    yield f'<div class="scroll"><table><tr><th>mesh<th>profile{before}<th class="number">largest'
    yield '<th class="number">rms<th class="number">surface off<th>where<th>verdict</tr>'
    for mesh in report.meshes:
        worst = mesh.worst
        kind = "passed" if mesh.passed else "known" if mesh.accepted else "failed"
        cells = (
            ("", mesh.object),
            ("", " \N{MIDDLE DOT} ".join((mesh.profile, *standings([mesh]).values()))),
            *([("number", changes.of_mesh(report.file, mesh))] if changes is not None else []),
            ("number", format_length(worst.max)),
            ("number", format_length(worst.rms)),
            ("number", f"{worst.surface:.1%}"),
            (
                "",
                f"{worst.bone or 'vertex ' + str(worst.worst_vertex)}, {when(worst)}",
            ),
            (kind, str(mesh.suppressed or LABELS[kind])),
        )
        row = "".join(f'<td class="{name}">{escape(text)}' for name, text in cells)
        yield f'<tr class="{filters.of_mesh(mesh)}">{row}</tr>'
    yield "</table></div>"


def _finding(finding: Finding, filters: Filters) -> str:
    kind = (
        "known"
        if finding.accepted
        else {"error": "failed", "warning": "known", "info": "faint"}[finding.severity.value]
    )
    why = f", {finding.suppressed}" if finding.suppressed else ", known" * finding.known
    label = escape(f"{finding.severity.value}{why}")
    fix = f" {escape(finding.fix)}" if finding.fix else ""
    return (
        f'<li class="{filters.of_finding(finding)}"><b class="{kind}">{label}</b> '
        f"{escape(finding.message)}{fix} <code>{escape(finding.rule)}</code></li>"
    )
