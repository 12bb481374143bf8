"""The grid of the Armature modifier's options, as a list of random rigs that covers every pair of option
values.

The whole grid has some 100,000 cells. Faults come from one option or from two together, so rigs are added until
every two values of different options occur together in some rig, where both have an effect: an inverted mask
only counts if there is a mask, a handle type only if bones bend.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.scene.random_rig import INHERIT_SCALE_MODES, RigOptions

Choice = tuple[str, object]

AXES: dict[str, tuple[object, ...]] = {
    "groups": (True, False),
    "envelopes": (False, True),
    "envelope_multiply": (False, True),
    "preserve_volume": (False, True),
    "mask": (False, True),
    "invert_mask": (False, True),
    "modifiers": (1, 2, 3),
    "multi_modifier": (False, True),
    "parent_armature": (False, True),
    "bendy": (1, 4, 8),
    "bendy_mapping": ("STRAIGHT", "CURVED"),
    "handles": ("AUTO", "ABSOLUTE", "RELATIVE", "TANGENT", "MIXED"),
    "scale": ("none", "uniform", "non-uniform", "negative"),
    "transformed": (False, True),
    "inherit_scale": INHERIT_SCALE_MODES,
    "constraints": (False, True),
}
CANDIDATES = 30

NEEDS: dict[str, Callable[[dict[str, object]], bool]] = {
    "envelope_multiply": lambda cell: bool(cell["groups"]),
    "invert_mask": lambda cell: bool(cell["mask"]),
    "multi_modifier": lambda cell: cell["modifiers"] != 1,
    "bendy_mapping": lambda cell: cell["bendy"] != 1,
    "handles": lambda cell: cell["bendy"] != 1,
}
"""When an option has an effect; the others always do, as long as there are groups or envelopes."""


_EFFECTIVE: dict[str, object] = {name: values[0] for name, values in AXES.items()} | {
    "envelopes": True,
    "mask": True,
    "modifiers": 2,
    "bendy": 4,
}
"""A rig in which every option has an effect."""


def covering_rigs(seed: int) -> list[RigOptions]:
    """Return rigs that cover every pair of values of two options. Greedy, so about twice the minimum number."""
    random = np.random.default_rng(seed)
    missing = {pair for pair in map(frozenset, _all_pairs()) if _can_meet(dict(pair))}
    rigs: list[RigOptions] = []
    while missing:
        candidates = [
            {name: values[random.integers(len(values))] for name, values in AXES.items()}
            for _ in range(CANDIDATES)
        ]
        best = max(candidates, key=lambda cell: len(missing & _pairs(cell)))
        if not missing & _pairs(best):
            # The last pairs are too rare to turn up by chance.
            best |= _EFFECTIVE | dict(next(iter(sorted(missing, key=str))))
        missing -= _pairs(best)
        rigs.append(replace(RigOptions(seed=len(rigs) + 1000 * seed, vertices=200, bones=10), **best))
    return rigs


def _all_pairs() -> Iterator[tuple[Choice, Choice]]:
    for one, other in itertools.combinations(AXES, 2):
        for a, b in itertools.product(AXES[one], AXES[other]):
            yield (one, a), (other, b)


def _can_meet(two: dict[str, object]) -> bool:
    """Tell whether a rig can have both choices, with both taking effect."""
    return frozenset(two.items()) in _pairs(_EFFECTIVE | two)


def _pairs(cell: dict[str, object]) -> set[frozenset[Choice]]:
    """Return the pairs of choices that take effect in a rig."""
    if not (cell["groups"] or cell["envelopes"]):
        return {frozenset((("groups", False), ("envelopes", False)))}
    effective = [(name, value) for name, value in cell.items() if name not in NEEDS or NEEDS[name](cell)]
    return {frozenset(pair) for pair in itertools.combinations(effective, 2)}


def describe(options: RigOptions) -> str:
    """Describe how options differ from the plainest rig."""
    plain = RigOptions()
    changed = {
        name: getattr(options, name) for name in AXES if getattr(options, name) != getattr(plain, name)
    }
    return (
        ", ".join(name if value is True else f"{name}={value}" for name, value in changed.items()) or "plain"
    )
