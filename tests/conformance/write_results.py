"""Writes RESULTS.md: the results of engines on the conformance skins.

.venv/bin/python -m tests.conformance.write_results [ENGINE...]
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import pytest

from tests.conformance.findings import FINDINGS
from tests.conformance.judge.verdict import Entry, Verdict
from tests.conformance.run_engines import ALL, HERE, read_manifest, run_engine

INTRODUCTION = """# What engines make of the conformance skins

`write_results.py` writes this page; don't edit it by hand. [README.md](README.md) says what the words mean. A
figure is the largest distance of a vertex from the nearest acceptable outcome, in meters; the models are some
three meters tall. `blender` is Blender's own importer, the others are engines. Godot samples animation, here 60
times a second; it has to be installed (`SKINSCOPE_GODOT`). Panda3D is left out: its loader shows the next key
instead of what lies between two. OpenUSD reads no glTF, and ufbx neither. To see one of the findings:

    ./run skinscope conformance --engine playcanvas --model SkinSameNames

"""

COLUMNS = ("threejs", "babylonjs", "playcanvas", "raylib", "godot4", "vtk", "blender")
"""The engines of the table, in order."""


def page(entries: Sequence[Entry], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """Return the page. verdicts: by engine, one for each entry.

    Raises:
        ValueError: an engine is wrong and findings.py doesn't say why, or it says so and the engine is right.
    """
    wrong = {(name, one.model) for name, some in verdicts.items() for one in some if not one.right}
    explained = {(one.engine, one.model) for one in FINDINGS if one.engine in verdicts}
    if wrong != explained:
        raise ValueError(f"findings.py and the engines disagree about {sorted(wrong ^ explained)}.")
    header = ["file", "requirement", *verdicts]
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for number, entry in enumerate(entries):
        link = f"[{entry['name']}](Models/{entry['name']}/README.md)"
        cells = [_cell(some[number], entry) for some in verdicts.values()]
        lines.append("| " + " | ".join([link, entry["requirement"], *cells]) + " |")
    counts = [_count(entries, some) for some in verdicts.values()]
    lines.append("| **required files right** | | " + " | ".join(counts) + " |")
    return INTRODUCTION + "\n".join(lines) + "\n\n" + _findings(entries, verdicts)


def _cell(verdict: Verdict, entry: Entry) -> str:
    if verdict.right:
        return "right" if entry["requirement"] == "required" else f"*{verdict.outcome}*"
    return "**wrong**" if verdict.deviation is None else f"**{verdict.deviation:.2g}**"


def _count(entries: Sequence[Entry], verdicts: Sequence[Verdict]) -> str:
    required = [
        one.right for entry, one in zip(entries, verdicts, strict=True) if entry["requirement"] == "required"
    ]
    return f"**{sum(required)} of {len(required)}**"


def _findings(entries: Sequence[Entry], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    about = {entry["name"]: entry["about"] for entry in entries}
    lines = ["## What is wrong, and why", ""]
    for name in verdicts:
        own = [one for one in FINDINGS if one.engine == name]
        if not own:
            continue
        lines += [f"### {name}", ""]
        for one in own:
            known = f" [Known]({one.known})." if one.known else ""
            lines.append(f"- **{one.model}**: the engine {one.why}{known} The file: {about[one.model]}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main(names: Sequence[str]) -> None:
    """Run the engines and write the page."""
    entries = read_manifest()
    verdicts = {}
    for name in names or COLUMNS:
        try:
            ALL[name].install()
        except pytest.skip.Exception as error:
            raise SystemExit(f"{name} does not run here, so its column would be lost: {error}") from None
        verdicts[name] = run_engine(ALL[name], entries)
    (HERE / "RESULTS.md").write_text(page(entries, verdicts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
