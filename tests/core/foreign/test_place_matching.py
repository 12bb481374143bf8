"""Vertices in the same place: against every pair, compared one by one."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.foreign.place_matching import same_places


@pytest.mark.parametrize("apart", [1e-5, 0.03])
def test_every_pair_within_reach_is_found(apart: float):
    generator = np.random.default_rng(5)
    ours = generator.uniform(-1, 1, (300, 3))
    ours[250:] = ours[:50]
    theirs = np.concatenate((ours, ours[:100], generator.uniform(-1, 1, (50, 3))))
    theirs = theirs + generator.uniform(-0.5, 0.5, theirs.shape) * apart
    distances = np.linalg.norm(theirs[:, None] - ours, axis=2)
    expected = set(zip(*(rows.tolist() for rows in np.nonzero(distances <= apart)), strict=True))
    found = same_places(ours, theirs, apart)
    assert set(zip(found.theirs.tolist(), found.ours.tolist(), strict=True)) == expected
    assert found.matched.tolist() == sorted({one for one, _ in expected})
    assert (distances[found.matched, found.counterparts] <= apart).all()


def test_twins_are_told_apart_by_their_poses():
    ours = np.zeros((2, 3))
    found = same_places(ours, np.zeros((1, 3)), 1e-5)
    posed = np.array([[1.0, 0, 0], [0, 2.0, 0]])
    assert found.distances(np.array([[0, 2.5, 0]]), posed) == pytest.approx([0.5])


def test_nothing_in_common():
    found = same_places(np.zeros((0, 3)), np.ones((3, 3)), 1e-5)
    assert len(found.matched) == len(found.distances(np.ones((3, 3)), np.zeros((0, 3)))) == 0
