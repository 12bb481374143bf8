"""The recipe of a random rig: a list of features, each of which can be left out without changing the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

BEFORE, BETWEEN, BEHIND = "before", "between", "behind"
PLACES = (BEFORE, BETWEEN, BEHIND)
"""Positions of a modifier: before the first armature modifier, between two, after the last."""

ARMATURE_PARENTS = ("ARMATURE RIG", "ARMATURE ARMATURE")


@dataclass(frozen=True)
class Feature:
    """kind: a row of `features.KINDS`. detail: which one of its kind, such as a modifier's type. place: of a
    modifier.

    seed: for all of its random choices.
    """

    kind: str
    detail: str = ""
    place: str = ""
    seed: int = 0

    def __str__(self) -> str:
        return " ".join(word for word in (self.kind, self.detail, self.place) if word)


@dataclass(frozen=True)
class Recipe:
    """seed: of the plain rig that features are added to."""

    seed: int
    features: tuple[Feature, ...] = ()

    def without(self, drops: Callable[[Feature], bool]) -> Recipe:
        """Return the same rig without some features."""
        return replace(self, features=tuple(one for one in self.features if not drops(one)))

    def has(self, kind: str, detail: str | None = None) -> bool:
        return any(one.kind == kind and detail in (None, one.detail) for one in self.features)

    def place_of(self, feature: Feature) -> str:
        """Return a modifier's actual place: one before the armature ends up between two if another armature
        modifier was added above it, and one after it does if one was added below.
        """
        number = next(place for place, one in enumerate(self.features) if one is feature)
        armatures = [
            place
            for place, one in enumerate(self.features)
            if one.detail == "ARMATURE" and one.kind == "modifier"
        ]
        # A parent of that type acts as a first armature modifier.
        above = any(
            one.kind == "parent of mesh" and one.detail in ARMATURE_PARENTS for one in self.features
        ) or any(self.features[place].place == BEFORE and place < number for place in armatures)
        below = any(self.features[place].place == BEHIND and place > number for place in armatures)
        return (
            BETWEEN
            if (feature.place == BEFORE and above) or (feature.place == BEHIND and below)
            else feature.place
        )

    def __str__(self) -> str:
        return ", ".join(map(str, self.features)) or "a plain rig"


SCRIPT = """\
import tempfile
from pathlib import Path

from tests.fuzz.rigs.judge import judged
from tests.fuzz.rigs.recipe import Feature, Recipe

# Run in the checkout: PYTHONPATH=. .venv/bin/python THIS_FILE
recipe = Recipe(
    {seed},
    (
{features}    ),
)
with tempfile.TemporaryDirectory() as folder:
    print(judged(recipe, Path(folder)))
"""


def script_of(recipe: Recipe) -> str:
    """Write a script that builds and judges a recipe."""
    features = "".join(f"        {feature!r},\n" for feature in recipe.features)
    return SCRIPT.format(seed=recipe.seed, features=features)
