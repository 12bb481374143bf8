"""A bound mesh at one instant: where it and its armatures are, and how they are posed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.blending.blend_palette import AnyPalette, palette_of
from ...core.skinning.joints import Joints
from ...core.skinning.palette import Palette, final_matrices, final_matrices_together
from ...core.skinning.passes import Blend, Pass
from ...core.skinning.pose import Pose
from .armature_poses import PoseUnder


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
    to_root: NDArray[np.floating]
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


@dataclass(frozen=True, eq=False)
class Frame:
    """A bound mesh at one instant.

    passes: posed. mesh_to_world: (4, 4) float64.
    chain: the passes to skin with. They are the binding's own, unless a skin follows the pose
        (`Pass.following`) or an armature in a run of Multi Modifiers is in Edit Mode: then anything built for
        the binding's passes has to be rebuilt for these.
    poses: of each pass, if they are all that can differ at another instant where the mesh and its objects
        stand as here; None if there is more, such as bendy bones.
    """

    passes: tuple[PosedPass, ...]
    mesh_to_world: NDArray[np.float64]
    chain: tuple[Pass, ...]
    poses: tuple[PoseUnder, ...] | None = None

    @property
    def palettes(self) -> tuple[AnyPalette, ...]:
        return tuple(one.palette for one in self.passes)


class PosedFrames(Sequence[Frame]):
    """A bound mesh at F instants between which only its armatures' poses differ; a frame is made when it is
    asked for.
    """

    def __init__(self, first: Frame, to_root: tuple[NDArray[np.float64], ...]) -> None:
        """first: at any of the instants. to_root: (F, B, 4, 4) of each pass, of which there is one at least."""
        self.first, self.to_root = first, to_root

    def __len__(self) -> int:
        return len(self.to_root[0])

    # No `typing.overload`: Python keeps overloads until it ends, and all that their module refers to, Blender's
    # module among it, which has ended by then; with that, Blender 4.2 crashes.
    def __getitem__(self, index: Any) -> Any:
        """Return a `Frame`, or the `PosedFrames` of a slice."""
        if isinstance(index, slice):
            return PosedFrames(self.first, tuple(one[index] for one in self.to_root))
        # Copied, so that a frame that is kept doesn't keep the memory of all the others.
        passes = tuple(
            replace(one, to_root=to_root[index].copy())
            for one, to_root in zip(self.first.passes, self.to_root, strict=True)
        )
        return replace(self.first, passes=passes)


def mesh_to_world_at(frames: Sequence[Frame]) -> NDArray[np.float64]:
    """Return mesh_to_world at F frames, (F, 4, 4)."""
    if isinstance(frames, PosedFrames):
        return np.tile(frames.first.mesh_to_world, (len(frames), 1, 1))
    return np.array([one.mesh_to_world for one in frames])


def finals_together(frames: Sequence[Frame]) -> NDArray[np.float32] | None:
    """Return the `final` matrices of the first pass at several instants, (F, J, 4, 4), the same to the last bit
    as one by one; None if more than the pose differs, or there is more than bones to pose.
    """
    if isinstance(frames, PosedFrames):
        first, to_root = frames.first.passes[0], frames.to_root[0]
    else:
        posed = [one.passes[0] for one in frames]
        first = posed[0]
        if any(
            one.placement is not first.placement or one.joints is not first.joints or one.bent is not None
            for one in posed
        ):
            return None
        to_root = np.array([one.to_root for one in posed])
    if first.blend is not Blend.LINEAR:
        return None
    pose = first.joints.posed_to_root(to_root, None, first.origin)
    return final_matrices_together(first.joints, pose, first.root_to_mesh, first.placement.unmoved)
