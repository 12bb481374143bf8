"""A few hundred of the lab's inputs, always the same; `./run fuzz --kind inputs` goes through thousands."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.inputs.seed import run_seed

SEEDS = 400
BLOCKS = 10


@pytest.mark.parametrize("block", range(BLOCKS))
def test_inputs_are_refused_or_right(block: int, tmp_path: Path):
    labels: Counter[str] = Counter()
    for seed in range(block * SEEDS // BLOCKS, (block + 1) * SEEDS // BLOCKS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        outcome = run_seed(seed, folder)
        assert not outcome.wrong, f"seed {seed}: {outcome.wrong}\n{outcome.script}"
        labels[outcome.label] += 1
    # Both damaged and intact inputs occur.
    assert labels["refused"] > 0
    assert labels["passed"] > 0
