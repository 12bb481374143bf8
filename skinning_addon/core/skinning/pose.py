"""The pose of a palette's joints at one instant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.arrays import read_only, set_field


@dataclass(frozen=True, eq=False)
class Pose:
    """to_root: (J, 4, 4) float64, joint -> root space for every joint, at one instant."""

    to_root: NDArray[np.float64]

    def __post_init__(self) -> None:
        set_field(self, "to_root", read_only("to_root", self.to_root, np.float64, (None, 4, 4)))
