"""Judges what Skinscope says of a rig: by Blender's mesh, the table of expected results, and rigs without the
cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tests.fuzz.outcome import BLENDER_ALONE, SKINSCOPE, Outcome, enter_stage
from tests.fuzz.rigs.expected import Result, expected_of
from tests.fuzz.rigs.features import build
from tests.fuzz.rigs.program import COMPARISON, Told, told_by_check, told_by_preview
from tests.fuzz.rigs.recipe import Feature, Recipe
from tests.fuzz.rigs.truth import Truth, blenders_truth

LABELS = {Result.EXACT: "exact", Result.NAMED: "named", Result.REFUSED: "refused"}

FACTS: dict[str, Callable[[Truth], bool]] = {
    "blender-not-finite": lambda truth: not truth.finite,
    "no-vertices": lambda truth: truth.fewest == 0,
    "not-skinnable": lambda truth: truth.singular,
    "scale-beyond-precision": lambda truth: truth.beyond,
    "collapsed-bone": lambda truth: truth.collapsed,
    "uneven-precision": lambda truth: truth.uneven,
    "distant-precision": lambda truth: truth.distant,
    "no-skinned-mesh": lambda truth: len(truth.idle) == len(truth.positions),
}
"""Rules that can be verified from Blender's own result for the rig."""

LARGE = 4000
"""Skip a rig whose modifiers make it this large: it would take as long as a hundred others without testing
more."""

EVER_OTHER = ("EXPLODE",)
"""Types whose result at the same frame changes after any update of the mesh: tagged for one at frame 1, Explode
tears the faces off in other places than when it was played to. What counts is what it shows when it is looked
at."""

IN_WORDS = {
    "has no vertices": "no-vertices",
    "contains invalid numbers": "blender-not-finite",
    "vertices instead of": "vertices-differ",
}
"""A preview's wording of some rules that `check` names."""

PAUSED = "paused"
"""Stands for the rule if a preview gives only a sentence."""


