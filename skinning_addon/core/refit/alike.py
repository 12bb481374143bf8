"""Vertices that have to be decided on together: seams stay closed, and a symmetric character symmetric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .candidates import Candidates
from .mirroring import Twins, find_twins
from .seams import leaders
from .wanted import Wanted

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Alike:
    """leading: (V,), see `leaders`. twins: of both sides."""

    leading: NDArray[np.intp]
    twins: Twins

    def most(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return the largest of the values (V,) among those that a vertex goes with."""
        result = values.copy()
        np.maximum.at(result, self.leading, values)
        # A seam may lie between the two sides, so leaders pass on what their twins have.
        both = np.maximum(result[self.twins.one], result[self.twins.other])
        result[self.twins.one] = result[self.twins.other] = both
        np.maximum.at(result, self.leading, result.copy())
        return result[self.leading]


def find_alike(wanted: Wanted, chosen: Candidates, mirrored_joints: NDArray[np.integer]) -> Alike:
    """Find them. mirrored_joints: see `find_twins`."""
    return Alike(leaders(wanted), find_twins(wanted.rest, wanted.size, chosen, mirrored_joints))
