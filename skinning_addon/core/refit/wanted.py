"""What a fit is to reach: positions of vertices over frames, and how the joints moved in the same frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..maths.scratch import taken
from ..maths.weight_costs import beside
from ..text.errors import InvalidArrayError

Real = TypeVar("Real", np.float32, np.float64)

VALUES_AT_ONCE = 4_000_000
"""How many coordinates are computed at once: 32 MB in float64."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Everything is in one space, in which the mesh at rest and the joints at rest fit together: the root.

    rest: (V, 3) float64.
    positions: (F, V, 3) float32, wanted at each frame; may be mapped from a file.
    finals: (F, J, 4, 4) float64, row vectors: what each joint does to the rest mesh. Joint 0 moves nothing.
    sources: (F,) int, what each frame was taken from, an index of `names`.
    names: clips, and what else was played, such as a range of motion.
    varied: which of the names stands for poses beside clips; -1 if there are none.
    stretch: (3, 3), what differences of positions, as rows, are multiplied by before their lengths count: in a
    space that the world scales unevenly, a millimetre is longer one way than the other. None if it isn't.

    Raises:
        InvalidArrayError: the shapes don't fit together, there are no frames, or a number is not finite.
    """

    rest: NDArray[np.float64]
    positions: NDArray[np.float32]
    finals: NDArray[np.float64]
    sources: NDArray[np.intp]
    names: tuple[str, ...]
    varied: int = -1
    stretch: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        frames = len(self.positions)
        if not frames:
            raise InvalidArrayError("There are no frames to fit to.")
        if self.positions.shape != (frames, *self.rest.shape) or not (
            len(self.finals) == len(self.sources) == frames
        ):
            raise InvalidArrayError("Positions and joints must be given for the same frames and vertices.")
        # Frame by frame: a mapped file is larger than memory.
        finite = all(np.isfinite(one).all() for one in self.positions) and np.isfinite(self.finals).all()
        if not (finite and np.isfinite(self.rest).all()):
            raise InvalidArrayError("Wanted positions and joints must be finite numbers.")

    @property
    def vertex_count(self) -> int:
        return len(self.rest)

    @cached_property
    def size(self) -> float:
        """The diagonal of the rest mesh, as lengths count."""
        if not len(self.rest):
            return 0.0
        return float(np.linalg.norm(np.ptp(self.stretched(self.rest), axis=0)))

    @property
    def in_clips(self) -> NDArray[np.bool_]:
        """Mark the frames (F,) of clips."""
        return self.sources != self.varied

    @property
    def clips(self) -> NDArray[np.intp]:
        """Number each frame's clip (F,), as `names` has them; -1 for poses beside clips."""
        return np.where(self.in_clips, self.sources, -1)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """How much each frame counts (F,), one in the mean: all poses beside clips together no more than these,
        which are what is played.
        """
        clips = self.in_clips
        played, poses = int(clips.sum()), int((~clips).sum())
        each = np.where(clips, 1.0, min(1.0, played / poses) if played and poses else 1.0)
        return each / each.mean()

    def of_frames(self, frames: NDArray[np.bool_] | NDArray[np.intp]) -> Wanted:
        """Return some of the frames.

        Raises:
            InvalidArrayError: there are none.
        """
        return replace(
            self,
            positions=taken(self.positions, frames),
            finals=taken(self.finals, frames),
            sources=self.sources[frames],
        )

    def stretched(self, vectors: NDArray[Real]) -> NDArray[Real]:
        """Return vectors (..., 3) as their lengths count."""
        if self.stretch is None:
            return vectors
        return (vectors @ self.stretch).astype(vectors.dtype, copy=False)

    def at_once(self, rows_each: int) -> int:
        """Return of how many vertices the coordinates at all frames, `rows_each` times for each, fit into
        `VALUES_AT_ONCE`, one or more.
        """
        return max(1, VALUES_AT_ONCE // (3 * len(self.positions) * max(1, rows_each)))

    def blocks(self, vertices: NDArray[np.intp], rows_each: int = 1) -> Iterator[NDArray[np.intp]]:
        """Cut vertices into blocks of at most `at_once`."""
        step = self.at_once(rows_each)
        for start in range(0, len(vertices), step):
            yield vertices[start : start + step]

    def rows(self, vertices: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the wanted positions of vertices at all frames, stretched, (n, 3 F)."""
        of_frames = self.stretched(self.positions[:, vertices].astype(np.float64))
        return np.ascontiguousarray(of_frames.transpose(1, 0, 2)).reshape(of_frames.shape[1], -1)

    @cached_property
    def by_joint(self) -> NDArray[np.float64]:
        """(J, 4, 3 F), see `maths.weight_costs.beside`; what they move is stretched."""
        return beside(self.stretched(self.finals[..., :3]))
