"""Checking several files at once: a process each, since one Blender holds one file.

A worker is this program with `--jobs 1 --format json` and one file. One that dies takes nothing but its own file with it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ..measurement.report import FileReport
from .profiles import option_of
from .report_json import read_json
from .streams import complain

Answer = tuple[list[FileReport], str, str]


def check_in_workers(arguments: argparse.Namespace, files: Sequence[str]) -> Answer:
    """Check files, `arguments.jobs` at a time; return the reports in order, and the two versions.

    Workers find each file's configuration by themselves; what is known of it already, and the page for many files, are the
    caller's business.

    What a worker prints on standard error is passed on when it is done, so that lines of two don't mix.
    """
    command = [*_program(), "check", *_options(arguments), "--"]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        answers = list(pool.map(partial(_answer, command=command), files))
    reports = [report for reports, _, _ in answers for report in reports]
    _, skinscope, blender = max(answers, key=lambda answer: bool(answer[1]))
    return reports, skinscope, blender


def _options(arguments: argparse.Namespace) -> list[str]:
    options = [f"--device={arguments.device}", "--format=json", "--no-baseline"]
    options += [option_of(one) for one in arguments.profile or ()]
    options += [
        f"--{name}={value}"
        for name in ("visibility", "config", "cache")
        if (value := getattr(arguments, name)) is not None
    ]
    if arguments.clips is not None:
        options.append(f"--clips={','.join(arguments.clips)}")
    if arguments.frames is not None:
        options.append(
            f"--frames={':'.join(str(number) for number in arguments.frames if number is not None)}"
        )
    if arguments.tolerance is not None:
        unit = "" if arguments.tolerance.relative else "m"
        options.append(f"--tolerance={arguments.tolerance.value!r}{unit}")
    return options


def _answer(file: str, command: Sequence[str]) -> Answer:
    # The program itself; what the user typed is arguments of its own, and no shell reads them.
    worker = subprocess.run(  # noqa: S603
        [*command, file],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=os.environ | {"PYTHONPATH": _search_path()},
        check=False,
    )
    print(worker.stderr, end="", file=sys.stderr, flush=True)
    try:
        # Blender may have printed before the program took over standard output.
        return read_json(worker.stdout[worker.stdout.index("{") :])
    except (ValueError, KeyError):
        message = (
            f"'{file}' can't be checked: Blender {_cause_of_death(worker.returncode)} over it; check that the file is "
            f"whole, or export it anew."
        )
        complain(message)
        return [FileReport(file, error=message)], "", ""


def _program() -> list[str]:
    # This process needs no Blender of its own; where it has one, that may be a desktop Blender.
    blender = sys.modules.get("bpy")
    if blender is not None and blender.app.binary_path:
        return [blender.app.binary_path, "--command", "skinscope"]
    return [sys.executable, "-P", "-m", __package__.rpartition(".")[0]]


def _search_path() -> str:
    """Return a PYTHONPATH on which the package is found, whatever the present folder is."""
    return os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))


def _cause_of_death(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    return f"died of {signal.Signals(-status).name}"
