"""The kinds of fuzzing, one row each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.outcome import Outcome

RunSeed = Callable[[int, Path], Outcome]
"""Runs one seed. The folder is empty, private to the seed, and removed afterwards."""


@dataclass(frozen=True)
class Kind:
    """name: as `--kind` takes it. title: its heading in docs/reliability.md.

    entry: 'module:function' of its `RunSeed`, imported only in the workers. may_only_fall: labels that are
    right but not successes, whose share of the seeds is held to that in rates.json. seconds: how long one seed
    may take before it counts as a hang.
    """

    name: str
    title: str
    entry: str
    may_only_fall: tuple[str, ...] = ()
    seconds: float = 60.0

    def run_seed(self) -> RunSeed:
        module, function = self.entry.split(":")
        return getattr(importlib.import_module(module), function)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "rigs",
            "Rigs",
            "tests.fuzz.rigs.seed:run_seed",
            may_only_fall=("named", "refused", "left out"),
            seconds=20.0,
        ),
        Kind("edits", "Edits under running previews", "tests.fuzz.edits.seed:run_seed", seconds=180.0),
        Kind("files", "Files", "tests.fuzz.files.seed:run_seed"),
        Kind("inputs", "Inputs", "tests.fuzz.inputs.seed:run_seed"),
        Kind("faults", "Input and output that fails", "tests.fuzz.faults.seed:run_seed"),
    )
}
