"""Weights whose worst frame is as near as it can be, in clips above all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.maths import scratch
from skinning_addon.core.refit.alike import Alike
from skinning_addon.core.refit.judging import Figures, better_of, distances, figures, figures_by_source
from skinning_addon.core.refit.mirroring import Twins
from skinning_addon.core.refit.wanted import Wanted
from skinning_addon.core.refit.weight_fit import Sides, fit_weights
from skinning_addon.core.refit.worst_frames import fit_worst_frames
from skinning_addon.core.skinning.skin import Skin
from tests.core.refit.limb import blended, chain, dense, sparse, turns, wanted_of

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


def worst_of(wanted: Wanted, authored: Skin) -> Skin:
    """Return what its one vertex gets."""
    return fit_worst_frames(wanted, authored, chain(1), 2, only=ALL, sides=NONE)


def test_the_worst_frame_decides_not_the_mean():
    """Of nine frames that want 0 and one that wants 1, the mean is 0.1, and the middle 0.5."""
    wanted = tug_of_war(10, 1.0)
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    mean = fit_weights(wanted, authored, chain(1), 2)
    worst = worst_of(wanted, authored)
    assert dense(mean, 3)[0, 2] == pytest.approx(0.1, abs=1e-3)
    assert distances(wanted, worst).max() < 0.6 < distances(wanted, mean).max()


def test_poses_beside_clips_count_in_the_mean_and_no_more_than_clips():
    """Eight poses, of which one is wild, don't outvote two frames that are played, and the wild one does not
    decide.
    """
    sources = np.array([0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    wanted = tug_of_war(10, 1.6, sources)
    wanted.positions[2:-1, 0, 0] = 0.2
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    for fit in (fit_weights(wanted, authored, chain(1), 2), worst_of(wanted, authored)):
        # The mean of the poses is 0.375, and they count as much as the clip.
        assert dense(fit, 3)[0, 2] == pytest.approx(0.375 / 2, abs=1e-3)


def test_a_clip_s_worst_frame_is_not_paid_for_by_poses_without_bounds():
    """Nine frames of a clip want 0 and one wants 1, ten poses want 0: least squares make it 0.05."""
    sources = np.repeat([0, 1], 10)
    wanted = tug_of_war(20, 0.0, sources)
    wanted.positions[4, 0, 0] = 1.0
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    mean = fit_weights(wanted, authored, chain(1), 2)
    assert dense(mean, 3)[0, 2] == pytest.approx(0.05, abs=1e-3)
    worst = dense(worst_of(wanted, authored), 3)[0, 2]
    assert worst <= 1.5 * 0.05 + 1e-3
    wanted.positions[10:, 0, 0] = 0.5
    assert dense(worst_of(wanted, authored), 3)[0, 2] > 0.4, "where poses allow it, the worst frame decides"


def test_what_is_not_fitted_does_not_hold_back_what_goes_with_it():
    """Two vertices of a seam, of which only one is to be fitted."""
    one = tug_of_war(10, 1.0)
    both = replace(one, rest=np.zeros((2, 3)), positions=np.repeat(one.positions, 2, axis=1))
    both.__dict__["size"] = 1.0
    authored = sparse(np.array([[0.0, 0.5, 0.5]] * 2))
    found = fit_worst_frames(both, authored, chain(2), 2, only=np.array([True, False]), sides=NONE)
    assert distances(both, found)[0].max() < 0.6


def test_wild_poses_give_way_where_a_clip_would_lose_by_them():
    """A pose that wants 2 is off by 1 at least. The clip is off by 0.1 with the authored weights; to balance
    both, it would have to be off by 0.5, and former weights would come back.
    """
    wanted = tug_of_war(3, 2.0, np.array([0, 0, 1]))
    authored = sparse(np.array([[0.0, 0.9, 0.1]]))
    worst = worst_of(wanted, authored)
    in_clip, in_pose = distances(wanted, worst)[0, [0, 2]]
    assert in_clip <= distances(wanted, authored)[0, 0]
    assert in_pose < 2.0


def test_without_vertices_to_fit_nothing_is_fitted():
    wanted = tug_of_war(3, 1.0)
    authored = sparse(np.array([[0.0, 0.5, 0.5]]))
    found = fit_worst_frames(wanted, authored, chain(1), 2, only=~ALL, sides=NONE)
    assert found.counts.tolist() == [0]


def test_no_vertex_is_further_off_in_clips_whatever_it_gains_elsewhere():
    """Distances of a vertex in a frame that is played, one that the fit has not seen, and a wild pose."""
    before = np.array([[2.0, 2, 30]], dtype=np.float32)
    after = np.array([[3.0, 2, 10]], dtype=np.float32)
    held_out, clips = np.array([False, True, False]), np.array([0, 0, -1])
    assert better_of(before, after, held_out, clips, 1.0).returned.tolist() == [True]
    assert better_of(before, after - (1, 0, 0), held_out, clips, 1.0).returned.tolist() == [False]


def test_no_clip_gets_worse_though_another_gains_more():
    """Distances of two vertices in two clips, of which the fit has seen all but the last frame."""
    before = np.array([[9.0, 1, 1], [2, 3, 3]], dtype=np.float32)
    after = np.array([[2.0, 4, 1], [1, 2, 2]], dtype=np.float32)
    held_out, clips = np.array([False, False, True]), np.array([0, 1, 1])
    assert better_of(before, after, held_out, clips, 1.0).returned.tolist() == [True, False]
    after[0, 1] = 3
    assert not better_of(before, after, held_out, clips, 1.0).returned.any(), "no more than the worst there"


def test_what_is_played_gets_worse_by_nothing_that_can_be_seen():
    before, after = np.array([[1.0, 1]], dtype=np.float32), np.array([[1 + 1e-5, 0]], dtype=np.float32)
    held_out = np.array([False, True])
    assert better_of(before, after, held_out, np.array([0, -1]), 1.0).returned.tolist() == [True]
    assert better_of(before, after, held_out, np.array([-1, -1]), 1.0).returned.tolist() == [False]


def test_a_wild_pose_does_not_undo_what_a_clip_gains():
    """Distances in a clip and in a pose that the fit has not seen; the pose is off by more anyway."""
    before = np.array([[20.0, 30]], dtype=np.float32)
    held_out, clips = np.array([False, True]), np.array([0, -1])
    for pose, kept in ((40.0, True), (59.0, True), (61.0, False)):
        after = np.array([[5.0, pose]], dtype=np.float32)
        assert better_of(before, after, held_out, clips, 1.0).returned.tolist() == [not kept]


def test_seams_and_sides_are_decided_on_together():
    """Vertex 1 lies at the place of 0, whose twin is 2, at the place of which lies 3. Vertex 4 is alone."""
    alike = Alike(np.array([0, 0, 2, 2, 4]), Twins(np.array([0]), np.array([2])))
    assert alike.most(np.array([1.0, 5.0, 2.0, 3.0, 9.0])).tolist() == [5, 5, 5, 5, 9]
    before = np.ones((5, 2), dtype=np.float32)
    after = np.zeros((5, 2), dtype=np.float32)
    after[3] = 2
    every, clips = np.array([True, True]), np.array([0, 0])
    judged = better_of(before, after, every, clips, 1.0, alike=alike)
    assert judged.returned.tolist() == [True] * 4 + [False]
    assert better_of(before, after, every, clips, 1.0).returned.tolist() == [False] * 3 + [True, False]
    before[0] = 3
    assert not better_of(before, after, every, clips, 1.0, alike=alike).returned.any(), (
        "together they are nearer"
    )


def test_a_fit_that_memory_does_not_hold_is_the_same_to_the_last_bit(monkeypatch: pytest.MonkeyPatch):
    """Distances, shares of frames and the frames that are fitted lie in files then."""
    rest, finals = np.random.default_rng(3).normal(size=(40, 3)), turns(6)
    true = np.random.default_rng(4).dirichlet(np.ones(6), 40)
    wanted = wanted_of(rest, blended(rest, np.c_[np.zeros(40), true], finals), finals)
    authored = sparse(np.c_[np.zeros(40), true])
    held_out = np.arange(len(finals)) % 10 == 0

    def fitted() -> tuple[Skin, dict[str, Figures], np.ndarray]:
        seen = wanted.of_frames(~held_out)
        sides = Sides(np.full(7, -1))
        skin = fit_worst_frames(seen, authored, chain(40), 2, only=np.ones(40, dtype=np.bool_), sides=sides)
        found = distances(wanted, skin)
        judged = better_of(found, found * 2, held_out, wanted.clips, wanted.size)
        return skin, figures_by_source(wanted, found, held_out), judged.returned

    skin, told, returned = fitted()
    monkeypatch.setattr(scratch, "IN_MEMORY", 0)
    monkeypatch.setattr(scratch, "BLOCK", 500)
    assert isinstance(wanted.of_frames(held_out).positions, np.memmap)
    assert isinstance(distances(wanted, skin), np.memmap)
    again, told_again, returned_again = fitted()
    assert again.weights.tobytes() == skin.weights.tobytes()
    assert again.joints.tolist() == skin.joints.tolist()
    assert told_again["clip"].largest == told["clip"].largest
    assert told_again["clip"].nearly_all == told["clip"].nearly_all
    assert told_again["clip"].root_mean_square == pytest.approx(told["clip"].root_mean_square, rel=1e-12)
    assert returned.all()
    assert returned_again.all()


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (1000, 30), (7, 3001)])
def test_what_nearly_all_are_within_is_the_quantile(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch):
    found = np.random.default_rng(5).normal(size=shape).astype(np.float32) ** 2
    monkeypatch.setattr(scratch, "BLOCK", 4000)
    summed = figures(found)
    # In double precision: of single numbers, numpy 2.2 finds the place among them in single precision.
    assert summed.nearly_all == pytest.approx(np.quantile(found.astype(np.float64), 0.999), rel=1e-6)
    assert summed.largest == found.max()
    assert summed.root_mean_square == pytest.approx(float(np.sqrt(np.square(found, dtype=float).mean())))
