"""A mesh by body parts: each vertex belongs to the bone that moves it most."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.text.body_part import is_fine_part
from ...core.verdicts.dominant_bone import dominant_bones
from ...core.verdicts.verdict import limits_of


@dataclass(frozen=True)
class PartDeviation:
    """One body part of a mesh, by its dominant bone. max: metres, over all frames. share: fraction of the
    part's vertices beyond good.
    """

    bone: str
    max: float
    share: float


@dataclass(frozen=True, eq=False)
class BodyParts:
    """bones: (V,) text, the dominant bone of every vertex; '' if none moves it. height_scale: see
    `height_scales`.
    """

    bones: NDArray[np.str_]
    height_scale: float

    @cached_property
    def fine(self) -> NDArray[np.bool_]:
        """(V,) whether vertices belong to hands or face, where people look closely."""
        bones = self.bones.tolist()
        # By name, since numpy would sort all the strings.
        fine = {bone: is_fine_part(bone) for bone in set(bones)}
        return np.array([fine[bone] for bone in bones], dtype=np.bool_)

    def limits(self, threshold: float) -> NDArray[np.float64]:
        """Return a threshold for each vertex (V,), in metres. threshold: in metres for a figure of the usual
        height.
        """
        return limits_of(self.fine, self.height_scale, threshold)

    def of_mesh(self, vertex_count: int) -> BodyParts:
        """Return the body parts of a mesh with this many vertices: unknown if it was a different mesh at
        another frame.
        """
        if vertex_count == len(self.bones):
            return self
        return BodyParts(np.full(vertex_count, "", dtype=np.dtype("U1")), self.height_scale)

    def deviations(self, largest: NDArray[np.floating], threshold: float) -> tuple[PartDeviation, ...]:
        """List the body parts with anything beyond a threshold, the worst first. largest: (V,), metres, over
        all frames.
        """
        names, which = np.unique(self.bones, return_inverse=True)
        which = which.reshape(-1)
        beyond = np.bincount(which, largest > self.limits(threshold), minlength=len(names))
        most = np.zeros(len(names))
        np.maximum.at(most, which, largest)
        shares = beyond / np.maximum(np.bincount(which, minlength=len(names)), 1)
        parts = [
            PartDeviation(str(name), float(one), float(share))
            for name, one, share in zip(names, most, shares, strict=True)
            if name and share > 0
        ]
        return tuple(sorted(parts, key=lambda one: -one.max))


def body_parts(binding: Binding, height_scale: float) -> BodyParts:
    """Split a mesh into body parts by its binding."""
    dominant = dominant_bones(binding.passes, binding.mesh.vertex_count)
    names = np.full(binding.mesh.vertex_count, "", dtype=np.dtype("U64"))
    for index, one in enumerate(binding.passes):
        own = (dominant.pass_index == index) & (dominant.bone >= 0)
        names[own] = np.array(binding.skeletons[one.armature].names)[dominant.bone[own]]
    return BodyParts(names, height_scale)
