"""A bound mesh as it has to be skinned at an instant: read then, and skinned later, many frames at once.

Most of the time that a small mesh takes goes into calls, not into sums: a check of a character made of a
hundred of them would spend it once for every mesh, frame, engine and cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SkinnedFrames, SkinnedVertices, SoftwareSkinner
from ...core.profiles.binding import Binding
from ...scene.binding.frame import Frame, finals_together


@dataclass(frozen=True, eq=False)
class PosedMesh:
    """frame: as read. binding, skinner: of the mesh at that instant. Keeps no Blender object.

    skinned: done already, by a device that keeps nothing for later; None for the processor.
    """

    frame: Frame
    binding: Binding
    skinner: Skinner
    skinned: SkinnedVertices | None

    def is_bound_like(self, other: PosedMesh) -> bool:
        """Whether two instants differ in the pose alone."""
        return self.skinner is other.skinner and self.binding.mesh is other.binding.mesh

    def now(self) -> SkinnedVertices:
        """Skin the mesh at this instant alone."""
        return self.skinned or self.skinner.skin(self.frame.palettes)


def runs_of(posed: Sequence[PosedMesh]) -> Iterator[slice]:
    """Split instants of a mesh, in order, wherever it was bound again."""
    first = 0
    for index in range(1, len(posed) + 1):
        if index == len(posed) or not posed[index].is_bound_like(posed[first]):
            yield slice(first, index)
            first = index


def skinned_together(posed: Sequence[PosedMesh], *, with_normals: bool = True) -> SkinnedFrames:
    """Skin a mesh at several instants: (F, V, 3) each, the same to the last bit as one by one.

    All have the same number of vertices. with_normals: otherwise the normals are (0, V, 3).
    """
    parts = [_skinned_alike(posed[part], with_normals=with_normals) for part in runs_of(posed)]
    if len(parts) == 1:
        return parts[0]
    return SkinnedFrames(
        np.concatenate([one.positions for one in parts]), np.concatenate([one.normals for one in parts])
    )


def skinned_frames(
    skinner: SoftwareSkinner, frames: Sequence[Frame], *, with_normals: bool = True
) -> SkinnedFrames:
    """Skin the mesh of a skinner at several instants, as `skinned_together` does."""
    if skinner.is_plain and len(frames) > 1:
        final = finals_together([one.passes[0] for one in frames])
        if final is not None:
            return skinner.skin_matrices(final, with_normals=with_normals)
    return skinner.skin_frames([one.palettes for one in frames], with_normals=with_normals)


def _skinned_alike(posed: Sequence[PosedMesh], *, with_normals: bool) -> SkinnedFrames:
    skinner = posed[0].skinner
    if isinstance(skinner, SoftwareSkinner):
        return skinned_frames(skinner, [one.frame for one in posed], with_normals=with_normals)
    skinned = [one.now() for one in posed]
    return SkinnedFrames(
        np.array([one.positions for one in skinned]), np.array([one.normals for one in skinned])
    )
