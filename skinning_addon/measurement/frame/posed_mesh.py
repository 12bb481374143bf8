"""A bound mesh as it has to be skinned at an instant: read then, and skinned later, many frames at once.

Most of the time that a small mesh takes goes into calls, not into sums: a check of a character made of a
hundred of them would spend it once for every mesh, frame, engine and cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SkinnedFrames, SkinnedVertices, SoftwareSkinner
from ...core.profiles.binding import Binding
from ...scene.binding.armature_poses import PosesOverTime, PoseUnder
from ...scene.binding.frame import Frame, PosedFrames, finals_together


@dataclass(frozen=True, eq=False)
class PosedMesh:
    """frame: as read. binding, skinner: of the mesh at that instant. Keeps no Blender object.

    skinned: done already, by a device that keeps nothing for later; None for the processor.
    """

    frame: Frame
    binding: Binding
    skinner: Skinner
    skinned: SkinnedVertices | None

    @property
    def poses(self) -> tuple[PoseUnder, ...] | None:
        """What has to be read where nothing else has changed; None if that does not suffice."""
        return self.frame.poses if self.skinned is None else None

    def over(self, poses: PosesOverTime, moments: tuple[int, ...]) -> PosedSpan:
        """Return the mesh at this instant and later ones that differ from it in `poses` alone. moments: the
        numbers of all of them.
        """
        if len(moments) == 1 or self.poses is None:
            return PosedSpan(self, (self.frame,))
        to_root = tuple(poses.together(one, moments) for one in self.poses)
        return PosedSpan(self, PosedFrames(self.frame, to_root))


@dataclass(frozen=True, eq=False)
class PosedSpan:
    """A mesh at some instants, between which only poses differ. posed: at any of them. frames: all."""

    posed: PosedMesh
    frames: Sequence[Frame]

    @property
    def binding(self) -> Binding:
        """How it is bound."""
        return self.posed.binding

    def is_bound_like(self, other: PosedSpan) -> bool:
        """Whether two spans differ in what is read frame by frame alone."""
        return self.posed.skinner is other.posed.skinner and self.binding.mesh is other.binding.mesh


def runs_of(spans: Sequence[PosedSpan]) -> Iterator[Sequence[PosedSpan]]:
    """Split spans of a mesh, in order, wherever it was bound again."""
    first = 0
    for index in range(1, len(spans) + 1):
        if index == len(spans) or not spans[index].is_bound_like(spans[first]):
            yield spans[first:index]
            first = index


def frames_of(spans: Sequence[PosedSpan]) -> Sequence[Frame]:
    """Return all frames of spans."""
    return spans[0].frames if len(spans) == 1 else tuple(chain.from_iterable(one.frames for one in spans))


def skinned_together(spans: Sequence[PosedSpan], *, with_normals: bool = True) -> SkinnedFrames:
    """Skin a mesh at several instants: (F, V, 3) each, the same to the last bit as one by one.

    All have the same number of vertices. with_normals: otherwise the normals are (0, V, 3).
    """
    parts = [_skinned_alike(part, with_normals=with_normals) for part in runs_of(spans)]
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
        final = finals_together(frames)
        if final is not None:
            return skinner.skin_matrices(final, with_normals=with_normals)
    return skinner.skin_frames([one.palettes for one in frames], with_normals=with_normals)


def _skinned_alike(spans: Sequence[PosedSpan], *, with_normals: bool) -> SkinnedFrames:
    skinner = spans[0].posed.skinner
    if isinstance(skinner, SoftwareSkinner):
        return skinned_frames(skinner, frames_of(spans), with_normals=with_normals)
    skinned = [one.posed.skinned or skinner.skin(one.posed.frame.palettes) for one in spans]
    return SkinnedFrames(
        np.array([one.positions for one in skinned]), np.array([one.normals for one in skinned])
    )
