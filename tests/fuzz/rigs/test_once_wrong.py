"""Rigs that the lab found and that were wrong once; what each is about stands in its name."""

from __future__ import annotations

import pytest

from tests.fuzz.rigs.judge import judged
from tests.fuzz.rigs.recipe import Feature, Recipe

RIGS = {
    "mask weights below 0, as Bevel makes them": Recipe(
        453,
        (
            Feature("modifier", "BEVEL", "before", 978852655),
            Feature("modifier", "SURFACE", "between", 415341905),
        ),
    ),
    "a bendy bone scaled to zero at rest": Recipe(80, (Feature("bendy", seed=116731562),)),
    "a lattice that Multi Modifier passes by": Recipe(
        998,
        (
            Feature("modifier", "LATTICE", "before", 1206622119),
            Feature("armature settings", seed=1263668357),
        ),
    ),
    "a Mesh Deform that Multi Modifier passes by": Recipe(
        20099,
        (
            Feature("modifier", "MESH_DEFORM", "before", 589103541),
            Feature("armature settings", seed=46998475),
        ),
    ),
    "a constraint whose target stands in Local Space": Recipe(
        104,
        (
            Feature("bone constraint", "FLOOR", seed=569455761),
            Feature("modifier", "SIMPLE_DEFORM", "behind", 1384979569),
        ),
    ),
}


@pytest.mark.parametrize("recipe", RIGS.values(), ids=RIGS.keys())
def test_it_stays_right(recipe, tmp_path):
    assert judged(recipe, tmp_path).wrong == ""
