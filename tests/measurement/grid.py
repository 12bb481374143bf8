"""The grid of what Blender's Armature modifier can do, as a list of random rigs that meets every pair of options.

The whole grid has some 100,000 cells. Faults come from one option or from two that meet, so the list is built until
every two values of different options stand together in a rig somewhere.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from tests.scene.random_rig import INHERIT_SCALE_MODES, RigOptions

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


def covering_rigs(seed: int) -> list[RigOptions]:
    """Return rigs such that every pair of values of two options occurs; greedy, so about twice the fewest possible."""
    random = np.random.default_rng(seed)
    missing = {
        ((one, a), (other, b))
        for one, other in itertools.combinations(AXES, 2)
        for a, b in itertools.product(AXES[one], AXES[other])
    }
    rigs: list[RigOptions] = []
    while missing:
        candidates = [
            {name: values[random.integers(len(values))] for name, values in AXES.items()}
            for _ in range(CANDIDATES)
        ]
        best = max(candidates, key=lambda cell: len(missing & _pairs(cell)))
        if not missing & _pairs(best):
            # The last pairs are too rare to be met by chance.
            best |= dict(next(iter(sorted(missing, key=str))))
        missing -= _pairs(best)
        rigs.append(replace(RigOptions(seed=len(rigs) + 1000 * seed, vertices=200, bones=10), **best))
    return rigs


def _pairs(cell: dict[str, object]) -> set[tuple[tuple[str, object], tuple[str, object]]]:
    return set(itertools.combinations(cell.items(), 2))


def describe(options: RigOptions) -> str:
    """Name what differs from the plainest rig."""
    plain = RigOptions()
    changed = {
        name: getattr(options, name) for name in AXES if getattr(options, name) != getattr(plain, name)
    }
    return (
        ", ".join(name if value is True else f"{name}={value}" for name, value in changed.items()) or "plain"
    )
