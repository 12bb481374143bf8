"""Every shipped profile changes weights as the engine's own source does."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.weight_rules import WeightRule
from skinning_addon.core.skinning.skin import SMALLEST_MOVING_SUM, BoneSkin
from tests.core.engine_rules import RULES


def random_skin(seed: int, vertices: int = 400) -> BoneSkin:
    """Up to 14 influences a vertex, some of them tiny or zero, sums that are anything, and vertices without
    any.
    """
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 15, vertices)
    owner = np.repeat(np.arange(vertices), counts)
    joints = np.concatenate([rng.permutation(20)[:count] for count in counts])
    weights = rng.uniform(0, 1, len(owner)) ** rng.choice((1, 4, 12), len(owner))
    weights[rng.random(len(owner)) < 0.05] = 0
    weights[np.isin(owner, rng.integers(0, vertices, 10))] = 0
    return BoneSkin.from_entries(owner, joints, weights.astype(np.float32), vertices)


def influences(skin: BoneSkin, vertex: int) -> list[tuple[int, float]]:
    own = slice(skin.starts[vertex], skin.starts[vertex + 1])
    return list(zip(skin.bones[own].tolist(), skin.weights[own].astype(float).tolist(), strict=True))


def as_dense(pairs: list[tuple[int, float]]) -> np.ndarray:
    weights = np.zeros(20)
    for joint, weight in pairs:
        weights[joint] += weight
    return weights


def test_every_profile_has_a_rule_to_be_compared_with():
    assert {"blender", *RULES} == set(profile_ids())


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", [0, 1])
def test_weights(name: str, seed: int):
    profile = load_profile(name)
    stored = random_skin(seed)
    ruled = WeightRule(profile)(stored)
    steps = profile.weights.format.steps
    # Where a product lies on the edge of a step, 32 and 64 bits may fall on either side.
    tolerance = 1e-6 if steps is None else 1e-6 + 1 / steps
    differing = 0
    for vertex in range(stored.vertex_count):
        expected = RULES[name](influences(stored, vertex))
        own = influences(ruled.skin, vertex)
        if expected is None:
            assert own == []
            assert ruled.missing[vertex] == 0
            continue
        off = np.abs(as_dense(own) - as_dense(expected)).max()
        assert off <= tolerance, f"vertex {vertex}: {own} instead of {expected}"
        differing += off > 1e-6
        lacking = 1 - sum(weight for _, weight in expected)
        assert ruled.missing[vertex] == pytest.approx(lacking, abs=2e-6 + 14 * (tolerance - 1e-6))
        before, kept = as_dense(influences(stored, vertex)), as_dense(expected) > 0
        if off <= 1e-6 and before.sum() > SMALLEST_MOVING_SUM:
            assert ruled.dropped[vertex] == pytest.approx(before[~kept].sum() / before.sum(), abs=1e-6)
    assert differing <= stored.vertex_count / 100
