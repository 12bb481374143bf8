"""A mesh as we skin it and as Blender does, at one instant or at several, and how far the two lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.blending.skinner import Skinner
from ...core.blending.software_skinning import SkinnedFrames, SkinnedVertices
from ...core.profiles.binding import Binding
from ...core.skinning.deviation import EXACT_RELATIVE, Deviation, Deviations, measure_deviations
from ...scene.binding.frame import Frame, mesh_to_world_at
from ...scene.matrices import scales
from ...scene.meshes.blender_result import BlenderResult

FINEST = 4 * float(np.finfo(np.float32).eps) / EXACT_RELATIVE
"""Relative to the vertices' distance from their space's origin: exactness asks for no more than four float32
steps there.
"""


@dataclass(frozen=True, eq=False)
class Measurement:
    """A mesh at one instant, as we skin it and as Blender does, and how far the two lie apart."""

    frame: Frame
    skinned: SkinnedVertices
    blender: BlenderResult
    deviation: Deviation


@dataclass(frozen=True, eq=False)
class MeasuredRun:
    """A mesh at F instants, bound alike at all of them, as we skin it and as Blender does.

    skinned: (F, V, 3) each. binding: as it was read then. skinner: that has skinned it.
    """

    frames: Sequence[Frame]
    skinned: SkinnedFrames
    blender: tuple[BlenderResult, ...]
    deviations: Deviations
    binding: Binding
    skinner: Skinner

    @cached_property
    def references(self) -> NDArray[np.float32]:
        """Blender's positions, (F, V, 3), mesh space."""
        return np.array([one.positions for one in self.blender])

    @cached_property
    def mesh_to_world(self) -> NDArray[np.float64]:
        """(F, 4, 4)."""
        return mesh_to_world_at(self.frames)

    def at(self, index: int) -> Measurement:
        """Return the measurement at one of the instants, which keeps nothing of the others."""
        alone = len(self.frames) == 1
        positions, normals = self.skinned.positions[index], self.skinned.normals[index]
        return Measurement(
            self.frames[index],
            SkinnedVertices(positions if alone else positions.copy(), normals if alone else normals.copy()),
            self.blender[index],
            self.deviations.at(index),
        )


def compare(
    binding: Binding,
    frame: Frame,
    skinned: SkinnedVertices,
    reference: NDArray[np.float32],
    metres_per_unit: float,
    *,
    character_size: float = 0.0,
    is_live: bool = False,
) -> Deviation:
    """Measure skinned vertices of a bound mesh against reference positions (V, 3), mesh space.

    character_size: of the character the mesh belongs to, in scene units; defaults to the mesh alone. is_live:
    for previews, see `measure_deviations`.
    """
    return compare_frames(
        binding,
        (frame,),
        skinned.positions[None],
        reference[None],
        metres_per_unit,
        character_size=character_size,
        is_live=is_live,
    ).at(0)


def compare_frames(
    binding: Binding,
    frames: Sequence[Frame],
    skinned: NDArray[np.float32],
    references: NDArray[np.float32],
    metres_per_unit: float,
    *,
    character_size: float = 0.0,
    is_live: bool = False,
) -> Deviations:
    """Measure a bound mesh at F frames, skinned (F, V, 3), as `compare` does at one."""
    mesh = binding.mesh
    smallest = max(mesh.diagonal, FINEST * mesh.reach)
    mesh_to_world = mesh_to_world_at(frames)

    @cache
    def diagonal(placed: bytes) -> float:
        to_world = np.frombuffer(placed).reshape(4, 4)
        # By the largest scale, the strictest choice.
        in_mesh_space = character_size / float(scales(to_world).max()) if character_size else 0.0
        return max(smallest, in_mesh_space)

    return measure_deviations(
        skinned,
        references,
        mesh.positions,
        diagonals=tuple(diagonal(one.tobytes()) for one in mesh_to_world),
        area=mesh.surface_shares,
        mesh_to_world=mesh_to_world,
        metres_per_unit=metres_per_unit,
        is_live=is_live,
    )
