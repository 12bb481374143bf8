"""Few drivers instead of many. The judge is how far the weighted mean of points on a line is moved."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.refit.few_drivers import few_drivers

FRAMES = 3


def on_a_line(*places: float) -> np.ndarray:
    """(F, n, 3), further along in each frame."""
    moved = np.zeros((FRAMES, len(places), 3))
    moved[..., 0] = np.arange(1, FRAMES + 1)[:, None] * np.array(places)
    return moved


def test_what_moves_alike_is_taken_together():
    """Not the smallest left out: that would move the mean by an eighth."""
    found = few_drivers(np.array([0.5, 0.3, 0.2]), on_a_line(0.0, 1.0, 0.01), 2)
    assert found == pytest.approx([0.7, 0.3, 0.0])


def test_segments_of_a_bendy_bone_become_few():
    """Eight segments on a line: the mean goes less far than from the largest to the next one."""
    weights = np.array([0.05, 0.1, 0.2, 0.25, 0.2, 0.1, 0.06, 0.04])
    moved = on_a_line(*np.linspace(0, 1, 8))
    found = few_drivers(weights, moved, 4)
    assert (found > 0).sum() == 4
    assert found.sum() == pytest.approx(weights.sum())
    mean, of_few = (np.einsum("n,fnc->fc", one, moved) for one in (weights, found))
    assert np.abs(of_few - mean).max() < FRAMES * 0.03
    largest = np.where(weights >= np.sort(weights)[-4], weights, 0.0)
    of_largest = np.einsum("n,fnc->fc", largest / largest.sum(), moved)
    assert np.abs(of_few - mean).max() < np.abs(of_largest - mean).max()


def test_few_enough_stay():
    weights = np.array([0.6, 0.0, 0.4])
    assert few_drivers(weights, on_a_line(0, 1, 2), 2).tolist() == weights.tolist()
