"""The parts of skinned meshes laid out in bone space, where otherwise all would lie upon one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .spaces import Parts

GAP = 0.08
"""Between parts that are laid out side by side, by the size of the largest."""

ROW_WIDTH = 1.25
"""Of what is laid out, by the side of a square of the same area: views are wider than high."""


def side_by_side(meshes: Sequence[Parts]) -> list[NDArray[np.float64]]:
    """Lay the parts of all meshes out in rows in the plane of X and Y of bone space, where bones point along Y.

    What one bone moves in several meshes stays together, as the bone sees it; bones follow in their order.

    Returns for each mesh, (J, 3): how far the part of each joint is moved. Joints without a part stay.
    """
    owners = [_bones_of_joints(parts) for parts in meshes]
    boxes: dict[tuple[str, int, int], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for parts, bones in zip(meshes, owners, strict=True):
        for joint in np.flatnonzero(np.isfinite(parts.lowest[:, 0])).tolist():
            lowest, highest = boxes.get(bones[joint], (parts.lowest[joint], parts.highest[joint]))
            boxes[bones[joint]] = (
                np.minimum(lowest, parts.lowest[joint]),
                np.maximum(highest, parts.highest[joint]),
            )
    ordered = sorted(boxes)
    moved: dict[tuple[str, int, int], NDArray[np.float64]] = {}
    if ordered:
        lowest, highest = (
            np.array(corners) for corners in zip(*(boxes[bone] for bone in ordered), strict=True)
        )
        centres = np.zeros_like(lowest)
        centres[:, :2] = _in_rows((highest - lowest)[:, :2])
        moved = dict(zip(ordered, centres - (lowest + highest) / 2, strict=True))
    nowhere = np.zeros(3)
    return [np.array([moved.get(bone, nowhere) for bone in bones]) for bones in owners]


def _bones_of_joints(parts: Parts) -> list[tuple[str, int, int]]:
    """Name each of J joints so that it has the same name in all meshes: armature, bone, segment."""
    joints = parts.skinning.joints
    both = zip(joints.bone.tolist(), joints.segment.tolist(), strict=True)
    return [(parts.skinning.armature, bone, segment) for bone, segment in both][: parts.joint_count]


def _in_rows(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place boxes of (n, 2) sizes one after the other in rows from the top; return their centres, around the origin."""
    padded = sizes + GAP * sizes.max()
    width = max(float(padded[:, 0].max()), ROW_WIDTH * float(np.sqrt(padded.prod(axis=1).sum())))
    rows: list[list[int]] = [[]]
    filled = 0.0
    for number, own in enumerate(padded[:, 0].tolist()):
        if rows[-1] and filled + own > width:
            rows.append([])
            filled = 0.0
        rows[-1].append(number)
        filled += own
    centres = np.empty_like(padded)
    top = 0.0
    for row in rows:
        ends = np.cumsum(padded[row, 0])
        centres[row, 0] = ends - padded[row, 0] / 2 - ends[-1] / 2
        height = float(padded[row, 1].max())
        centres[row, 1] = top - height / 2
        top -= height
    centres[:, 1] -= top / 2
    return centres
