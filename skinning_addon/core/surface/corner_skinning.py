"""Skinning on the CPU for drawing: positions of all vertices, and normals of the drawn ones, split or
not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..blending.blend_palette import AnyPalette
from ..blending.software_skinning import SoftwareSkinner
from ..skinning.mesh import DrawMesh, SourceMesh
from ..skinning.passes import Pass
from .gradient_normals import corner_normals, posed_directions, vertex_normals
from .weight_gradient import WeightGradient


@dataclass(frozen=True, eq=False)
class SkinnedCorners:
    """float32, mesh space. positions, normals: (V, 3), of the source vertices. corner_normals: (D, 3), of the
    drawn ones.
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    corner_normals: NDArray[np.float32]


class CornerSkinner:
    """Skins a draw mesh on the CPU; keeps what does not depend on the pose."""

    def __init__(
        self,
        passes: tuple[Pass, ...],
        mesh: SourceMesh,
        drawn: DrawMesh,
        gradient: WeightGradient | None,
    ) -> None:
        """gradient: of the passes, for normals that follow the surface; if None, normals are turned by the
        blended matrix.
        """
        self._passes = passes
        self._mesh = mesh
        self._drawn = drawn
        self._gradient = gradient
        self._whole = SoftwareSkinner(passes, mesh)
        self._corners = _corner_skinner(passes if gradient is None else (), mesh, drawn)

    def skin(self, palettes: tuple[AnyPalette, ...]) -> SkinnedCorners:
        """Skin the mesh, with one palette per pass, in order."""
        if self._gradient is None:
            skinned = self._whole.skin(palettes)
            return SkinnedCorners(skinned.positions, skinned.normals, self._corners.skin(palettes).normals)
        posed = posed_directions(self._passes, self._gradient, palettes, self._mesh)
        return SkinnedCorners(
            self._whole.skin_positions(palettes),
            vertex_normals(posed, self._mesh.normals),
            corner_normals(self._gradient.tangents, posed, self._drawn.normals, self._drawn.source_vertex),
        )


def _corner_skinner(passes: tuple[Pass, ...], mesh: SourceMesh, drawn: DrawMesh) -> SoftwareSkinner:
    """Skin each drawn vertex as one of its own, with its own normal."""
    source = drawn.source_vertex
    own = tuple(
        replace(
            one,
            skin=one.skin.of_vertices(source),
            amount=None if one.amount is None else one.amount[source],
        )
        for one in passes
    )
    none = np.empty((0, 2), dtype=np.int32)
    corners = SourceMesh(mesh.positions[source], drawn.normals, none, drawn.triangles)
    return SoftwareSkinner(own, corners)
