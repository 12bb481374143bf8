"""What a vertex's choice of weights costs: a quadratic form of its candidates, gathered over frames.

With p_fj the vertex as moved by joint j alone in frame f, b_f where it is wanted, and weights w that add up to
one, the squared distance is w Q w with Q_jk = sum_f (p_fj - b_f) . (p_fk - b_f): the frames themselves are not
needed to solve for w. `sparse_weights` does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def beside(finals: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return each joint's matrices beside each other, (J, 4, 3 F), so that one product moves through all
    frames. finals: (F, J, 4, 4), row vectors.
    """
    columns = finals[..., :3].transpose(1, 2, 0, 3).astype(np.float64)
    return np.ascontiguousarray(columns).reshape(len(columns), 4, -1)


def _moved_by(matrices: NDArray[np.float64], rest: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return where one joint takes points at all frames, (n, 3 F).

    matrices: (4, 3 F), of `beside`. rest: (n, 3).
    """
    return rest.astype(np.float64) @ matrices[:3] + matrices[3]


def moved_by_each(
    by_joint: NDArray[np.float64], rest: NDArray[np.floating], joints: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return where each of its candidates takes each vertex at all frames, (n, C, 3 F).

    by_joint: of `beside`. rest: (n, 3). joints: (n, C).
    """
    moved = np.empty((joints.size, by_joint.shape[2]))
    order = np.argsort(joints, axis=None, kind="stable")
    found, starts = np.unique(joints.reshape(-1)[order], return_index=True)
    rows = order // max(1, joints.shape[1])
    stops = np.append(starts, len(order))[1:]
    for joint, start, stop in zip(found.tolist(), starts, stops, strict=True):
        moved[order[start:stop]] = _moved_by(by_joint[joint], rest[rows[start:stop]])
    return moved.reshape(*joints.shape, by_joint.shape[2])


def squared_distances(
    by_joint: NDArray[np.float64],
    rest: NDArray[np.floating],
    joints: NDArray[np.integer],
    wanted: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how far each of some joints takes each vertex from where it is wanted, squared and summed over all
    frames, (n, H).

    by_joint: of `beside`. rest: (n, 3). joints: (H,). wanted: (n, 3 F).
    """
    frames = wanted.shape[1] // 3
    # As ways from rest: squares of positions would leave few digits to those of distances.
    still = np.tile(np.eye(4, 3), frames)
    ways = by_joint[joints] - still
    points = np.c_[rest.astype(np.float64), np.ones(len(rest))]
    to_go = wanted - points @ still
    alone = np.einsum("ni,hij,nj->nh", points, ways @ ways.transpose(0, 2, 1), points, optimize=True)
    both = (to_go @ ways.reshape(-1, ways.shape[2]).T).reshape(len(points), len(joints), 4)
    return alone - 2 * np.einsum("nhi,ni->nh", both, points) + np.square(to_go).sum(axis=1)[:, None]


def weight_costs(
    moved: NDArray[np.float64], wanted: NDArray[np.float64], counts: NDArray[np.floating] | None = None
) -> NDArray[np.float64]:
    """Return Q (n, C, C) float64, in squared units, the mean over the frames.

    moved: (n, C, 3 F), of `moved_by_each`; it is overwritten. wanted: (n, 3 F). counts: (n, F) or (1, F), how
    much each frame counts; all the same if left out.
    """
    moved -= wanted[:, None]
    if counts is not None:
        moved *= np.repeat(np.sqrt(counts, dtype=np.float64), 3, axis=1)[:, None]
    return moved @ moved.transpose(0, 2, 1) / max(1, wanted.shape[1] // 3)
