"""Where the parts of all meshes that are shown step by step are laid out: together, so that they do not overlap."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...core.inspection.parts_layout import laid_out
from ...core.inspection.spaces import Parts


class StepLayout:
    """Knows the parts that are drawn; they leave by themselves when whoever draws them lets go of them.

    changed: whether parts were laid out anew since somebody last set this to False; what was drawn before lies elsewhere.
    """

    def __init__(self) -> None:
        self.changed = False
        self._root_to_world: WeakKeyDictionary[Parts, NDArray[np.float64]] = WeakKeyDictionary()
        self._moved: WeakKeyDictionary[Parts, NDArray[np.float64]] = WeakKeyDictionary()

    def moved(self, parts: Parts, root_to_world: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each part is moved, (J, 3): the same array as long as it is as far.

        root_to_world: (4, 4), where the armature stands now.
        """
        before = self._root_to_world.get(parts)
        if before is None or not _is_same_place(before, root_to_world):
            self._root_to_world[parts] = root_to_world
            self._lay_out()
        return self._moved[parts]

    def _lay_out(self) -> None:
        meshes = list(self._root_to_world)
        places = [self._root_to_world[parts] for parts in meshes]
        for parts, moved in zip(meshes, laid_out(meshes, places), strict=True):
            before = self._moved.get(parts)
            if before is None or not np.array_equal(before, moved):
                self._moved[parts] = moved
                self.changed |= len(meshes) > 1


def _is_same_place(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Tell whether two matrices differ by rounding only."""
    return bool(np.abs(one - other).max() <= 1e-6 * np.abs(other).max())
