"""Measures a frame that has been read already: the figures of a preview while things move."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...core.blending.skinner import Skinner
from ...core.profiles.binding import Binding
from ...core.skinning.deviation import Deviation
from ...core.skinning.mesh import SourceMesh
from ...core.skinning.passes import Pass
from ...scene.binding.frame import Frame
from .measured_run import compare


class FrameMeasurement:
    """Measures frames of one binding; makes the skinner on first use. Free it after use."""

    def __init__(
        self, binding: Binding, make_skinner: Callable[[tuple[Pass, ...], SourceMesh], Skinner]
    ) -> None:
        self._binding = binding
        self._make_skinner = make_skinner
        self._skinner: Skinner | None = None
        self._chain = binding.passes

    def move(self, binding: Binding) -> None:
        """Switch to a binding that differs only in its vertices' rest positions."""
        self.free()
        self._binding = binding

    def measure(self, frame: Frame, reference: NDArray[np.float32], metres_per_unit: float) -> Deviation:
        """Skin the mesh as `frame` poses it, read it back, and compare.

        reference: (V, 3) float32, mesh space; Blender's positions at the same instant.
        """
        return self.comparison(frame, reference, metres_per_unit)()

    def comparison(
        self, frame: Frame, reference: NDArray[np.float32], metres_per_unit: float
    ) -> Callable[[], Deviation]:
        """Skin the mesh and read it back as `measure` does, but leave comparing to the caller: that needs
        neither Blender nor the GPU, so another thread can do it.
        """
        if frame.chain is not self._chain:
            self.free()
        if self._skinner is None:
            self._skinner = self._make_skinner(frame.chain, self._binding.mesh)
            self._chain = frame.chain
        skinned = self._skinner.skin(frame.palettes)
        return partial(compare, self._binding, frame, skinned, reference, metres_per_unit, is_live=True)

    def free(self) -> None:
        """Free the device's resources."""
        if self._skinner is not None:
            self._skinner.free()
            self._skinner = None
