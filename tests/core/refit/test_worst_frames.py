"""Weights whose worst frame is as near as it can be, in clips above all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.refit.alike import Alike
from skinning_addon.core.refit.judging import better_of, distances
from skinning_addon.core.refit.mirroring import Twins
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.refit.weight_fit import Sides, fit_weights
from skinning_addon.core.refit.worst_frames import fit_worst_frames
from tests.core.refit.limb import chain, dense, sparse

NONE = Sides(np.array([0, -1, -1]))
ALL = np.array([True])


def tug_of_war(frames: int, wild: float, sources: np.ndarray | None = None) -> Wanted:
    """One vertex at the origin, and two joints that move along X: the second moves it by 1 in all frames. It is
    wanted where it rests, but at `wild` in the last one.
    """
    finals = np.tile(np.eye(4), (frames, 3, 1, 1))
    finals[:, 2, 3, 0] = 1.0
    positions = np.zeros((frames, 1, 3), dtype=np.float32)
    positions[-1, 0, 0] = wild
    # A size of 1 makes the pull towards authored weights small.
    rest = np.zeros((1, 3))
    found = Wanted(rest, positions, finals, np.zeros(frames, dtype=np.intp), ("Clip", "Poses"))
    found.__dict__["size"] = 1.0
    if sources is None:
        return found
    mixed = replace(found, sources=sources, varied=1)
    mixed.__dict__["size"] = 1.0
    return mixed


def test_the_worst_frame_decides_not_the_mean():
    """Of nine frames that want 0 and one that wants 1, the mean is 0.1, and the middle 0.5."""
    wanted = tug_of_war(10, 1.0)
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    mean = fit_weights(wanted, authored, chain(1), 2)
    worst = fit_worst_frames(wanted, authored, chain(1), 2, only=ALL, sides=NONE)
    assert dense(mean, 3)[0, 2] == pytest.approx(0.1, abs=1e-3)
    assert distances(wanted, worst).max() < 0.6 < distances(wanted, mean).max()


def test_poses_beside_clips_count_no_more_than_clips_and_a_third_at_the_worst():
    """Eight wild poses that all want 1 don't outvote two frames that are played."""
    sources = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    wanted = tug_of_war(10, 1.0, sources)
    wanted.positions[2:, 0, 0] = 1.0
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    mean = fit_weights(wanted, authored, chain(1), 2)
    assert dense(mean, 3)[0, 2] == pytest.approx(0.5, abs=1e-3), "without their share it is 0.8"
    worst = fit_worst_frames(wanted, authored, chain(1), 2, only=ALL, sides=NONE)
    # w = (1 - w) / 3 balances both.
    assert 0.25 <= dense(worst, 3)[0, 2] < 0.4


def test_without_vertices_to_fit_nothing_is_fitted():
    wanted = tug_of_war(3, 1.0)
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    found = fit_worst_frames(wanted, authored, chain(1), 2, only=~ALL, sides=NONE)
    assert found.counts.tolist() == [0]


def test_no_vertex_is_further_off_in_clips_whatever_it_gains_elsewhere():
    """Distances of a vertex in a frame that is played, one that the fit has not seen, and a wild pose."""
    before = np.array([[2.0, 2, 30]], dtype=np.float32)
    after = np.array([[3.0, 2, 10]], dtype=np.float32)
    held_out, in_clips = np.array([False, True, False]), np.array([True, True, False])
    assert better_of(before, after, held_out, in_clips, 1.0).returned.tolist() == [True]
    assert better_of(before, after - (1, 0, 0), held_out, in_clips, 1.0).returned.tolist() == [False]


def test_seams_and_sides_are_decided_on_together():
    """Vertex 1 lies at the place of 0, whose twin is 2, at the place of which lies 3. Vertex 4 is alone."""
    alike = Alike(np.array([0, 0, 2, 2, 4]), Twins(np.array([0]), np.array([2])))
    assert alike.most(np.array([1.0, 5.0, 2.0, 3.0, 9.0])).tolist() == [5, 5, 5, 5, 9]
    before = np.ones((5, 2), dtype=np.float32)
    after = np.zeros((5, 2), dtype=np.float32)
    after[3] = 2
    every = np.array([True, True])
    judged = better_of(before, after, every, every, 1.0, alike=alike)
    assert judged.returned.tolist() == [True] * 4 + [False]
    assert better_of(before, after, every, every, 1.0).returned.tolist() == [False] * 3 + [True, False]
    before[0] = 3
    assert not better_of(before, after, every, every, 1.0, alike=alike).returned.any(), (
        "together they are nearer"
    )
