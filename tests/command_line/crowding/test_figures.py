"""The figures that `skinscope crowd` prints: distances after each step, and how far followed feet slide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.command_line.conftest import Program
from tests.command_line.crowding.walker_file import walker_file

SLID = re.compile(
    r"Walker, the feet of 3: planted ones slid by (\d+\.\d) mm at most at a height of 1\.8 m in (\d+) contacts "
    r"straight ahead, and by (\d+\.\d) mm in (\d+) while fading, turning, standing or being stopped\."
)


@pytest.mark.gpu
def test_followed_feet_stay_where_they_are_put(tmp_path: Path, skinscope: Program):
    """The walker's go back evenly, in closed form: walking straight ahead they don't slide at all."""
    file = walker_file(tmp_path / "walker.blend")
    result = skinscope(
        "crowd", file, "--count", 6, "--seconds", 20, "--output", tmp_path / "out", "--area", 40,
        "--follow", 3,
    )  # fmt: skip
    assert result.status == 0, result.complaints
    told = SLID.search(result.output)
    assert told, result.output
    straight, contacts, others, other_contacts = (float(one) for one in told.groups())
    assert straight < 5
    assert contacts > 20
    assert others > straight
    assert other_contacts > 3
    (overlap,) = re.findall(r"circles overlapped by (\d+\.\d\d) mm at most", result.output)
    assert float(overlap) <= 1
    assert "nobody was outside" in result.output


@pytest.mark.gpu
def test_without_following_nothing_is_said_of_feet_in_play(tmp_path: Path, skinscope: Program):
    file = walker_file(tmp_path / "walker.blend")
    result = skinscope("crowd", file, "--count", 2, "--seconds", 1, "--output", tmp_path / "out")
    assert result.status == 0
    assert "the feet of" not in result.output


@pytest.mark.parametrize("count", ["-1", "1001", "some"])
def test_no_number_of_agents_to_follow_is_refused(tmp_path: Path, skinscope: Program, count: str):
    result = skinscope("crowd", "missing.blend", "--output", tmp_path / "out", f"--follow={count}")
    assert result.status == 2
    assert result.complaints[0].startswith(f"'{count}' is not a number of agents to follow; write a whole")
