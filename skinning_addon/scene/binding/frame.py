"""A bound mesh at one instant: where it and its armatures are, and how they are posed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette, palette_of
from ...core.skinning.joints import Joints
from ...core.skinning.palette import Palette, final_matrices, final_matrices_together
from ...core.skinning.passes import Blend, Pass
from ...core.skinning.pose import Pose


@dataclass(frozen=True, eq=False)
class Placement:
    """A mesh's transform relative to an armature, and the derived joints; kept while neither object moves.

    key: both objects' matrices to the world, and those of the file, as bytes, which compare faster than arrays.
    mesh_to_root, root_to_mesh: (4, 4) float64. They are not each other's inverse if a file has the mesh or the
    armature in another place than it has now; is_held says so.
    """

    key: bytes
    mesh_to_root: NDArray[np.float64]
    root_to_mesh: NDArray[np.float64]
    world_to_root: NDArray[np.float64]
    joints: Joints
    is_held: bool

    @property
    def unmoved(self) -> NDArray[np.float64] | None:
        """The (4, 4) matrix of vertices that no bone moves; None for the identity."""
        return self.mesh_to_root @ self.root_to_mesh if self.is_held else None


@dataclass(frozen=True, eq=False)
class PosedPass:
    """One pass at one instant.

    joints: with the offsets of the instant. placement: of the mesh relative to the armature.
    to_root, bent, origin: (B, 4, 4) of all the armature's bones, segment_to_bone of bendy joints, and the
        origin: see `Joints.posed_to_root`.
    """

    joints: Joints
    blend: Blend
    placement: Placement
    to_root: NDArray[np.float64]
    bent: NDArray[np.float64] | None
    origin: NDArray[np.float64] | None

    @property
    def mesh_to_root(self) -> NDArray[np.float64]:
        """(4, 4) float64; see `Placement`."""
        return self.placement.mesh_to_root

    @property
    def root_to_mesh(self) -> NDArray[np.float64]:
        """(4, 4) float64; see `Placement`."""
        return self.placement.root_to_mesh

    @property
    def pose(self) -> Pose:
        """Posed to_root of each joint."""
        return self._pose

    @cached_property
    def _pose(self) -> Pose:
        return self.joints.posed(self.to_root, self.bent, self.origin)

    @cached_property
    def final(self) -> Palette:
        """final = offset @ to_root @ root_to_mesh, for every joint."""
        return final_matrices(self.joints, self.pose, self.root_to_mesh, self._unmoved)

    @cached_property
    def palette(self) -> AnyPalette:
        """The palette for the pass's blend."""
        return palette_of(
            self.blend, self.joints, self.pose, self.mesh_to_root, self.root_to_mesh, unmoved=self._unmoved
        )

    @property
    def _unmoved(self) -> NDArray[np.float64] | None:
        return self.placement.unmoved


def finals_together(posed: Sequence[PosedPass]) -> NDArray[np.float32] | None:
    """Return the `final` matrices of one pass at several instants, (F, J, 4, 4), the same to the last bit as
    one by one; None if more than the pose differs, or there is more than bones to pose.
    """
    first = posed[0]
    if first.blend is not Blend.LINEAR or any(
        one.placement is not first.placement or one.joints is not first.joints or one.bent is not None
        for one in posed
    ):
        return None
    origin = None if first.origin is None else np.array([one.origin for one in posed])
    pose = first.joints.posed_to_root(np.array([one.to_root for one in posed]), None, origin)
    return final_matrices_together(first.joints, pose, first.root_to_mesh, first.placement.unmoved)


@dataclass(frozen=True, eq=False)
class Frame:
    """A bound mesh at one instant.

    passes: posed. mesh_to_world: (4, 4) float64.
    chain: the passes to skin with. They are the binding's own, unless a skin follows the pose
        (`Pass.following`) or an armature in a run of Multi Modifiers is in Edit Mode: then anything built for
        the binding's passes has to be rebuilt for these.
    """

    passes: tuple[PosedPass, ...]
    mesh_to_world: NDArray[np.float64]
    chain: tuple[Pass, ...]

    @property
    def palettes(self) -> tuple[AnyPalette, ...]:
        return tuple(one.palette for one in self.passes)
