"""Where the parts of all meshes that are shown step by step are laid out: together, so that they do not overlap."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..core.parts_layout import side_by_side
from ..core.spaces import Parts


class StepLayout:
    """Knows the parts that are drawn; they leave by themselves when whoever draws them lets go of them.

    changed: whether parts were laid out anew since somebody last set this to False; what was drawn before lies elsewhere.
    """

    def __init__(self) -> None:
        self.changed = False
        self._moved: WeakKeyDictionary[Parts, NDArray[np.float64]] = WeakKeyDictionary()

    def moved(self, parts: Parts) -> NDArray[np.float64]:
        """Return how far each part is moved, (J, 3): the same array as long as the same meshes are there."""
        if parts not in self._moved:
            meshes = [*self._moved, parts]
            self._moved.update(zip(meshes, side_by_side(meshes), strict=True))
            self.changed = len(meshes) > 1
        return self._moved[parts]
