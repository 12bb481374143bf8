"""How exporters and importers change weights, against rules written out here vertex by vertex."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.profiles.influence_limit import (
    Keep,
    Normalise,
    largest_first,
    limited,
    normalised_after,
    summing_to_one,
    without_small,
)
from skinning_addon.core.skinning.skin import BoneSkin
from skinning_addon.core.text.errors import InvalidArrayError


def skin_of(*rows: list[tuple[int, float]]) -> BoneSkin:
    entries = [(vertex, joint, weight) for vertex, row in enumerate(rows) for joint, weight in row]
    vertices, joints, weights = (np.array(column) for column in zip(*entries, strict=True))
    return BoneSkin.from_entries(vertices, joints, weights.astype(np.float32), len(rows))


def rows_of(skin: BoneSkin) -> list[list[tuple[int, float]]]:
    return [
        [
            (int(joint), pytest.approx(float(weight), rel=1e-6))
            for joint, weight in zip(skin.bones[start:end], skin.weights[start:end], strict=True)
        ]
        for start, end in zip(skin.starts[:-1], skin.starts[1:], strict=True)
    ]


MANY = [(3, 0.125), (1, 0.5), (2, 0.25), (5, 0.125)]


def test_keeping_the_largest_or_the_first():
    skin = skin_of(MANY, [], [(7, 1.0)])
    assert rows_of(limited(skin, 2, Keep.LARGEST)) == [[(1, 0.5), (2, 0.25)], [], [(7, 1.0)]]
    assert rows_of(limited(skin, 2, Keep.BONE_ORDER)) == [[(1, 0.5), (2, 0.25)], [], [(7, 1.0)]]
    assert rows_of(limited(skin, 9, Keep.BONE_ORDER))[0] == sorted(MANY, key=lambda one: one[0])
    assert rows_of(limited(skin, 2, Keep.FIRST)) == [[(3, 0.125), (1, 0.5)], [], [(7, 1.0)]]


@pytest.mark.parametrize("keep", Keep)
def test_a_limit_of_none_is_refused(keep: Keep):
    with pytest.raises(InvalidArrayError, match="can't be limited to 0 influences"):
        limited(skin_of(MANY), 0, keep)


def test_the_largest_come_first_and_equal_ones_stay_in_order():
    assert rows_of(largest_first(skin_of(MANY))) == [[(1, 0.5), (2, 0.25), (3, 0.125), (5, 0.125)]]


def test_a_weight_of_just_the_smallest_is_dropped():
    skin = skin_of([(0, 1e-4), (1, 2e-4), (2, 0.0)])
    assert rows_of(without_small(skin, float(np.float32(1e-4)))) == [[(1, 2e-4)]]


def test_who_is_normalised():
    before = skin_of([(0, 0.5), (1, 0.25), (2, 0.25)], [(0, 0.5), (1, 0.25)], [(0, 0.0)])
    after = limited(before, 2, Keep.LARGEST)
    assert rows_of(normalised_after(before, after, Normalise.NEVER))[0] == [(0, 0.5), (1, 0.25)]
    cut = rows_of(normalised_after(before, after, Normalise.CUT))
    assert cut == [[(0, 2 / 3), (1, 1 / 3)], [(0, 0.5), (1, 0.25)], [(0, 0.0)]]
    always = rows_of(normalised_after(before, after, Normalise.ALWAYS))
    assert always == [[(0, 2 / 3), (1, 1 / 3)], [(0, 2 / 3), (1, 1 / 3)], [(0, 0.0)]]


def test_a_skin_without_influences():
    empty = BoneSkin(np.zeros(4, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    for skin in (
        limited(empty, 4, Keep.FIRST),
        largest_first(empty),
        without_small(empty, 0),
        summing_to_one(empty),
    ):
        assert skin.vertex_count == 3
        assert not len(skin.weights)
