"""The layout of the parts of all meshes shown step by step: together, so that they do not overlap."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...core.inspection.parts_layout import laid_out
from ...core.inspection.spaces import MeshParts


class StepLayout:
    """Knows the drawn parts; they drop out when the drawing that owns them is released.

    changed: whether parts were laid out again since this was last set to False; earlier drawings are in their
    old places.
    """

    def __init__(self) -> None:
        self.changed = False
        self._root_to_world: WeakKeyDictionary[MeshParts, NDArray[np.float64]] = WeakKeyDictionary()
        self._moved: WeakKeyDictionary[MeshParts, NDArray[np.float64]] = WeakKeyDictionary()

    def moved(self, parts: MeshParts, root_to_world: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each part is moved, (J, 3): the same array while unchanged.

        root_to_world: (4, 4), the armature's current placement.
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
    """Whether two matrices differ only by rounding."""
    return bool(np.abs(one - other).max() <= 1e-6 * np.abs(other).max())
