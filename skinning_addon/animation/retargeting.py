"""Transferring a pose to a skeleton with other proportions or another rest pose; bones are matched by name.

A bone's *turn* is its pose's difference from rest, in armature space (row vectors, R = rest_to_root, P =
to_root):

    turn(b) = inverse(R(b)) @ P(b)            rotations alone
    P(b)    = basis(b) @ R(b) @ inverse(R(p)) @ P(p)          Blender's use of a bone's channels, p its parent
    turn(b) = inverse(R(b)) @ basis(b) @ R(b) @ turn(p)

Every bone here gets the turn of its namesake there. So whatever the two rest frames are,

    basis(b) = R(b) @ turn(b) @ inverse(turn(p)) @ inverse(R(b))

A bone that the other skeleton lacks follows its parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..core.skinning.skeleton import Skeleton
from .fitting import fit_hierarchy
from .local_pose import LocalPose, decompose
from .rotations import aligned, from_rows, to_rows

Matrices = NDArray[np.float64]

SAME_SIZE = 1e-3
"""Skeletons whose sizes differ by no more than this share count as the same size."""

CLEARLY_BETTER = 0.9
"""Other axes are used only if they reduce the bones' distance to below this share of the distance without."""


@dataclass(frozen=True, eq=False)
class SharedBones:
    """Bones with the same name in two skeletons.

    there, here: (N,), their indices in the other skeleton and in this one. missing_here, missing_there: names
    of the rest.
    """

    names: tuple[str, ...]
    there: NDArray[np.intp]
    here: NDArray[np.intp]
    missing_here: tuple[str, ...]
    missing_there: tuple[str, ...]


def shared_bones(there: Skeleton, here: Skeleton) -> SharedBones:
    """Match the bones of two skeletons by name, in this skeleton's order, parents before children."""
    known = set(there.names)
    names = tuple(name for name in here.names if name in known)
    kept = set(names)
    return SharedBones(
        names,
        np.array([there.index(name) for name in names], dtype=np.intp),
        np.array([here.index(name) for name in names], dtype=np.intp),
        tuple(name for name in there.names if name not in kept),
        tuple(name for name in here.names if name not in kept),
    )


@dataclass(frozen=True, eq=False)
class RestDifference:
    """The difference between the rest poses of shared bones, each in its armature's space.

    angles: (N,) radians. distances: (N,), of their heads.
    """

    angles: NDArray[np.float64]
    distances: NDArray[np.float64]


def rest_difference(there: Skeleton, here: Skeleton, shared: SharedBones) -> RestDifference:
    """Compare the rest poses of bones that both have."""
    first, second = there.rest_to_root[shared.there], here.rest_to_root[shared.here]
    # From the chord of the angle: an arc cosine would lose half the digits of small ones.
    chord = np.linalg.norm(_turned(first) - _turned(second), axis=(-2, -1)) / np.sqrt(8)
    distances = np.linalg.norm(first[:, 3, :3] - second[:, 3, :3], axis=-1)
    return RestDifference(2 * np.arcsin(np.clip(chord, 0, 1)), np.asarray(distances, dtype=np.float64))


