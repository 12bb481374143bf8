"""Choosing the bones' parents in a rig for engines, which compose translation, rotation and scale.

A child of an unevenly scaled bone is sheared as soon as it is turned, and a child that does not inherit that
scale would have to undo it, which translation, rotation and scale can't. Such a bone hangs on an ancestor
further up, or on none. A bone that is sheared by itself, whatever its parent, loses its shear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import invert_affine
from .channels import Channels, channel_matrices_under, nearest_channels, turning_the_short_way

TOLERANCE = 1e-5
"""The largest loss of shear that a nearer parent is worth, as a part of the rig's size at rest."""

HARDLY_BETTER = 1.01
"""If each parent loses shear, the nearest one is taken that loses at most this many times the least."""

SAME_PLACE = 1e-3
"""How far from another bone a bone's ends may be to lie on it at rest, as a part of the other's length."""

MOVES_AS_ONE = 1e-4
"""How much the matrices of two bones that move as one may differ."""


@dataclass(frozen=True, eq=False)
class AuthoredBones:
    """All bones of a rig, parents before children.

    parents: (B,) int32, -1 for none. rest_to_root: (B, 4, 4) float64, without scale. lengths: (B,) float64.
    kept: (B,) bool, those that the new rig has: the ones that deform. followed: (B,) int32, of a bone without a
    parent, the bone that it follows by a constraint as if it were its parent, -1 for none. mirrored: (B,)
    int32, the bone of the same part on the other side, itself if there is none: both get parents alike.
    """

    parents: NDArray[np.int32]
    rest_to_root: NDArray[np.float64]
    lengths: NDArray[np.float64]
    kept: NDArray[np.bool_]
    followed: NDArray[np.int32]
    mirrored: NDArray[np.int32]

    @property
    def size(self) -> float:
        """The diagonal of the box around all heads and tails at rest."""
        ends = np.concatenate((self.heads, self.tails))
        return float(np.linalg.norm(np.ptp(ends, axis=0))) if len(ends) else 0.0

    @property
    def heads(self) -> NDArray[np.float64]:
        """(B, 3), root space at rest."""
        return self.rest_to_root[:, 3, :3]

    @property
    def tails(self) -> NDArray[np.float64]:
        """(B, 3), root space at rest."""
        return self.heads + self.lengths[:, None] * self.rest_to_root[:, 1, :3]


@dataclass(frozen=True, eq=False)
class GameHierarchy:
    """The D bones of a rig for engines, parents before children.

    bones: (D,) each bone's index among the authored ones. parents: (D,) int32 among these D, -1 for none.
    channels: (F, D, ...), the motion of each. to_root: (F, D, 4, 4), where these put them. errors: (D,) the
    farthest from its authored place that a point at a bone's length from its head is, root space.
    """

    bones: NDArray[np.intp]
    parents: NDArray[np.int32]
    channels: Channels
    to_root: NDArray[np.float64]
    errors: NDArray[np.float64]


def choose_hierarchy(
    authored: AuthoredBones, to_root: NDArray[np.float64], tolerance: float | None = None
) -> GameHierarchy:
    """Choose the kept bones' parents over all frames, and their motion.

    to_root: (F, B, 4, 4) float64, of all authored bones. tolerance: how far, in root space, a bone may be off
    to keep its nearest ancestor; `TOLERANCE` of the rig's size if left out.
    """
    within = TOLERANCE * authored.size if tolerance is None else tolerance
    return _Chooser(authored, to_root, within).chosen()


@dataclass(frozen=True, eq=False)
class _Placed:
    """A bone under a parent, an authored bone or -1: channels (F, ...), to_root (F, 4, 4)."""

    parent: int
    channels: Channels
    to_root: NDArray[np.float64]
    error: float


