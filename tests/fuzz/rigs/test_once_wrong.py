"""Rigs found by the lab that were once wrong; each test's name says what it is about."""

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
    "an ocean of positions that are no numbers": Recipe(
        2058, (Feature("modifier", "OCEAN", "before", 1878467582),)
    ),
    "an explosion that leaves nothing at some frames": Recipe(
        2701, (Feature("modifier", "EXPLODE", "before", 1264940485),)
    ),
    "a lattice right above an armature with Multi Modifier": Recipe(
        998,
        (
            Feature("modifier", "LATTICE", "before", 1206622119),
            Feature("armature settings", seed=1263668357),
        ),
    ),
    "an explosion, which Blender shows otherwise after each update": Recipe(
        1599,
        (
            Feature("modifier", "EXPLODE", "before", 1755227404),
            Feature("modifier", "BEVEL", "behind", 1508581015),
        ),
    ),
    "a face turned by a sign, in a copy the other way": Recipe(
        621,
        (
            Feature("modifier", "SUBSURF", "behind", 2055479026),
            Feature("modifier", "NORMAL_EDIT", "before", 501513223),
        ),
    ),
    "Laplacian Deform, which goes on from the shape that it saw first": Recipe(
        1078,
        (
            Feature("shape keys", "absolute", seed=822373936),
            Feature("modifier", "LAPLACIANDEFORM", "before", 680233292),
        ),
    ),
    "a constraint in an armature of a size that Blender can't invert": Recipe(
        2402,
        (
            Feature("bone constraint", "TRANSFORM", seed=1651584646),
            Feature("transform", "both beyond", seed=457623336),
        ),
    ),
    "a mesh that is far away for its size": Recipe(
        4077,
        (
            Feature("parent of mesh", "BONE RIG", seed=1767782179),
            Feature("keyed object", "mesh", seed=785250700),
            Feature("transform", "armature small", seed=294152790),
        ),
    ),
    "Ocean with what no copy reproduces behind it": Recipe(
        1825,
        (
            Feature("modifier", "CLOTH", "behind", 49957359),
            Feature("modifier", "OCEAN", "before", 411410827),
        ),
    ),
}


@pytest.mark.parametrize("recipe", RIGS.values(), ids=RIGS.keys())
def test_it_stays_right(recipe, tmp_path):
    assert judged(recipe, tmp_path).wrong == ""
