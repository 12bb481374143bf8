"""Blender's own positions of a previewed mesh, read once for each state of the scene."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.errors import BindingError
from ..scene.blender_result import read_blender_positions


class BlenderReference:
    """What a preview is compared with.

    positions: (V, 3) float32, mesh space; None where Blender's result can't be compared, then `problem` says why.
    """

    def __init__(self, vertex_count: int) -> None:
        self.positions: NDArray[np.float32] | None = None
        self.problem = ""
        self._vertex_count = vertex_count
        self._revision: int | None = None

    def follow(self, revision: int, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Read the positions, unless those of `revision` were read already."""
        if revision == self._revision:
            return
        self._revision = revision
        try:
            self.positions = read_blender_positions(mesh_object, depsgraph, self._vertex_count)
            self.problem = ""
        except BindingError as error:
            self.positions = None
            self.problem = str(error)