class _Chooser:
    def __init__(self, authored: AuthoredBones, to_root: NDArray[np.float64], tolerance: float) -> None:
        self._authored, self._to_root, self._tolerance = authored, to_root, tolerance
        self._placed: dict[int, _Placed] = {}
        self._being_placed: set[int] = set()
        self._parents_of: list[int] = authored.parents.tolist()
        self._known_ancestors: dict[int, list[int]] = {}
        self._known_on: dict[int, NDArray[np.intp]] = {}

    def chosen(self) -> GameHierarchy:
        for bone in np.flatnonzero(self._authored.kept).tolist():
            self._place(bone)
        # A bone is placed after the ancestors that it may hang on.
        bones = list(self._placed)
        number = {bone: index for index, bone in enumerate(bones)}
        placed = [self._placed[bone] for bone in bones]
        frames = len(self._to_root)

        def stacked(parts: list[NDArray[np.float64]], *shape: int) -> NDArray[np.float64]:
            return np.stack(parts, axis=1) if parts else np.empty((frames, 0, *shape))

        return GameHierarchy(
            np.array(bones, dtype=np.intp),
            np.array([number.get(one.parent, -1) for one in placed], dtype=np.int32),
            Channels(
                stacked([one.channels.translations for one in placed], 3),
                turning_the_short_way(stacked([one.channels.rotations for one in placed], 4)),
                stacked([one.channels.scales for one in placed], 3),
            ),
            stacked([one.to_root for one in placed], 4, 4),
            np.array([one.error for one in placed]),
        )

    def _place(self, bone: int) -> None:
        """Give a bone its parent, and the bone on the other side its own."""
        if bone in self._placed:
            return
        sides = self._sides(bone)
        self._being_placed.update(sides)
        tried: list[list[_Placed]] = []
        for parents in self._parents(sides):
            for parent in parents:
                if parent >= 0:
                    self._place(parent)
            under = [self._under(one, parent) for one, parent in zip(sides, parents, strict=True)]
            if any(one is None for one in under):
                continue
            tried.append([one for one in under if one is not None])
            if _error(tried[-1]) <= self._tolerance:
                break
        else:
            least = min(map(_error, tried))
            tried = [next(one for one in tried if _error(one) <= HARDLY_BETTER * least)]
        self._being_placed.difference_update(sides)
        self._placed.update(zip(sides, tried[-1], strict=True))

    def _sides(self, bone: int) -> tuple[int, ...]:
        """Return a bone, and the one on the other side if that can hang on the other side of each parent."""
        other = int(self._authored.mirrored[bone])
        free = self._authored.kept[other] and other not in self._placed and other not in self._being_placed
        if other == bone or not free:
            return (bone,)
        mirrored = self._authored.mirrored
        alike = [int(mirrored[one]) for one in self._ancestors(bone)] == self._ancestors(other)
        return (bone, other) if alike else (bone,)

    def _parents(self, sides: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield the parents to try for each side, the nearest first; no parent, -1, last."""
        for parent in self._ancestors(sides[0]):
            parents = (parent, int(self._authored.mirrored[parent]))[: len(sides)]
            if not self._being_placed.intersection(parents):
                yield parents
        yield (-1, -1)[: len(sides)]

    def _under(self, bone: int, parent: int) -> _Placed | None:
        """Return the bone's nearest motion under a parent; None if that is scaled to zero at some frame."""
        rest, wanted = self._authored.rest_to_root, self._to_root[:, bone]
        above = None if parent < 0 else (self._placed[parent].to_root, rest[parent])
        matrices, usable = channel_matrices_under(wanted, rest[bone], above)
        if not usable.all():
            return None
        channels = nearest_channels(matrices)
        to_root = channels.matrices() @ rest[bone]
        if above is not None:
            to_root = to_root @ invert_affine(above[1][None])[0][0] @ above[0]
        off = np.linalg.norm(to_root[:, :3, :3] - wanted[:, :3, :3], ord=2, axis=(1, 2))
        farthest = float(off.max()) if len(off) else 0.0
        return _Placed(parent, channels, to_root, self._authored.lengths[bone] * farthest)

    def _ancestors(self, bone: int) -> list[int]:
        """Return kept bones above a bone, the nearest first: its ancestors, or a kept bone on such a one."""
        known = self._known_ancestors.get(bone)
        if known is None:
            known = self._known_ancestors[bone] = list(self._found_ancestors(bone))
        return known

    def _found_ancestors(self, bone: int) -> Iterator[int]:
        seen = {bone, *self._below(bone)}
        above = self._above(bone)
        while above >= 0 and above not in seen:
            seen.add(above)
            if self._authored.kept[above]:
                yield above
            else:
                stands_for = self._on(above, bone, seen)
                if stands_for >= 0:
                    seen.add(stands_for)
                    yield stands_for
            above = self._above(above)

    def _above(self, bone: int) -> int:
        parent = self._parents_of[bone]
        return parent if parent >= 0 else int(self._authored.followed[bone])

    def _below(self, bone: int) -> Iterator[int]:
        """Yield a bone's descendants."""
        found = {bone}
        for one, parent in enumerate(self._parents_of[bone + 1 :], bone + 1):
            if parent in found:
                found.add(one)
                yield one

    def _on(self, other: int, bone: int, left_out: set[int]) -> int:
        """Return the kept bone that stands for another one, such as Rigify's DEF bone of an ORG bone; -1 for
        none.

        At rest it lies on the other, or is a child of it that begins there and points the same way. Of several,
        one that moves as the other does comes first, then a child, then the one that ends nearest to `bone`.
        """
        authored = self._authored
        candidates = self._lying_on(other)
        candidates = candidates[[int(one) not in left_out for one in candidates]]
        if len(candidates) < 2:
            return int(candidates[0]) if len(candidates) else -1
        is_child = authored.parents[candidates] == other
        away = np.linalg.norm(authored.tails[candidates] - authored.heads[bone], axis=1)
        otherwise = [not self._moves_with(int(one), other) for one in candidates]
        return int(candidates[np.lexsort((away, ~is_child, otherwise))[0]])

    def _lying_on(self, other: int) -> NDArray[np.intp]:
        """Return the kept bones (n,) that lie on another one at rest, see `_on`."""
        known = self._known_on.get(other)
        if known is not None:
            return known
        authored = self._authored
        near = SAME_PLACE * authored.lengths[other]
        head, along = authored.heads[other], authored.rest_to_root[other, 1, :3]

        def lies_on(points: NDArray[np.float64]) -> NDArray[np.bool_]:
            at = np.clip((points - head) @ along, 0, authored.lengths[other])
            return np.linalg.norm(head + at[:, None] * along - points, axis=1) <= near

        same_head = np.linalg.norm(authored.heads - head, axis=1) <= near
        same_way = np.linalg.norm(authored.rest_to_root[:, 1, :3] - along, axis=1) <= SAME_PLACE
        is_child = authored.parents == other
        found = (lies_on(authored.heads) & lies_on(authored.tails)) | (same_head & same_way & is_child)
        known = self._known_on[other] = np.flatnonzero(found & authored.kept)
        return known

    def _moves_with(self, bone: int, other: int) -> bool:
        """Tell whether two bones move as one."""
        rest = self._authored.rest_to_root
        wanted = rest[bone] @ invert_affine(rest[other][None])[0][0] @ self._to_root[:, other]
        return bool(np.abs(wanted - self._to_root[:, bone]).max(initial=0.0) <= MOVES_AS_ONE)


def _error(placed: Sequence[_Placed]) -> float:
    return max(one.error for one in placed)
