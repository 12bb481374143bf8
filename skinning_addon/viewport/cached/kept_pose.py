"""A pose as it is read while Blender plays: its palettes are computed once they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.passes import Pass
from ...drawing.palette_rows import entries_before_joints, packed_rows, rows_per_joint
from ...scene.binding.steady_reader import JointMatrices, SteadyPass

BYTES_OF_ROW = 16


@dataclass(frozen=True)
class RowLayout:
    """The rows of a chain's palettes, as `packed_rows` lays them out. each: of a joint. count: of all."""

    each: int
    count: int

    @classmethod
    def of(cls, passes: Sequence[Pass]) -> RowLayout:
        """Return those of a chain."""
        each = rows_per_joint(passes)
        return cls(each, each * sum(len(one.joints) + entries_before_joints(one, each) for one in passes))


@dataclass(frozen=True, eq=False)
class KeptPose:
    """A frame's pose. passes: what others share with it. matrices: of each pass."""

    passes: tuple[SteadyPass, ...]
    matrices: tuple[JointMatrices, ...]
    layout: RowLayout

    @property
    def byte_count(self) -> int:
        """Memory that its rows will take; until then it is no more."""
        return self.layout.count * BYTES_OF_ROW

    def rows(self) -> NDArray[np.float32]:
        """Return the palettes, (R, 4), as `packed_rows` lays them out."""
        pairs = zip(self.passes, self.matrices, strict=True)
        return packed_rows(tuple(one.palette(matrices) for one, matrices in pairs), self.layout.each)
