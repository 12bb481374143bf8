"""One seed of the lab: one damaged or odd input, given to the program and judged by its expected outcome."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import bpy  # noqa: F401 - loaded before anything that needs it
import numpy as np

from tests.fuzz.inputs.argument_cases import argument_case, output_case
from tests.fuzz.inputs.case import Case
from tests.fuzz.inputs.diff_cases import diff_case
from tests.fuzz.inputs.known_cases import baseline_case, cache_case
from tests.fuzz.inputs.settings_cases import config_case, profile_case
from tests.fuzz.outcome import Outcome
from tests.fuzz.program import Ran

GROUPS: tuple[tuple[Callable[[np.random.Generator, Path], Case], float], ...] = (
    (diff_case, 0.3),
    (config_case, 0.2),
    (profile_case, 0.15),
    (baseline_case, 0.1),
    (cache_case, 0.1),
    (argument_case, 0.1),
    (output_case, 0.05),
)

LABELS = {0: "passed", 1: "failed", 2: "refused"}


def run_seed(seed: int, folder: Path) -> Outcome:
    """Run one seed. folder: empty, private to the seed."""
    random = np.random.default_rng(seed)
    weights = np.array([weight for _, weight in GROUPS])
    make = GROUPS[random.choice(len(GROUPS), p=weights / weights.sum())][0]
    case = make(random, folder)
    ran = case.run(case.argv)
    wrong = case.right(ran)
    return Outcome(
        LABELS.get(ran.status, f"status {ran.status}"),
        _class_of(case.name),
        f"{case.name}: {wrong}" if wrong else "",
        _script(seed, case, ran) if wrong else "",
    )


def _class_of(name: str) -> str:
    """Return the name of a table row: what was given, and which part of it, without listing every key and
    damage.
    """
    given, _, part = name.partition(": ")
    return f"{given}: {part.split(',')[0]}" if given == "diff" else given


def _script(seed: int, case: Case, ran: Ran) -> str:
    return f'''"""{case.name}: skinscope {shlex.join(case.argv)[:500]!r}
exit status {ran.status} {ran.raised!r}
"""

import bpy  # before anything that needs it
import tempfile
from pathlib import Path

from tests.fuzz.inputs.seed import run_seed

print(run_seed({seed}, Path(tempfile.mkdtemp())))
'''
