"""What docs/truth.json has measured is whole and explained, and the page and the profiles say the same."""

from __future__ import annotations

import runpy

import pytest

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from tests.engines.random_exports import SECTION
from tests.engines.truth_cells import REIMPORT, SETTINGS, read_cells, version_of
from tests.installed_package import CHECKOUT

TRUTH = runpy.run_path(str(CHECKOUT / "docs" / "write_truth.py"))
VERIFIED = runpy.run_path(str(CHECKOUT / "docs" / "write_verified.py"))
CELLS = read_cells(CHECKOUT / "docs" / "truth.json")


def test_no_cell_is_left_out():
    wanted = {(one.told, rig, judge) for one in SETTINGS for rig in one.rigs for judge in one.judges}
    assert set(CELLS) == wanted, "run .venv/bin/python docs/write_truth.py $SKINSCOPE_RIGS --missing"


def test_whatever_is_not_as_predicted_is_named_or_explained():
    unexplained = [
        one.key for one in CELLS.values() if not (one.agrees or one.rules or one.key in TRUTH["NOT_MODELED"])
    ]
    assert not unexplained


def test_what_is_explained_is_not_as_predicted():
    assert not [key for key in TRUTH["NOT_MODELED"] if CELLS[key].agrees]


def test_the_judges_are_those_that_the_tests_install():
    # Godot's version is that of wherever it ran, and Blender's that of the tests.
    named = {(one.judge, one.version) for one in CELLS.values() if one.judge not in {"godot4", REIMPORT}}
    assert named == {(judge, version_of(judge)) for judge, _ in named}


def test_the_page_says_what_was_measured():
    text = (CHECKOUT / "docs" / "truth.md").read_text(encoding="utf-8")
    text = text.partition(f"\n{SECTION}")[0]
    version = next(one.version for one in CELLS.values() if one.judge == REIMPORT)
    assert TRUTH["page"](CELLS, version) == text, "run .venv/bin/python docs/write_truth.py"


@pytest.mark.parametrize("name", profile_ids())
def test_profiles_say_what_was_measured(name: str):
    measured = VERIFIED["verified"](CELLS.values(), name)
    stages = {stage: one for stage, one in load_profile(name).verified.stages.items() if one is not None}
    assert stages == measured, "run .venv/bin/python docs/write_verified.py"
