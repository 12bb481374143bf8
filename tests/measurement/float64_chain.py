"""Skinning written out vertex by vertex in float64, straight from the formulas, free of our rounding.

It separates the two causes of a deviation: a wrong rule, which it would not share, and the float32 in which
Blender computes, which is unavoidable.
"""

from __future__ import annotations

import numpy as np

from skinning_addon.core.maths.orthonormal_axes import orthonormal_axes
from skinning_addon.core.maths.quaternion import quaternions
from skinning_addon.core.profiles.binding import Binding
from skinning_addon.core.skinning.passes import Blend, PassInput
from skinning_addon.scene.binding.frame import Frame, PosedPass


def skinned_in_float64(binding: Binding, frame: Frame) -> np.ndarray:
    """Return (V, 3) float64, mesh space."""
    current = run_start = binding.mesh.positions.astype(np.float64)
    for one, posed in zip(frame.chain, frame.passes, strict=True):
        if one.input is PassInput.PREVIOUS:
            run_start = current
        move = _MOVES[posed.blend](posed)
        moved = run_start.copy()
        for vertex in range(one.skin.vertex_count):
            entries = slice(one.skin.starts[vertex], one.skin.starts[vertex + 1])
            weights = one.skin.weights[entries].astype(np.float64)
            if weights.sum() > 1e-4:
                moved[vertex] = move(run_start[vertex], one.skin.joints[entries], weights / weights.sum())
        amount = 1 if one.amount is None else one.amount[:, None].astype(np.float64)
        current = current + amount * (moved - current)
    return current


def _linear(posed: PosedPass):
    final = posed.joints.offset @ posed.pose.to_root @ posed.root_to_mesh

    def move(position, joints, weights):
        return sum(
            w * (position @ final[j, :3, :3] + final[j, 3, :3]) for j, w in zip(joints, weights, strict=True)
        )

    return move


def _volume(posed: PosedPass):
    joints = posed.joints
    skinning = joints.root_to_rest @ posed.pose.to_root
    rest, frame = orthonormal_axes(joints.rest_to_root[:, :3, :3]), joints.rest_to_root @ skinning
    turns = quaternions(rest.transpose(0, 2, 1) @ orthonormal_axes(frame[:, :3, :3]))

    def move(position, joints, weights):
        here = position @ posed.mesh_to_root[:3, :3] + posed.mesh_to_root[3, :3]
        real, dual = np.zeros(4), np.zeros(4)
        for joint, weight in zip(joints, weights, strict=True):
            turn = turns[joint] if turns[joint] @ real >= 0 else -turns[joint]
            shift = here @ skinning[joint, :3, :3] + skinning[joint, 3, :3] - _turned(turn, here)
            real += weight * turn
            dual += weight * _dual_part(turn, shift)
        return _moved(real, dual, here) @ posed.root_to_mesh[:3, :3] + posed.root_to_mesh[3, :3]

    return move


def _dual_part(turn, shift):
    """Return the dual part of the motion that turns, then shifts."""
    return 0.5 * np.append(shift * turn[3] + np.cross(shift, turn[:3]), -shift @ turn[:3])


def _moved(real, dual, point):
    """Move a point by a dual quaternion of any length."""
    length = np.linalg.norm(real)
    real, dual = real / length, dual / length
    shift = 2 * (real[3] * dual[:3] - dual[3] * real[:3] + np.cross(real[:3], dual[:3]))
    return _turned(real, point) + shift


def _dual_quaternion(posed: PosedPass):
    """Blend as published: rigid motions only, all in the hemisphere of the vertex's first one."""
    rest, root = posed.joints.rest_to_root, posed.pose.to_root
    turns = np.array([_nearest_rotation(a).T @ _nearest_rotation(b) for a, b in zip(rest, root, strict=True)])
    heads = rest[:, 3, :3], root[:, 3, :3]

    def move(position, joints, weights):
        here = position @ posed.mesh_to_root[:3, :3] + posed.mesh_to_root[3, :3]
        real, dual = np.zeros(4), np.zeros(4)
        first = None
        for joint, weight in zip(joints, weights, strict=True):
            turn, shift = _quaternion(turns[joint]), heads[1][joint] - heads[0][joint] @ turns[joint]
            first = turn if first is None else first
            turn = turn if turn @ first >= 0 else -turn
            real += weight * turn
            dual += weight * _dual_part(turn, shift)
        return _moved(real, dual, here) @ posed.root_to_mesh[:3, :3] + posed.root_to_mesh[3, :3]

    return move


_MOVES = {Blend.LINEAR: _linear, Blend.VOLUME: _volume, Blend.DUAL_QUATERNION: _dual_quaternion}


def _nearest_rotation(matrix: np.ndarray) -> np.ndarray:
    """Return the rotation R of the axes S @ R, with S symmetric and positive, by Newton's iteration."""
    axes = matrix[:3, :3].copy()
    if np.linalg.det(axes) < 0:
        axes[0] *= -1
    for _ in range(60):
        axes = (axes + np.linalg.inv(axes).T) / 2
    return axes


def _quaternion(rotation: np.ndarray) -> np.ndarray:
    """Return (x, y, z, w) of a rotation in row vectors: the eigenvector of Bar-Itzhack's matrix, of either
    sign.
    """
    r = rotation.T
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
            [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
            [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], r[0, 0] + r[1, 1] + r[2, 2]],
        ]
    )
    return np.linalg.eigh(k)[1][:, -1]


def _turned(turn: np.ndarray, vector: np.ndarray) -> np.ndarray:
    twice = 2 * np.cross(turn[:3], vector)
    return vector + turn[3] * twice + np.cross(turn[:3], twice)
