"""Counts outcomes and reports them: on the terminal, in docs/reliability.md, and against the rates that may
only fall.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.kinds import Kind
from tests.fuzz.outcome import OF_BLENDER, Outcome

INTRODUCTION = """# Reliability

Results of `./run fuzz`: random scenes, edits, files and inputs made from seeds, each judged by something that
shares no code with Skinscope ([development.md](development.md#the-fuzz-lab) describes it). Each section is
written by the command that it names.
"""


@dataclass
class Tally:
    """The outcomes of a run. wrong: the failures, by seed. lost: crashes and hangs of Blender alone."""

    labels: Counter[str] = field(default_factory=Counter)
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: dict[int, Outcome] = field(default_factory=dict)
    lost: dict[int, Outcome] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, seed: int, outcome: Outcome, seconds: float) -> None:
        self.seconds += seconds
        if outcome.wrong:
            self.wrong[seed] = outcome
            self.labels["wrong"] += 1
            return
        self.labels[outcome.label] += 1
        if outcome.label.endswith(OF_BLENDER):
            self.lost[seed] = outcome
        if outcome.cause:
            self.causes[outcome.label, outcome.cause] += 1

    @property
    def total(self) -> int:
        return self.labels.total()

    def rate(self, label: str) -> float:
        return self.labels[label] / self.total if self.total else 0.0


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table with aligned columns, so that it reads well on a terminal too."""
    every = [header, *rows]
    widths = [max(len(row[column]) for row in every) for column in range(len(header))]
    lines = [_row(row, widths) for row in every]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def tables(tally: Tally) -> str:
    """Return the table of outcomes, and a table of their causes if there are any."""
    labels = dict(tally.labels.most_common())
    # Shown even at 0: it is what the reader looks for.
    labels.setdefault("wrong", 0)
    text = table(
        ("outcome", "seeds", "share"),
        [(label, f"{count:,}", f"{tally.rate(label):.2%}") for label, count in labels.items()],
    )
    if tally.causes:
        rows = [(label, cause, f"{count:,}") for (label, cause), count in sorted(tally.causes.items())]
        text += "\n" + table(("outcome", "cause", "seeds"), rows)
    return text


def raised_rates(kind: Kind, tally: Tally, stored: Path) -> Iterator[str]:
    """List the rates that may only fall but are higher than stored by more than chance: three sigma, of both
    runs.
    """
    known = _rates(stored).get(kind.name)
    if known is None or not tally.total:
        return
    for label in kind.may_only_fall:
        rate = known.get(label, 0.0)
        spread = max(rate, 1 / known["seeds"]) * (1 - rate)
        chance = 3 * math.sqrt(spread * (1 / tally.total + 1 / known["seeds"]))
        if tally.rate(label) > rate + chance:
            yield f"{tally.rate(label):.2%} of the seeds were {label}; {stored.name} allows {rate:.2%}."


def store_rates(kind: Kind, tally: Tally, stored: Path) -> None:
    """Store the rates that may only fall, unless they are from fewer seeds than those stored, or have risen."""
    rates = _rates(stored)
    fewer = tally.total < rates.get(kind.name, {}).get("seeds", 0)
    if not kind.may_only_fall or fewer or any(raised_rates(kind, tally, stored)):
        return
    own = {label: round(tally.rate(label), 4) for label in kind.may_only_fall}
    rates[kind.name] = {**own, "seeds": tally.total}
    stored.write_text(json.dumps(rates, indent=2, sort_keys=True) + "\n")


def _rates(stored: Path) -> dict[str, dict[str, float]]:
    return json.loads(stored.read_text()) if stored.exists() else {}


def write_section(document: Path, kind: Kind, text: str) -> None:
    """Replace a kind's section in the document."""
    whole = document.read_text() if document.exists() else INTRODUCTION
    start, end = f"<!-- fuzz {kind.name} -->", f"<!-- end of {kind.name} -->"
    section = f"{start}\n\n## {kind.title}\n\n{text}\n{end}\n"
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(end)}\n", re.DOTALL)
    if pattern.search(whole):
        whole = pattern.sub(lambda _: section, whole)
    else:
        whole += f"\n{section}"
    document.write_text(whole)
