"""Mesh parts laid out in bone space, where they would otherwise all overlap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .spaces import MeshParts

GAP = 0.08
"""Gap between parts laid out side by side, relative to the largest part's size."""

ROW_WIDTH = 1.25
"""Width of a row relative to the side of a square of the same area: views are wider than high."""


def laid_out(
    meshes: Sequence[MeshParts], root_to_world: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Lay out the mesh parts of all meshes: in rows around each armature, with several armatures apart.

    Each armature has its own plane, location and scale. The first one's parts stay around it; the others make
    room along the world's X axis if they would overlap it, in front or behind.

    root_to_world: (4, 4) for each mesh, where its armature object stands; the value of an armature's first
    mesh is used.
    Returns for each mesh, (J, 3): how far each joint's part is moved, in armature space.
    """
    moved: dict[int, NDArray[np.float64]] = {}
    taken: list[tuple[float, float]] = []
    for armature in dict.fromkeys(parts.skinning.armature for parts in meshes):
        numbers = [number for number, one in enumerate(meshes) if one.skinning.armature == armature]
        group = [meshes[number] for number in numbers]
        own = side_by_side(group)
        to_world = root_to_world[numbers[0]]
        lowest, highest = _along_x(group, own, to_world)
        shift = _room_for(lowest, highest, taken)
        taken.append((lowest + shift, highest + shift))
        in_root = np.array((shift, 0.0, 0.0)) @ np.linalg.inv(to_world[:3, :3])
        moved.update((number, one + in_root) for number, one in zip(numbers, own, strict=True))
    return [moved[number] for number in range(len(meshes))]


def _along_x(
    meshes: Sequence[MeshParts], moved: Sequence[NDArray[np.float64]], to_world: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the extent of laid-out parts along the world's X axis; an empty range if there are none."""
    reach: list[NDArray[np.float64]] = []
    for parts, own in zip(meshes, moved, strict=True):
        there = np.isfinite(parts.lowest[:, 0])
        low, high = parts.lowest[there] + own[there], parts.highest[there] + own[there]
        # The corners furthest along X maximise each axis on its own.
        ends = np.stack((low * to_world[:3, 0], high * to_world[:3, 0]))
        reach.append(ends.min(axis=0).sum(axis=1))
        reach.append(ends.max(axis=0).sum(axis=1))
    at = np.concatenate(reach) + to_world[3, 0]
    return (float(at.min()), float(at.max())) if len(at) else (0.0, 0.0)


def _room_for(lowest: float, highest: float, taken: Sequence[tuple[float, float]]) -> float:
    """Return how far a range has to move up to clear all taken ones."""
    gap = GAP * (highest - lowest)
    shift = 0.0
    for start, end in sorted(taken):
        if lowest + shift < end + gap and highest + shift > start - gap:
            shift = end + gap - lowest
    return shift


def side_by_side(meshes: Sequence[MeshParts]) -> list[NDArray[np.float64]]:
    """Lay out the parts of one armature's meshes in rows in bone space's XY plane, where bones point along Y.

    Parts of one bone in several meshes stay together, as the bone sees them; bones keep their order.

    Returns for each mesh, (J, 3): how far each joint's part is moved. Joints without a part stay.
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


def _bones_of_joints(parts: MeshParts) -> list[tuple[str, int, int]]:
    """Name each of J joints so that it has the same name in all meshes: armature, bone, segment."""
    joints = parts.skinning.joints
    both = zip(joints.bone.tolist(), joints.segment.tolist(), strict=True)
    return [(parts.skinning.armature, bone, segment) for bone, segment in both][: parts.joint_count]


def _in_rows(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place boxes of (n, 2) sizes one after the other in rows from the top; return their centres, around the
    origin.
    """
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
