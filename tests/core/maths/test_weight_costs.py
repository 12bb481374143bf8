"""What joints cost a vertex, against sums that are written out."""

from __future__ import annotations

import numpy as np

from skinning_addon.core.maths.weight_costs import beside, moved_by_each, squared_distances

FRAMES, JOINTS, VERTICES = 7, 5, 40


def scene() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return finals (F, J, 4, 4), vertices at rest far from the origin (V, 3), and where they are wanted (V, 3 F)."""
    random = np.random.default_rng(1)
    finals = np.tile(np.eye(4), (FRAMES, JOINTS, 1, 1))
    finals[..., :3] += 0.1 * random.normal(size=(FRAMES, JOINTS, 4, 3))
    rest = random.normal(size=(VERTICES, 3)) + 100.0
    return finals, rest, np.tile(rest, FRAMES) + random.normal(size=(VERTICES, 3 * FRAMES))


def test_each_candidate_takes_a_vertex_where_its_matrix_does():
    finals, rest, _ = scene()
    joints = np.random.default_rng(2).integers(0, JOINTS, (VERTICES, 3)).astype(np.int32)
    found = moved_by_each(beside(finals), rest, joints).reshape(VERTICES, 3, FRAMES, 3)
    with_one = np.c_[rest, np.ones(VERTICES)]
    for vertex, column, frame in ((0, 0, 0), (7, 2, 6), (39, 1, 3)):
        by_hand = with_one[vertex] @ finals[frame, joints[vertex, column]]
        np.testing.assert_allclose(found[vertex, column, frame], by_hand[:3], rtol=1e-12)


def test_no_vertices_cost_nothing():
    finals, _, _ = scene()
    none = np.empty((0, 3))
    assert moved_by_each(beside(finals), none, np.empty((0, 4), dtype=np.int32)).shape == (0, 4, 3 * FRAMES)


def test_squared_distances_are_those_of_the_moved_points():
    """Also far from the origin, where squares of positions alone would leave few digits."""
    finals, rest, wanted = scene()
    some = np.array([4, 1, 2])
    found = squared_distances(beside(finals), rest, some, wanted)
    with_one = np.c_[rest, np.ones(VERTICES)]
    by_hand = np.zeros((VERTICES, len(some)))
    for frame in range(FRAMES):
        for column, joint in enumerate(some):
            off = (with_one @ finals[frame, joint])[:, :3] - wanted[:, 3 * frame : 3 * frame + 3]
            by_hand[:, column] += np.square(off).sum(axis=1)
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