def judged(recipe: Recipe, folder: Path, depth: int = 0) -> Outcome:
    """Build a rig, have Skinscope check and preview it, and judge both.

    folder: an empty one. depth: how many causes have already been left out to verify them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    enter_stage(folder, BLENDER_ALONE)
    truth = blenders_truth(recipe, folder / "truth")
    if truth.most > LARGE:
        return Outcome("left out", cause=f"more than {LARGE:,} vertices")
    rig = build(recipe, folder / "rig")
    enter_stage(folder, SKINSCOPE)
    hidden = recipe.has("scene", "hidden") or recipe.has("scene", "hidden collection")
    shown = None if hidden else told_by_preview(rig)
    # A checked file has just been opened: what a simulation saw while the preview followed doesn't concern it.
    checked = told_by_check(build(recipe, folder / "rig again"))
    causes: dict[str, str] = {}
    result = Result.EXACT
    for who, told in (("check", checked), ("preview", shown)):
        if told is None:
            continue
        # A preview shows the whole stack if it contains no armature; `check` always compares the input of the
        # next modifier.
        seen = truth.without(truth.idle) if told is shown else truth
        ever_other = any(recipe.has("modifier", one) for one in EVER_OTHER)
        # In Rest Position the scene's own animation moves nothing; clips are played instead, starting without
        # curved bones.
        if told is checked and (ever_other or recipe.has("scene", "rest")):
            seen = seen.when_shown(told.shown)
        wrong = next(_faults(recipe, seen, told), "")
        if wrong:
            return Outcome("wrong", wrong=f"{who}: {wrong} ({recipe})")
        own = (
            Result.REFUSED
            if told.refused
            else Result.NAMED
            if told.reasons or told.uncompared
            else Result.EXACT
        )
        result = max(result, own)
        every = told.reasons | told.refused | told.uncompared
        causes |= {_fact_told(rule, sentence): sentence for rule, sentence in every.items()}
    wrong = _false_cause(recipe, folder, causes, depth)
    if wrong:
        return Outcome("wrong", wrong=f"{wrong} ({recipe})")
    return Outcome(LABELS[result], cause=", ".join(sorted(causes)))


def _faults(recipe: Recipe, truth: Truth, told: Told) -> Iterator[str]:
    """Yield what is wrong with the findings, worst first."""
    if told.failed:
        yield "it failed: " + told.failed.strip().splitlines()[-1]
    if told.missing:
        yield "the report lacks the mesh, and does not say why."
    uncompared = {_fact_told(*one) for one in told.uncompared.items()}
    no_numbers = "blender-not-finite" in uncompared
    if not told.reasons and not told.refused and "vertices-differ" not in uncompared:
        yield from _not_as_blender(
            truth.without(truth.numberless) if no_numbers else truth, told.skinned, "it skins without a word"
        )
        if not told.exact:
            yield f"it deviates by {told.relative:.2g} of the size, and names no cause."
    if not told.reasons:
        known = {frame: positions for frame, positions in told.reference.items() if frame in told.skinned}
        partly = bool(told.refused or told.uncompared)
        yield from _not_as_blender(truth, known, "what it takes for Blender's is", partly=partly)
    for told_rule, sentence in (told.reasons | told.refused | told.uncompared).items():
        rule = _fact_told(told_rule, sentence)
        if rule in FACTS:
            if not FACTS[rule](truth):
                yield f"'{rule}' is not true: {sentence}"
        elif not culprits(recipe, rule):
            yield f"'{rule}' is nothing that was to be expected: {sentence}"


def _fact_told(rule: str, sentence: str) -> str:
    """Return the rule of a fact that a preview states in words, or else the rule itself."""
    told = (fact for words, fact in IN_WORDS.items() if rule in {PAUSED, COMPARISON} and words in sentence)
    return next(told, rule)


def _not_as_blender(
    truth: Truth, positions: dict[float, np.ndarray], said: str, *, partly: bool = False
) -> Iterator[str]:
    for frame, cut in truth.positions.items():
        blender, found = cut, positions.get(frame)
        if found is None:
            if not partly:
                yield f"{said} nothing at frame {frame:g}."
            continue
        whole = truth.whole.get(frame)
        if whole is not None and len(whole) == len(found):
            # If no armature is on, Blender's final shape is as good as the input of the first modifier after
            # it.
            shorter = len(found) <= len(blender)
            blender = min((blender, whole), key=lambda one: _apart(found, one)) if shorter else whole
        if len(found) > len(blender):
            yield f"{said} {len(found)} vertices at frame {frame:g}, where Blender has {len(blender)}."
            continue
        if not len(found):
            continue
        off = _apart(found, blender)
        # Not `>`: if either isn't a number, both comparisons are false.
        if not off <= truth.tolerance[frame]:
            yield f"{said} {off:.3g} off at frame {frame:g} (tolerance {truth.tolerance[frame]:.2g})."


def _apart(found: np.ndarray, blender: np.ndarray) -> float:
    """Return the largest distance of vertices (V, 3) from as many of Blender's first ones."""
    return float(np.linalg.norm(found - blender[: len(found)], axis=1).max())


def culprits(recipe: Recipe, rule: str) -> tuple[Feature, ...]:
    """Return the features that a rule may be naming, by the table of expected results."""
    if rule == PAUSED:
        return tuple(one for one in recipe.features if expected_of(recipe, one).result is Result.REFUSED)
    return tuple(one for one in recipe.features if rule in expected_of(recipe, one).rules)


def _false_cause(recipe: Recipe, folder: Path, causes: dict[str, str], depth: int) -> str:
    """Leave out the named cause, and see whether the rest is exact. Return what is wrong, or ''."""
    blamed = {one for rule in causes if rule not in FACTS for one in culprits(recipe, rule)}
    if not blamed:
        return ""
    if depth >= len(recipe.features):
        return f"{', '.join(causes)} is told of a rig that has nothing of the kind."
    rest = judged(recipe.without(lambda one: one in blamed), folder / "without", depth + 1)
    if rest.wrong:
        return f"without what {', '.join(causes)} names: {rest.wrong}"
    again = set(rest.cause.split(", ")) & set(causes) - set(FACTS)
    if again:
        return f"'{again.pop()}' is told without its cause, too."
    return ""
