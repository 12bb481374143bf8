"""Few drivers in the place of many joints: those that move a point alike are taken together.

Leaving out the smallest weights and scaling the others up would move a point that follows six segments of a
bendy bone towards the largest. The weight of one goes to its nearest neighbour instead.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def few_drivers(weights: NDArray[np.float64], moved: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return weights (n,) of the same sum, at most `count` of them above zero.

    weights: (n,), not negative. moved: (F, n, 3), where each joint alone would put the point at each frame.
    """
    found = weights.copy()
    apart = np.linalg.norm(moved[:, :, None] - moved[:, None], axis=3).max(axis=0)
    np.fill_diagonal(apart, np.inf)
    while (found > 0).sum() > count:
        left = np.flatnonzero(found > 0)
        # The point moves by at most the smaller weight times the distance.
        lost = np.minimum(found[left, None], found[left]) * apart[np.ix_(left, left)]
        one, other = (int(left[place]) for place in divmod(int(lost.argmin()), len(left)))
        smaller, larger = (one, other) if found[one] < found[other] else (other, one)
        found[larger] += found[smaller]
        found[smaller] = 0.0
    return found
