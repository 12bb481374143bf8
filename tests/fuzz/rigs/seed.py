"""One seed of the rigs kind: drawn, judged and, if it is wrong, minimized."""

from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path

from tests.fuzz.outcome import Outcome
from tests.fuzz.rigs.features import draw
from tests.fuzz.rigs.judge import judged
from tests.fuzz.rigs.recipe import Recipe, script_of


def run_seed(seed: int, folder: Path) -> Outcome:
    """Judge the rig of a seed."""
    recipe = draw(seed)
    outcome = _tried(recipe, folder)
    if not outcome.wrong:
        return outcome
    smallest, outcome = _minimised(recipe, outcome, folder)
    return replace(outcome, script=f"{script_of(smallest)}{outcome.script}")


def _tried(recipe: Recipe, folder: Path) -> Outcome:
    try:
        return judged(recipe, folder)
    except Exception as error:  # noqa: BLE001 - a rig that can't be built is the generator's fault, and told
        lines = "".join(f"# {line}\n" for line in traceback.format_exc().splitlines())
        return Outcome("traceback", wrong=f"{error!r} ({recipe})", script=lines)


def _minimised(recipe: Recipe, outcome: Outcome, folder: Path) -> tuple[Recipe, Outcome]:
    """Leave out one feature after another as long as the rig stays wrong."""
    for number, feature in enumerate(recipe.features):
        smaller = recipe.without(lambda one, feature=feature: one is feature)
        tried = _tried(smaller, folder / f"smaller-{number}")
        if tried.wrong:
            recipe, outcome = smaller, tried
    return recipe, outcome