class Retargeting:
    """Transfers poses from one skeleton to another.

    shared: the bones that take part. size: ratio of bone sizes here to there, which scales translations.
    axes: (3, 3), the rotation by right angles from the other armature's axes to those here, as between Y-up
    and Z-up files.
    """

    def __init__(
        self,
        there: Skeleton,
        here: Skeleton,
        inherits: NDArray[np.bool_] | None = None,
        along_own_axes: NDArray[np.bool_] | None = None,
    ) -> None:
        """inherits: (B,), whether each bone here turns with its parent. along_own_axes: (B,), whether its
        location is along its own axes, not its parent's (the armature's, for a root). True for all if left
        out.
        """
        self.shared = shared_bones(there, here)
        self._there, self._here = there, here
        every = np.ones(len(here.names), dtype=bool)
        self._inherits = every if inherits is None else inherits
        self._along_own_axes = every if along_own_axes is None else along_own_axes
        self.size = self._ratio()
        self.axes = self._best_axes()

    def basis(self, to_root: NDArray[np.floating]) -> LocalPose:
        """Return the channels for the bones here: relative to rest, (D, F, N), in the order of `shared`.

        to_root: (F, B, 4, 4) of the other skeleton.

        An uneven scale stays along the bone's own axes.
        """
        fit = fit_hierarchy(self._there, np.asarray(to_root, dtype=np.float64))
        turns = self.axes.T @ self._turns(fit.pose) @ self.axes
        own = _turned(self._here.rest_to_root[self.shared.here])
        above = np.broadcast_to(np.eye(3), turns.shape).copy()
        carried = self._carrier >= 0
        above[:, carried] = turns[:, self._carrier[carried]]
        above[:, ~self._inherits[self.shared.here]] = np.eye(3)
        rotation = own @ turns @ np.swapaxes(above, -1, -2) @ np.swapaxes(own, -1, -2)
        moved = self._moved(fit.pose, fit.to_root) @ self.axes * self.size
        parents = self._here.parents[self.shared.here][:, None, None]
        parents_axes = np.where(parents >= 0, _turned(self._here.rest_to_root)[parents[:, 0, 0]], np.eye(3))
        along = np.where(self._along_own_axes[self.shared.here, None, None], own, parents_axes)
        location = np.squeeze(moved[..., None, :] @ np.swapaxes(along, -1, -2), axis=-2)
        return LocalPose(
            np.moveaxis(location, -1, 0),
            aligned(from_rows(rotation)),
            fit.pose.scale[:, :, self.shared.there],
        )

    @cached_property
    def topmost(self) -> int:
        """The topmost shared bone with the most shared descendants: usually the hips."""
        carried = np.ones(len(self.shared.names), dtype=np.int64)
        for bone in range(len(carried) - 1, -1, -1):
            if self._carrier[bone] >= 0:
                carried[self._carrier[bone]] += carried[bone]
        return int(np.argmax(np.where(self._carrier < 0, carried, 0)))

    @cached_property
    def _carrier(self) -> NDArray[np.intp]:
        """(N,): each shared bone's nearest shared ancestor here, -1 for none."""
        index_of = {int(bone): number for number, bone in enumerate(self.shared.here)}
        found: list[int] = []
        for bone in self.shared.here.tolist():
            parent = int(self._here.parents[bone])
            while parent >= 0 and parent not in index_of:
                parent = int(self._here.parents[parent])
            found.append(index_of.get(parent, -1))
        return np.array(found, dtype=np.intp)

    def _turns(self, pose: LocalPose) -> Matrices:
        """Return the turn of each shared bone, (F, N, 3, 3), in the other armature's axes."""
        local = np.moveaxis(np.array(to_rows(pose.rotation)), (0, 1), (-2, -1))
        posed = np.empty_like(local)
        for level in self._there.levels:
            parents = self._there.parents[level]
            above = np.where((parents >= 0)[None, :, None, None], posed[:, parents], np.eye(3))
            posed[:, level] = local[:, level] @ above
        rest = _turned(self._there.rest_to_root)
        return (np.swapaxes(rest, -1, -2) @ posed)[:, self.shared.there]

    def _moved(self, pose: LocalPose, to_root: Matrices) -> Matrices:
        """Return each shared bone's displacement relative to its parent, (F, N, 3), in the rest orientation.

        The topmost one also includes the motion of everything above it there, since a root bone may have no
        namesake here.
        """
        rest, parents = self._there.rest_to_root, self._there.parents
        attached = (parents >= 0)[:, None, None]
        above = np.where(attached, rest[parents], np.eye(4))
        offset = (rest @ np.linalg.inv(above))[:, 3, :3]
        shift = np.moveaxis(pose.translation, 0, -1) - offset
        moved = np.squeeze(shift[..., None, :] @ _turned(above), axis=-2)[:, self.shared.there]
        bone = self.shared.there[self.topmost]
        moved[:, self.topmost] = to_root[:, bone, 3, :3] - rest[bone, 3, :3]
        return moved

    def _ratio(self) -> float:
        """Return the ratio of bone sizes here to there, from their distances to their ancestors, which no
        pose changes.
        """
        carried = np.flatnonzero(self._carrier >= 0)
        lengths = [
            float(np.linalg.norm(heads[carried] - heads[self._carrier[carried]], axis=-1).sum())
            for heads in self._heads
        ]
        if not min(lengths, default=0) > 0:
            return 1.0
        ratio = lengths[1] / lengths[0]
        return 1.0 if abs(ratio - 1) <= SAME_SIZE else ratio

    def _best_axes(self) -> Matrices:
        """Choose the rotation by right angles that best aligns the shared heads; none unless it is clearly
        better.
        """
        there, here = (heads - heads.mean(axis=0) if len(heads) else heads for heads in self._heads)

        def missed(axes: Matrices) -> float:
            return float(np.linalg.norm(here - self.size * there @ axes))

        best = min(_RIGHT_ANGLES, key=missed)
        # A few symmetrical bones look the same from several sides.
        return best if missed(best) < CLEARLY_BETTER * missed(np.eye(3)) else np.eye(3)

    @property
    def _heads(self) -> tuple[Matrices, Matrices]:
        return (
            self._there.rest_to_root[self.shared.there, 3, :3],
            self._here.rest_to_root[self.shared.here, 3, :3],
        )


def rest_relative(matrices: NDArray[np.floating]) -> LocalPose:
    """Decompose channel matrices (F, N, 4, 4): (D, F, N), with rotation signs aligned in time."""
    pose = decompose(matrices).pose
    return LocalPose(pose.translation, aligned(pose.rotation), pose.scale)


def _turned(to_root: Matrices) -> Matrices:
    """Return the rotations (..., 3, 3) of matrices that may be scaled."""
    rows = cast("Matrices", np.linalg.norm(to_root[..., :3, :3], axis=-1, keepdims=True))
    return to_root[..., :3, :3] / np.where(rows > 0, rows, 1)


def _right_angles() -> tuple[Matrices, ...]:
    """List the 24 rotations that map axes onto axes."""
    signed = (
        np.eye(3)[list(order)] * np.array(signs)[:, None]
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
    )
    return tuple(one for one in signed if np.linalg.det(one) > 0)


_RIGHT_ANGLES = _right_angles()
