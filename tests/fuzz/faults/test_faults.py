"""Fails a sample of each command's calls, spread over all of them; `./run fuzz --kind faults` tries
every one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.fuzz.faults.seed import COMMANDS, calls_of, tried

TRIED = 7


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_torn_whatever_fails(command: str, tmp_path: Path):
    count = calls_of(command)
    # At least: found a location, opened, wrote, closed and renamed.
    assert count >= 5
    for number in np.unique(np.linspace(1, count, TRIED).round().astype(int)):
        _, calls, wrong = tried(command, int(number), tmp_path / "out")
        assert not wrong, f"call {number} of {count}, {calls.failed}: {wrong}"


def test_the_disk_filling_up_at_the_end_is_no_success(tmp_path: Path):
    """The last calls rename what has been written; a fault there must not count as success."""
    statuses = {
        tried("diff", number, tmp_path / "out")[0].status for number in range(1, calls_of("diff") + 1)
    }
    assert 2 in statuses
