"""The probe of a partitioned palette: each group is skinned by its own draw call, with its own palette."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.blending.blend_palette import AnyPalette
from ..core.blending.software_skinning import SkinnedVertices, SoftwareSkinner
from ..core.groups.draw_groups import DrawGroup, own_palette
from ..core.skinning.mesh import SourceMesh
from .chain_cache import ChainCache
from .normal_policy import NormalPolicy
from .probe import GpuSkinner
from .storage import AUTOMATIC_STORAGE, FOUR_MATRICES, Storage


class PartitionedSkinner:
    """Skins a mesh group by group; the counterpart of `GpuSkinner`. Owns GPU objects: free it after use.

    Triangles that need more joints than a group may have, and vertices that no face uses, are skinned by the
    CPU, as in the DirectX SDK's SkinnedMesh sample.
    """

    device = "gpu"

    def __init__(self, cache: ChainCache, mesh: SourceMesh, limit: int, storage: Storage) -> None:
        """Cut the mesh up and upload its static data.

        Raises:
            BindingError: the passes can't be cut up; see `draw_groups`.
        """
        self.technique = "four matrices" if storage is FOUR_MATRICES else f"palettes of {limit} joints"
        self._vertex_count = mesh.vertex_count
        self._cut = cache.groups(mesh, limit)
        self._groups = [
            GpuSkinner((group.skinning,), group.mesh, NormalPolicy.COFACTOR, storage)
            for group in self._cut.groups
        ]
        rest = self._cut.rest
        self._rest = None if rest is None else SoftwareSkinner((rest.skinning,), rest.mesh)

    def skin(self, palettes: Sequence[AnyPalette]) -> SkinnedVertices:
        """Skin the mesh with the one palette of its one pass."""
        whole = SkinnedVertices(*(np.empty((self._vertex_count, 3), dtype=np.float32) for _ in range(2)))
        for group, skinner in zip(self._cut.groups, self._groups, strict=True):
            _put(whole, group, skinner.skin(own_palette(palettes, group)))
        if self._cut.rest is not None and self._rest is not None:
            _put(whole, self._cut.rest, self._rest.skin(own_palette(palettes, self._cut.rest)))
        return whole

    def free(self) -> None:
        """Give the GPU's memory back."""
        for skinner in self._groups:
            skinner.free()
        if self._rest is not None:
            self._rest.free()


def _put(whole: SkinnedVertices, group: DrawGroup, part: SkinnedVertices) -> None:
    whole.positions[group.vertices] = part.positions
    whole.normals[group.vertices] = part.normals


def partitioned(cache: ChainCache, mesh: SourceMesh, limit: int) -> PartitionedSkinner:
    """Skin by palettes of at most `limit` joints, indexed."""
    return PartitionedSkinner(cache, mesh, limit, AUTOMATIC_STORAGE)


def four_matrices(cache: ChainCache, mesh: SourceMesh) -> PartitionedSkinner:
    """Skin by groups of four matrices, without indices."""
    return PartitionedSkinner(cache, mesh, 4, FOUR_MATRICES)
