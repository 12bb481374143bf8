"""Tests every modifier type of this Blender at every place of the stack: exact, or as listed in the table."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import pytest

from tests.fuzz.rigs.expected import Result, expected_of_modifier
from tests.fuzz.rigs.judge import FACTS, LABELS
from tests.fuzz.rigs.modifier_places import judged_places
from tests.fuzz.rigs.modifiers import modifier_types

PLACES_FILE = Path(__file__).with_name("modifier_places.json")
RESULTS = {label: result for result, label in LABELS.items()}


@pytest.mark.parametrize("kind", modifier_types())
def test_it_is_right_at_every_position_in_the_stack(kind, tmp_path):
    outcomes = judged_places(kind, tmp_path)
    assert {place: one.wrong for place, one in outcomes.items() if one.wrong} == {}
    version = ".".join(map(str, bpy.app.version[:2]))
    known = json.loads(PLACES_FILE.read_text()).get(version, {}).get(kind, {})
    for place, one in outcomes.items():
        least = RESULTS.get(known.get(place, ""), Result.REFUSED)
        # An empty mesh, for example, is rightly refused, whatever made it empty.
        by_fact = one.cause and set(one.cause.split(", ")) <= FACTS.keys()
        right = Result.REFUSED if by_fact else expected_of_modifier(kind, place).result
        assert RESULTS[one.label] <= min(least, right), (
            f"{place} it was {known.get(place)} and is {one.label}: {one.cause}"
        )
