"""Tabulates the outcome of every type of modifier at every place.

Run on its own, in any Blender with the checkout on Python's path, it writes the table as JSON to the file given
as the last argument.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

from tests.fuzz.outcome import Outcome
from tests.fuzz.rigs.judge import judged
from tests.fuzz.rigs.modifiers import modifier_types
from tests.fuzz.rigs.recipe import BEFORE, PLACES, Feature, Recipe
from tests.fuzz.rigs.truth import blenders_truth

PLAIN = 1
"""The seed of the rig that each modifier is added to."""

TRIES = 6
"""How many random settings to try for one that changes the mesh, since some have no effect."""


def effective_seed(kind: str, folder: Path) -> int | None:
    """Return a seed with which a type of modifier changes the mesh, None if it never does."""
    plain = blenders_truth(Recipe(PLAIN), folder / "plain").positions
    for seed in range(TRIES):
        recipe = Recipe(PLAIN, (Feature("modifier", kind, BEFORE, seed),))
        changed = blenders_truth(recipe, folder / f"try-{seed}").positions
        if any(not np.array_equal(plain[frame], changed[frame]) for frame in plain):
            return seed
    return None


def judged_places(kind: str, folder: Path) -> dict[str, Outcome]:
    """Judge a type of modifier at each place."""
    seed = effective_seed(kind, folder) or 0
    return {
        place: judged(Recipe(PLAIN, (Feature("modifier", kind, place, seed),)), folder / place)
        for place in PLACES
    }


def table_of_places() -> dict[str, dict[str, str]]:
    """Return the labels by type and place; 'wrong: ...' for wrong ones."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in modifier_types():
            outcomes = judged_places(kind, Path(folder) / kind.replace(":", " "))
            rows[kind] = {
                place: f"wrong: {one.wrong}" if one.wrong else one.label for place, one in outcomes.items()
            }
            print(kind, rows[kind], file=sys.stderr, flush=True)
    return rows


if __name__ == "__main__":
    version = ".".join(map(str, bpy.app.version[:2]))
    Path(sys.argv[-1]).write_text(json.dumps({version: table_of_places()}))
    # Blender 4.2 as a module crashes when Python tears it down.
    os._exit(0)
