"""The bone hierarchy, and the single top-down pass from local matrices to matrices to the root.

A bone's pose is given relative to its parent, as a matrix `to_parent`. What skinning needs is each bone
relative to the root of the whole character:

    to_root(i) = to_parent(i) @ to_root(parent(i))        and to_root(i) = to_parent(i) for a root

With parents handled before their children, every product is made once. Bones of the same depth are
independent, so one numpy product handles a whole level.

Source: F. D. Luna, Introduction to 3D Game Programming with DirectX, "Character Animation" (toParent, toRoot).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..maths.arrays import read_only, sealed, set_field
from ..text.errors import HierarchyError, InvalidArrayError

SMALLEST_AXES_DETERMINANT = 1e-7
"""A matrix whose normalised axes have a smaller determinant than this (1 if they are orthogonal, 0 if they
lie in a plane) has no usable inverse: Blender's float32 matrices carry no more digits than that."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """All bones of one armature, parents before children.

    names: B bone names, unique.
    parents: (B,) int32, index of the parent, -1 for a root; always smaller than the bone's own index.
    rest_to_root: (B, 4, 4) float64, bone space in the rest pose -> root space (the armature object's local
    space).
    """

    names: tuple[str, ...]
    parents: NDArray[np.int32]
    rest_to_root: NDArray[np.float64]

    def __post_init__(self) -> None:
        count = len(self.names)
        set_field(self, "parents", read_only("parents", self.parents, np.int32, (count,)))
        set_field(
            self, "rest_to_root", read_only("rest_to_root", self.rest_to_root, np.float64, (count, 4, 4))
        )
        if len(self._index_by_name) < count:
            twice = next(name for bone, name in enumerate(self.names) if self._index_by_name[name] != bone)
            raise HierarchyError("Two bones are called '{bone}'; rename one of them.", bone=twice)
        late = np.flatnonzero(self.parents >= np.arange(count))
        if late.size:
            raise HierarchyError(
                "Bone '{bone}' is listed before its parent; sort the bones with `parents_first`.",
                bone=self.names[int(late[0])],
            )

    @classmethod
    def from_bones(
        cls, names: Sequence[str], parents: ArrayLike, rest_to_root: ArrayLike
    ) -> tuple[Skeleton, NDArray[np.intp]]:
        """Build a skeleton from bones in any order.

        Returns the skeleton and the order (B,): `order[i]` is the input index of the skeleton's bone i.

        Raises:
            HierarchyError: the parents form a loop, or point outside the list; two bones have one name.
            InvalidArrayError: the number of rest matrices is not that of bones.
        """
        parents_given = np.asarray(parents, dtype=np.int32)
        order = parents_first(names, parents_given)
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        moved = parents_given[order]
        sorted_parents = np.where(moved < 0, np.int32(-1), place[moved]) if len(order) else moved
        rest = np.asarray(rest_to_root, dtype=np.float64)
        if rest.shape != (len(order), 4, 4) and (rest.size or len(order)):
            raise InvalidArrayError(
                f"rest_to_root has the shape {rest.shape}; {len(order)} bones need ({len(order)}, 4, 4)."
            )
        return cls(tuple(names[int(i)] for i in order), sorted_parents, rest.reshape(-1, 4, 4)[order]), order

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], ...]:
        """Bone indices by depth, roots first: no bone of a level is an ancestor of another bone of that
        level.
        """
        depth = np.zeros(len(self.names), dtype=np.intp)
        for bone, parent in enumerate(self.parents):
            if parent >= 0:
                depth[bone] = depth[parent] + 1
        by_depth = np.argsort(depth, kind="stable")
        ends = np.cumsum(np.bincount(depth)) if depth.size else np.empty(0, dtype=np.intp)
        return tuple(np.split(sealed(by_depth), ends[:-1])) if depth.size else ()

    @cached_property
    def _by_level(self) -> NDArray[np.intp]:
        """All bones (B,), level after level."""
        return np.concatenate(self.levels) if self.levels else np.empty(0, dtype=np.intp)

    @cached_property
    def _place_in_levels(self) -> NDArray[np.intp]:
        """Where each bone (B,) is in `_by_level`."""
        return np.argsort(self._by_level)

    @cached_property
    def _levels_below_roots(self) -> tuple[tuple[slice, NDArray[np.intp]], ...]:
        """Each level but the first, as a part of `_by_level`, and where there the parent of each of its bones
        is: poses go through them at every frame.
        """
        ends = np.cumsum([len(level) for level in self.levels]).tolist()
        return tuple(
            (slice(begin, end), self._place_in_levels[self.parents[level]])
            for begin, end, level in zip(ends, ends[1:], self.levels[1:], strict=False)
        )

    @cached_property
    def _above(self) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.intp]]:
        """The bones that have a parent; all parents; and for each of those bones, which of them is its own."""
        children = np.flatnonzero(self.parents >= 0)
        parents, above = np.unique(self.parents[children], return_inverse=True)
        return children, parents, above

    @cached_property
    def rest_to_parent(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The rest pose as `to_parent` returns it, and its inverse: (B, 4, 4) float64 each."""
        to_parent, _ = self.to_parent(self.rest_to_root)
        return sealed(to_parent), sealed(invert_affine(to_parent)[0])

    def index(self, name: str) -> int:
        """Return the index of the bone called `name`; KeyError if there is none."""
        return self._index_by_name[name]

    @cached_property
    def _index_by_name(self) -> dict[str, int]:
        return {name: bone for bone, name in enumerate(self.names)}

    def subset(self, bones: NDArray[np.intp]) -> Skeleton:
        """Return the skeleton of some bones, ascending; they must include all of their parents."""
        number = np.full(len(self.names) + 1, -1, dtype=np.int32)
        number[bones] = np.arange(len(bones), dtype=np.int32)
        # The entry past the last stays -1; a root's parent, -1, indexes it.
        return Skeleton(
            tuple(self.names[int(bone)] for bone in bones),
            number[self.parents[bones]],
            self.rest_to_root[bones],
        )

    def to_root(self, to_parent: ArrayLike, attached: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Run the top-down pass: matrices to the parent become matrices to the root.

        to_parent: (..., B, 4, 4), any local matrices, those of roots relative to root space. Leading axes
            (instances, frames) pass through.
        attached: (B,) or (..., B), False for bones whose matrix is relative to root space although they have a
            parent (see `to_parent`); all attached where left out.
        Returns (..., B, 4, 4) float64. One product per level, however many bones it has.
        """
        # Bones outermost in memory, level after level: of many instances long runs are copied, and a level is
        # written where it lies.
        by_bone = np.moveaxis(np.asarray(to_parent, dtype=np.float64), -3, 0)
        by_level = by_bone.take(self._by_level, axis=0)
        on_parent = None
        if attached is not None and not attached.all():
            on_parent = np.moveaxis(
                np.broadcast_to(attached, by_level.shape[1:-2] + attached.shape[-1:]), -1, 0
            )[self._by_level]
        for level, above in self._levels_below_roots:
            moved = by_level[level] @ by_level.take(above, axis=0)
            if on_parent is not None:
                moved = np.where(on_parent[level][..., None, None], moved, by_level[level])
            by_level[level] = moved
        return np.moveaxis(by_level.take(self._place_in_levels, axis=0), 0, -3)

    def to_parent(self, to_root: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Undo the pass: to_parent(i) = to_root(i) @ inverse(to_root(parent(i))).

        to_root: (..., B, 4, 4).
        Returns (..., B, 4, 4) float64 and the mask `attached` (..., B), which is False where the parent has no
        inverse because it is scaled to zero: to_parent does not exist there, and the bone's own `to_root`
        stands in its place.
        """
        to_root = np.asarray(to_root, dtype=np.float64)
        result = to_root.copy()
        children, parents, above = self._above
        # `take` copies whole matrices, in a quarter of the time that indexing needs.
        of_parents = to_root.take(parents, axis=-3)
        inverse, invertible = invert_affine(of_parents.reshape(-1, 4, 4))
        attached = np.ones(to_root.shape[:-2], dtype=np.bool_)
        if not invertible.all():
            attached[..., children] = invertible.reshape(of_parents.shape[:-2])[..., above]
        # Without an inverse the identity is used, which leaves the bone's own to_root.
        back = inverse.reshape(of_parents.shape).take(above, axis=-3)
        result[..., children, :, :] = to_root.take(children, axis=-3) @ back
        return result, attached


def parents_first(names: Sequence[str], parents: ArrayLike) -> NDArray[np.intp]:
    """Return an order (B,) in which every bone follows its parent; unchanged if that is already so.

    Raises:
        HierarchyError: a parent index is out of range, or the parents form a loop, which the message spells
        out.
    """
    parents = np.asarray(parents, dtype=np.int64).reshape(-1)
    if len(names) != len(parents):
        raise HierarchyError(
            "There are {bones} bone names but {parents} parents; each bone needs one.",
            bones=len(names),
            parents=len(parents),
        )
    for bone in np.flatnonzero((parents >= len(parents)) | (parents < -1)).tolist():
        raise HierarchyError(
            "Bone '{bone}' names parent {parent}, which does not exist.",
            bone=names[bone],
            parent=parents[bone],
        )
    if (parents < np.arange(len(parents))).all():
        return np.arange(len(parents))
    children: list[list[int]] = [[] for _ in names]
    for bone, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(bone)
    order = [int(bone) for bone in np.flatnonzero(parents < 0)]
    for bone in order:
        order.extend(children[bone])
    if len(order) < len(names):
        raise HierarchyError(
            "The bones {loop} are their own ancestors; give one of them another parent.",
            loop=_loop(names, parents, set(order)),
        )
    return np.array(order, dtype=np.intp)


def _loop(names: Sequence[str], parents: NDArray[np.int64], reached: set[int]) -> str:
    bone = next(i for i in range(len(names)) if i not in reached)
    walked: list[int] = []
    while bone not in walked:
        walked.append(bone)
        bone = int(parents[bone])
    loop = walked[walked.index(bone) :]
    return " -> ".join(f"'{names[i]}'" for i in [*loop, bone])


def invert_affine(matrices: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Invert affine row-vector matrices, even if some are singular.

    matrices: (N, 4, 4), last column (0, 0, 0, 1).
    Returns (N, 4, 4) float64 and a mask (N,) of those that have an inverse. The others come back as the
    identity: `np.linalg.inv` on a batch fails as a whole when one bone is scaled to zero.
    """
    matrices = np.asarray(matrices, dtype=np.float64)
    linear, inverse = matrices[:, :3, :3], np.zeros_like(matrices)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        rows = np.sqrt(np.add.reduce(linear * linear, axis=2))
        # Normalising each axis first makes the test ignore legitimate scale, uniform or not, and catches only
        # what can't be inverted: an axis of length zero, or linearly dependent axes. What is not finite has a
        # determinant that is not a number.
        axes = (linear / rows[:, :, None]).transpose(1, 2, 0)
        # By cofactors, three times as fast as one call of LAPACK a matrix.
        cofactors = _cofactors(axes)
        determinant = np.add.reduce(axes[0] * cofactors[0])
        usable = (np.abs(determinant) > SMALLEST_AXES_DETERMINANT) & (rows.min(axis=1) > 0)
        usable &= np.isfinite(matrices[:, 3]).all(axis=1)
        # linear = diag(rows) @ shape, so its inverse is inverse(shape) @ diag(1 / rows): an axis a million
        # times as long as another loses no digits.
        inverse[:, :3, :3] = (cofactors / (determinant * rows.T)[:, None]).transpose(2, 1, 0)
        inverse[:, 3:, :3] = -(matrices[:, 3:, :3] @ inverse[:, :3, :3])
    inverse[:, 3, 3] = 1
    if not usable.all():
        inverse[~usable] = np.eye(4)
    return inverse, usable


def _cofactors(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cofactors (3, 3, N) of linear matrices (3, 3, N): all at once, since of few matrices every
    operation costs the same.
    """
    # Rows and columns go on after the last with the first.
    around = np.empty((5, 5, matrices.shape[-1]))
    around[:3, :3] = matrices
    around[:3, 3:] = matrices[:, :2]
    around[3:] = around[:2]
    return around[1:4, 1:4] * around[2:5, 2:5] - around[1:4, 2:5] * around[2:5, 1:4]
