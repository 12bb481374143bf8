"""The feet of a skeleton: which bones stand on the ground, and points of their soles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.skinning.skeleton import Skeleton, invert_affine
from ...core.text.errors import CrowdError

FOOT_WORDS = frozenset({"foot", "feet", "toe", "toes", "ankle", "paw", "hoof", "hooves"})

GROUND = 0.04
"""A limb that ends within this share of the standing height of the lowest point stands on the ground."""

SOLE = 0.5
"""The share of a foot's own height, from its lowest point up, whose points are the sole."""

MOST_POINTS = 200
"""Of a sole."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words(name: str) -> list[str]:
    """Split a name into words in lower case: at signs, digits, and capitals within ('LeftFoot')."""
    return [word.lower() for word in _WORD.findall(name)]


@dataclass(frozen=True, eq=False)
class BodyPoints:
    """Points of a character at rest, each carried by a bone.

    positions: (V, 3) root space. bones: (V,) indices into the skeleton.
    """

    positions: NDArray[np.float64]
    bones: NDArray[np.intp]

    @classmethod
    def of_bones(cls, skeleton: Skeleton) -> BodyPoints:
        """Take the bones' heads, for a character without a mesh."""
        return cls(skeleton.rest_to_root[:, 3, :3], np.arange(len(skeleton.names)))


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot. name: of its uppermost bone. bones: (P,) of each point; points: (P, 4) in that bone's space."""

    name: str
    bones: NDArray[np.intp]
    points: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Body:
    """A character that can walk.

    root_to_world: (4, 4), to the space whose Z is up. height: from the lowest point to the highest, at rest,
    in that space's unit. named: whether the feet were found by name.
    """

    skeleton: Skeleton
    root_to_world: NDArray[np.float64]
    feet: tuple[Foot, ...]
    height: float
    named: bool

    @classmethod
    def of(
        cls,
        skeleton: Skeleton,
        root_to_world: NDArray[np.float64],
        points: BodyPoints | None = None,
        name: str = "",
    ) -> Body:
        """Find the feet: the bones named so, and further limbs that end on the ground, such as a fox's hands.
        Without such names, the lowest ends of limbs.

        points: of the meshes; the bones' heads if omitted. name: of the armature, for messages.

        Raises:
            CrowdError: there are no feet, or the character has no height.
        """
        body = points or BodyPoints.of_bones(skeleton)
        heights = body.positions @ root_to_world[:3, 2] + root_to_world[3, 2]
        height = float(np.ptp(heights)) if heights.size else 0.0
        named = _named_feet(skeleton, body)
        taken = np.isin(body.bones, [bone for foot in named for bone in foot])
        floor = float(heights[taken].min() if taken.any() else heights.min()) if heights.size else 0.0
        others = [
            limb
            for limb in _ends(skeleton)
            if not any(limb[0] in foot for foot in named)
            and _lowest(heights, body, limb) <= floor + GROUND * height
        ]
        if height <= 0 or not (named or others):
            raise CrowdError(
                "No bone of '{armature}' is a foot: none is called foot, toe, ankle, paw or hoof, and no limb "
                "ends on the ground; rename its feet.",
                armature=name,
            )
        feet = [_foot(skeleton, body, heights, bones) for bones in (*named, *others)]
        return cls(skeleton, root_to_world, tuple(feet), height, bool(named))

    @property
    def shared_ancestor(self) -> int:
        """The lowest bone that carries all feet; bone 0 if they hang off different roots."""
        lines = [_ancestors(self.skeleton, int(foot.bones[0])) for foot in self.feet]
        return max(set(lines[0]).intersection(*lines), default=0)

    def posed_feet(self, to_root: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return each foot's points in poses `to_root` (S, B, 4, 4), as (S, P, 3) in world space."""
        to_world = to_root @ self.root_to_world
        return [
            np.einsum("pi,spij->spj", foot.points, to_world[:, foot.bones])[..., :3] for foot in self.feet
        ]


def _named_feet(skeleton: Skeleton, body: BodyPoints) -> list[list[int]]:
    """List the bones of each named foot that carries points, the uppermost bone first."""
    is_foot = [bool(FOOT_WORDS & set(words(name))) for name in skeleton.names]
    tops = [
        bone
        for bone, parent in enumerate(skeleton.parents.tolist())
        if is_foot[bone] and not any(is_foot[one] for one in _ancestors(skeleton, parent))
    ]
    feet = [_subtree(skeleton, top) for top in tops]
    return [foot for foot in feet if np.isin(foot, body.bones).any()]


def _ends(skeleton: Skeleton) -> list[list[int]]:
    """List the last bone of each limb. A bone alone is no limb."""
    parents = set(skeleton.parents.tolist())
    return [
        [bone] for bone, parent in enumerate(skeleton.parents.tolist()) if bone not in parents and parent >= 0
    ]


def _ancestors(skeleton: Skeleton, bone: int) -> list[int]:
    found: list[int] = []
    while bone >= 0:
        found.append(bone)
        bone = int(skeleton.parents[bone])
    return found


def _subtree(skeleton: Skeleton, top: int) -> list[int]:
    found = [top]
    for bone in range(top + 1, len(skeleton.names)):
        if int(skeleton.parents[bone]) in found:
            found.append(bone)
    return found


def _lowest(heights: NDArray[np.float64], body: BodyPoints, bones: Sequence[int]) -> float:
    here = np.isin(body.bones, bones)
    return float(heights[here].min()) if here.any() else np.inf


def _foot(skeleton: Skeleton, body: BodyPoints, heights: NDArray[np.float64], bones: Sequence[int]) -> Foot:
    here = np.flatnonzero(np.isin(body.bones, bones))
    low, high = heights[here].min(), heights[here].max()
    sole = here[heights[here] <= low + SOLE * (high - low)]
    sole = sole[np.unique(np.linspace(0, len(sole) - 1, MOST_POINTS).round().astype(np.intp))]
    carriers = body.bones[sole]
    homogeneous = np.concatenate((body.positions[sole], np.ones((len(sole), 1))), axis=1)
    to_bone = invert_affine(skeleton.rest_to_root)[0]
    return Foot(skeleton.names[bones[0]], carriers, np.einsum("pi,pij->pj", homogeneous, to_bone[carriers]))
