"""A few hundred of the lab's inputs, always the same; `./run fuzz --kind inputs` goes through thousands."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from pathlib import Path
from typing import get_type_hints

import pytest

from skinning_addon.command_line.arguments.file_settings import asked_for
from skinning_addon.core.profiles.profile_file import STAGES
from tests.fuzz.inputs.seed import run_seed
from tests.fuzz.inputs.settings_values import CHECK, PROFILE

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


def test_the_cases_have_every_key_and_every_choice():
    """The cases are written by hand; a key or a choice that the program gained since must not be missing."""
    missing = [f"check.{name}" for name, one in asked_for().items() if one.key and name not in CHECK]
    for name, stage in STAGES.items():
        for key, kind in get_type_hints(stage).items():
            meanings = [meaning for _, meaning in PROFILE[name].get(key, ([], []))[0]]
            choices = [one.value for one in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
            if not meanings:
                missing.append(f"{name}.{key}")
            missing += [f"{name}.{key} = {one}" for one in choices if one not in meanings]
    assert missing == []
