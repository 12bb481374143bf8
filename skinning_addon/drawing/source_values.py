"""Per-source-vertex data fetched by displays: a reference to compare with, and painted weights."""

from __future__ import annotations

from collections.abc import Sequence

import gpu
import numpy as np
from numpy.typing import NDArray

from ..core.skinning.mesh import SourceMesh
from ..core.skinning.passes import Pass
from .display_settings import DisplaySettings
from .displays import Display
from .reference import Reference
from .source_texture import SourceTexture
from .vertex_paint import PAINTS


class SourceValues:
    """Owns these textures of a mesh: one set, whatever the number of draw calls."""

    def __init__(self, passes: Sequence[Pass], mesh: SourceMesh) -> None:
        self._passes = tuple(passes)
        self._vertex_count = mesh.vertex_count
        self._reference = Reference(mesh)
        self._painted: dict[str, tuple[object, SourceTexture]] = {}

    def set_reference(self, positions: NDArray[np.float32], normals: NDArray[np.float32] | None) -> None:
        """Upload the reference for deviations; see `SkinnedDrawing.set_reference`."""
        self._reference.set(positions, normals)

    def bind(self, shader: gpu.types.GPUShader, display: Display, settings: DisplaySettings) -> None:
        """Give `shader`, which must be bound, the data that `display` fetches.

        Raises:
            ValueError: the display compares, and there is nothing to compare with.
        """
        if display.compares and not self._reference.bind(shader, display.compares):
            raise ValueError(f"the display '{display.name}' needs set_reference first")
        painting = self._painting(display, settings)
        if painting is not None:
            painting.bind(shader)

    def _painting(self, display: Display, settings: DisplaySettings) -> SourceTexture | None:
        """Return a display's painted weights, recomputed only if a relevant setting has changed."""
        paint = PAINTS.get(display.name)
        if paint is None:
            return None
        depends_on = tuple(getattr(settings, name) for name in display.paint_settings)
        painted_for, texture = self._painted.get(display.name, (None, None))
        if texture is None or painted_for != depends_on:
            texture = texture or SourceTexture("paintedValues", self._vertex_count)
            texture.fill(paint(self._passes, self._vertex_count, settings))
            self._painted[display.name] = depends_on, texture
        return texture

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._reference.free()
        self._painted.clear()
