"""Runs engines on the conformance skins and prints who is right: `./run skinscope conformance`.

README.md, beside this file, says what the table means and how to judge an engine that is not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.conformance.judge.verdict import Entry, Verdict, judged, refusal
from tests.engines.capture import CaptureFailedError, Engine
from tests.engines.engine_table import ENGINES
from tests.engines.node_engine import NodeEngine

HERE = Path(__file__).parent
OWN_COMMAND = "command"

SOME_WRONG, WRONG_USE = 1, 2


@dataclass(frozen=True)
class CommandEngine(Engine):
    """A user's own capture program."""

    words: tuple[str, ...]

    def install(self) -> None:
        """Do nothing: the user has it."""

    @property
    def command(self) -> list[str | Path]:
        return list(self.words)


@dataclass(frozen=True)
class BlendersImporter(Engine):
    """Blender as a Python module, which this environment has. It is not an engine, and has no profile."""

    def install(self) -> None:
        """Do nothing: `./run` has done it."""

    @property
    def command(self) -> list[str | Path]:
        checkout = HERE.parents[1]
        return [
            "env",
            f"PYTHONPATH={checkout}",
            sys.executable,
            "-P",
            "-m",
            "tests.conformance.blender_capture",
        ]


ALL: Mapping[str, Engine] = {**ENGINES, "blender": BlendersImporter()}


def read_manifest(folder: Path = HERE) -> list[Entry]:
    """Return the models of the set in a folder."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["models"]


def run_model(engine: Engine, entry: Entry) -> Verdict:
    """Have an engine load a model, and judge the result."""
    with tempfile.TemporaryDirectory(prefix="conformance-") as folder:
        try:
            captured = engine.capture_meshes(HERE / entry["file"], entry["times"], Path(folder))
        except CaptureFailedError as error:
            return refusal(entry, _what_was_said(str(error)))
        return judged(HERE, entry, captured)


def _what_was_said(output: str) -> str:
    """Return the line of a program's output that names its error."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next((line for line in lines if "Error" in line), lines[-1])


def run_engine(engine: Engine, entries: Sequence[Entry]) -> list[Verdict]:
    """Judge an engine by some models, one per core at a time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda entry: run_model(engine, entry), entries))


def table(entries: Sequence[Entry], verdicts: Mapping[str, Sequence[Verdict]]) -> str:
    """Return the table as text: a row for each model, a column for each engine."""
    rows = [["file", "", *verdicts]]
    for number, entry in enumerate(entries):
        rows.append(
            [entry["name"], entry["requirement"], *(_cell(one[number], entry) for one in verdicts.values())]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([*lines, "", *(_summary(name, entries, one) for name, one in verdicts.items())]) + "\n"


def _cell(verdict: Verdict, entry: Entry) -> str:
    if verdict.right:
        return "right" if entry["requirement"] == "required" else str(verdict.outcome)
    return "WRONG" if verdict.deviation is None else f"WRONG {verdict.deviation:.2g} m"


def _summary(name: str, entries: Sequence[Entry], verdicts: Sequence[Verdict]) -> str:
    of_kind: dict[str, list[Verdict]] = {}
    for entry, verdict in zip(entries, verdicts, strict=True):
        of_kind.setdefault(entry["requirement"], []).append(verdict)
    counts = [f"{sum(one.right for one in some)} of {len(some)} {kind}" for kind, some in of_kind.items()]
    reasons = [f"\n  {one.model}: {one.reason}" for one in verdicts if one.reason]
    return f"{name}: right in {', '.join(counts)}" + "".join(reasons)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="skinscope conformance",
        description="Run engines on small skinned glTF files with known positions, and print who is right. "
        "Ends with status 1 if an engine is wrong about a file.",
    )
    parser.add_argument(
        "--engine",
        action="append",
        choices=tuple(ALL),
        help="an engine that the tests install (default: those that run on Node); may be given several times",
    )
    parser.add_argument(
        "--command", help="your own capture program; tests/conformance/README.md says how it is called"
    )
    parser.add_argument(
        "--model", action="append", metavar="NAME", help="only this file; may be given several times"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results to this file")
    return parser.parse_args(argv)


def main(argv: Sequence[str], say: Callable[[str], object] = print) -> int:
    """Run the command and return the exit status."""
    arguments = _arguments(argv)
    entries = read_manifest()
    if arguments.model:
        unknown = sorted(set(arguments.model) - {entry["name"] for entry in entries})
        if unknown:
            say(f"There is no model called {', '.join(unknown)}; tests/conformance/manifest.json lists them.")
            return WRONG_USE
        entries = [entry for entry in entries if entry["name"] in arguments.model]
    verdicts: dict[str, list[Verdict]] = {}
    for name, engine in _chosen(arguments).items():
        try:
            engine.install()
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            say(f"{name} did not run: {error}")
            continue
        program = str(engine.command[0])
        if shutil.which(program) is None:
            say(f"{name} did not run: there is no program '{program}'; install it, or write its whole path.")
            continue
        verdicts[name] = run_engine(engine, entries)
    if not verdicts:
        return WRONG_USE
    say(table(entries, verdicts))
    if arguments.json:
        results = {name: [asdict(one) for one in some] for name, some in verdicts.items()}
        try:
            arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            say(f"'{arguments.json}' can't be written: {error.strerror}.")
            return WRONG_USE
    return 0 if all(one.right for some in verdicts.values() for one in some) else SOME_WRONG


def _chosen(arguments: argparse.Namespace) -> Mapping[str, Engine]:
    if arguments.command:
        return {OWN_COMMAND: CommandEngine(tuple(shlex.split(arguments.command)))}
    if arguments.engine:
        return {name: ALL[name] for name in arguments.engine}
    return {name: one for name, one in ALL.items() if isinstance(one, NodeEngine)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
