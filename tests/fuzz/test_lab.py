"""The lab itself: no seed is lost, whatever happens to its process."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.kinds import Kind
from tests.fuzz.lab import main, run_seeds
from tests.fuzz.outcome import Outcome
from tests.fuzz.tally import Tally, raised_rates, store_rates, tables, write_section

TROUBLED = Kind(
    "troubled", "Trouble", "tests.fuzz.troubled_kind:run_seed", may_only_fall=("named",), seconds=1.0
)


@pytest.mark.processes
def test_every_seed_is_told_of_whatever_its_process_does(tmp_path):
    tally = run_seeds(TROUBLED, range(10), 2, Path(sys.executable), tmp_path / "work", keep=tmp_path / "kept")
    assert tally.total == 10
    assert {seed: outcome.label for seed, outcome in tally.wrong.items()} == {
        1: "crash",
        2: "hang",
        3: "exact",
        4: "traceback",
    }
    assert "SIGSEGV" in tally.wrong[1].wrong
    assert "KeyError('no such bone')" in tally.wrong[4].wrong
    assert tally.labels == Counter({"exact": 4, "wrong": 4, "named": 1, "crash of Blender alone": 1})
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        f"troubled-{seed}.py" for seed in (1, 2, 3, 4)
    ]
    assert (tmp_path / "kept" / "troubled-3.py").read_text() == "# It is one unit off.\nprint('here')\n"


@pytest.mark.processes
def test_a_worker_that_cannot_start_ends_the_run(tmp_path):
    kind = Kind("missing", "Missing", "tests.fuzz.missing_module:run_seed")
    with pytest.raises(RuntimeError, match="missing_module"):
        run_seeds(kind, range(3), 1, Path(sys.executable), tmp_path)


def test_a_rate_above_the_stored_one_is_told_and_not_stored(tmp_path):
    stored = tmp_path / "rates.json"
    store_rates(TROUBLED, _tally(exact=900, named=100), stored)
    assert json.loads(stored.read_text()) == {"troubled": {"named": 0.1, "seeds": 1000}}
    assert list(raised_rates(TROUBLED, _tally(exact=890, named=110), stored)) == []
    assert list(raised_rates(TROUBLED, _tally(exact=800, named=200), stored)) == [
        "20.00% of the seeds were named; rates.json allows 10.00%."
    ]
    store_rates(TROUBLED, _tally(exact=800, named=200), stored)
    store_rates(TROUBLED, _tally(exact=99, named=1), stored)
    assert json.loads(stored.read_text())["troubled"] == {"named": 0.1, "seeds": 1000}, (
        "raised, or of fewer seeds"
    )


def test_a_section_is_replaced_and_others_stay(tmp_path):
    document = tmp_path / "reliability.md"
    other = Kind("other", "Others", "nowhere:run_seed")
    write_section(document, TROUBLED, "first")
    write_section(document, other, "another's")
    write_section(document, TROUBLED, tables(_tally(exact=1)))
    text = document.read_text()
    assert "first" not in text
    assert "another's" in text
    assert "| wrong   | 0     | 0.00%   |" in text


@pytest.mark.parametrize("seeds", ["a:b", "3:3", "1:2:3", ""])
def test_seeds_that_are_none_are_refused(seeds, capsys):
    with pytest.raises(SystemExit):
        main(["--seeds", seeds])
    assert "--seeds" in capsys.readouterr().err


def _tally(**labels: int) -> Tally:
    tally = Tally()
    for label, count in labels.items():
        for seed in range(count):
            tally.add(seed, Outcome(label), 0.0)
    return tally
