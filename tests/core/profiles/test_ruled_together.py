"""Many meshes' weights, changed at once: each comes out as if it were alone, under every shipped profile.

`test_weight_rules` compares what comes out alone with the engines' own sources.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from skinning_addon.core.maths.once import Once, each_time
from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.ruled_together import LARGE, RuledTogether
from skinning_addon.core.profiles.weight_rules import WeightRule
from skinning_addon.core.skinning.skin import BoneSkin, RuledSkin


def skin(seed: int, vertices: int, most: int, bones: int = 300) -> BoneSkin:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, most + 1, vertices)
    owner = np.repeat(np.arange(vertices), counts)
    joints = np.concatenate([rng.permutation(bones)[:count] for count in counts])
    weights = rng.uniform(0, 1, len(owner)) ** rng.choice((1, 4, 12), len(owner))
    weights[rng.random(len(owner)) < 0.05] = 0
    return BoneSkin.from_entries(owner, joints, weights.astype(np.float32), vertices)


def nothing() -> BoneSkin:
    return BoneSkin(np.zeros(4, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))


def as_bytes(ruled: RuledSkin) -> tuple[bytes, ...]:
    one = ruled.skin
    arrays = one.starts, one.bones, one.weights, ruled.missing, ruled.dropped
    return tuple(array.tobytes() for array in arrays)


@pytest.mark.parametrize("name", [one for one in profile_ids() if one != "blender"])
def test_each_comes_out_as_if_it_were_alone(name: str):
    rule = WeightRule(load_profile(name))
    skins = [skin(1, 50, 14), nothing(), skin(2, 3, 2), skin(3, 80, 4), skin(4, 20, 9), skin(5, 200, 14)]
    together = RuledTogether()
    for one in skins:
        together.add(one)
    assert [as_bytes(together.ruled(rule, one)) for one in skins] == [as_bytes(rule(one)) for one in skins]


def test_a_rule_runs_once_for_all_that_are_there_and_once_for_each_large_one(
    monkeypatch: pytest.MonkeyPatch,
):
    runs: Counter[int] = Counter()
    whole = WeightRule.__call__

    def counting(self: WeightRule, stored: BoneSkin, once: Once = each_time) -> RuledSkin:
        runs[stored.vertex_count] += 1
        return whole(self, stored, once)

    monkeypatch.setattr(WeightRule, "__call__", counting)
    rule, together = WeightRule(load_profile("threejs")), RuledTogether()
    skins = [skin(seed, 10, 5) for seed in range(7)]
    large = skin(8, LARGE, 3)
    for one in (*skins, large):
        together.add(one)
    for one in (*skins, large, *skins):
        together.ruled(rule, one)
    late = skin(9, 6, 5)
    together.add(late)
    together.ruled(rule, late)
    assert runs == {70: 1, LARGE: 1, 6: 1}
