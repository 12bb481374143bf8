"""Writes docs/accuracy.md from a run of the accuracy tests.

    SKINSCOPE_RIGS=FOLDER ./run test tests/measurement     with SKINSCOPE_ACCURACY=accuracy.jsonl
    python docs/write_accuracy.py accuracy.jsonl

The page holds what the tests measured, and nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

EXACT = 1e-5
PAGE = Path(__file__).with_name("accuracy.md")

HEAD = """# Accuracy

`docs/write_accuracy.py` writes this page from a run of `tests/measurement`; don't edit it by hand.

Figures are relative deviations from Blender's own evaluated mesh: the largest distance of a vertex, divided
by (diagonal of the rest mesh + largest displacement). Up to 1e-5 counts as exact. *cpu* is software skinning,
*gpu* the vertex shader's result read back. Only engine profiles are compared with something else: a model of
each engine's rule, written in the tests from the engine's source.
"""

GRID = """
## The grid of the Armature modifier's options

Random rigs in random poses. Every value of an option meets every value of every other option if both have an
effect: groups, envelopes, envelope multiply, preserve volume, mask and its inverse, one to three modifiers,
multi modifier, parent type Armature, bendy bones (4 and 8 segments, straight and curved mapping, every handle
type), bone scale (none, uniform, non-uniform, mirrored), objects that are moved, turned and scaled, every way
to inherit scale, constraints.
"""

OUTSIDE = """
### Outside

These rigs are not exact because Blender computes in float32. If a later modifier depends steeply on the
position of vertices, as with envelopes and bendy bones, it magnifies the last digits of an earlier one.

In each of these rigs, software skinning is within 3e-6 of the same sums in float64. Each of Blender's
modifiers was also tried alone, from our result before it. It comes to our result after it, within the limit
or within the change of Blender's own result if its input changes in the last digit.

| options | device | deviation | cause |
|---|---|---|---|
"""


def main() -> None:
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    # Clips of rigs write other figures to the same file, for a page of their own.
    entries = [entry for entry in map(json.loads, lines) if "relative" in entry]
    page = [HEAD, "\n| device | measured on |\n|---|---|\n"]
    page.extend(_conditions(entries))
    for test in dict.fromkeys(entry["test"] for entry in entries if entry["test"] != "grid"):
        page.append(f"\n## {test[0].upper()}{test[1:]}\n\n| case | cpu | gpu |\n|---|---|---|\n")
        page.extend(_two_devices(entry for entry in entries if entry["test"] == test))
    page.extend(_grid([entry for entry in entries if entry["test"] == "grid"]))
    PAGE.write_text("".join(page), encoding="utf-8")


def _conditions(entries: list[dict]) -> Iterable[str]:
    for device, on in dict.fromkeys((entry["device"], entry["on"]) for entry in entries):
        yield f"| {device} | {on} |\n"


def _two_devices(entries: Iterable[dict]) -> Iterable[str]:
    cases: dict[str, dict[str, float]] = {}
    for entry in entries:
        cases.setdefault(entry["case"], {})[entry["device"]] = entry["relative"]
    for case, figures in cases.items():
        yield f"| {case} | {_figure(figures.get('cpu'))} | {_figure(figures.get('gpu'))} |\n"


def _grid(entries: list[dict]) -> Iterable[str]:
    yield GRID
    yield "\n| device | rigs | exact | median | worst of the exact |\n|---|---|---|---|---|\n"
    for device in ("cpu", "gpu"):
        of_device = [entry for entry in entries if entry["device"] == device]
        exact = [entry["relative"] for entry in of_device if entry["relative"] <= EXACT]
        if exact:
            yield f"| {device} | {len(of_device)} | {len(exact)} | {median(exact):.1e} | {max(exact):.1e} |\n"
    outside = [entry for entry in entries if entry["relative"] > EXACT]
    if outside:
        yield OUTSIDE
        for entry in outside:
            yield f"| {entry['case']} | {entry['device']} | {entry['relative']:.1e} | {entry['cause']} |\n"


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"


main()
