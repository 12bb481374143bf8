"""Random skins for GPU tests, and a second implementation of skinning, in float64 and without the
core's code.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skinning_addon.core.skinning.joints import Joints
from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skeleton import Skeleton
from skinning_addon.core.skinning.skin import Skin
from tests.core.builders import random_transforms

EXACT = 1e-5
"""Tolerance of "exact" (core's deviation.EXACT_RELATIVE), relative to the size of what is compared."""


def random_mesh(rng, vertex_count):
    normals = rng.normal(size=(vertex_count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    no_faces = np.empty((0, 3), dtype=np.int32)
    return SourceMesh(rng.normal(size=(vertex_count, 3)), normals, no_faces[:, :2], no_faces)


def random_skin(rng, vertex_count, joint_count, fewest, most):
    """Make a skin with `fewest` to `most` influences per vertex; some weights are 0, and some vertices have
    almost none.
    """
    counts = rng.integers(fewest, most + 1, vertex_count)
    weights = rng.random(counts.sum()) * (rng.random(counts.sum()) > 0.1)
    tiny = np.repeat(rng.random(vertex_count) < 0.05, counts)
    weights[tiny] *= 1e-6
    starts = np.concatenate(([0], np.cumsum(counts)))
    return Skin(starts, rng.integers(1, joint_count, counts.sum()), weights)


def plain_joints(joint_count):
    """Make joint 0 and joint_count - 1 bones, all at the origin."""
    rest = np.tile(np.eye(4), (joint_count - 1, 1, 1))
    names = [f"bone {number}" for number in range(joint_count - 1)]
    skeleton, _ = Skeleton.from_bones(names, [-1] * (joint_count - 1), rest)
    return Joints.of_bones(skeleton, np.arange(joint_count - 1), np.eye(4))


def random_palette(rng, joint_count, mirrored_share=0.0):
    final = random_transforms(rng, joint_count)
    mirrored = rng.random(joint_count) < mirrored_share
    final[mirrored, 0] *= -1
    final[0] = np.eye(4)
    return Palette(final)


def random_pass(rng, vertex_count, joint_count, fewest=1, most=4, **fields):
    skin = random_skin(rng, vertex_count, joint_count, fewest, most)
    return replace(Pass(skin, plain_joints(joint_count), "Armature"), **fields)


def skinned_in_float64(one, palette, positions, normals):
    """v' = sum_k w_k (v @ final_k) over influences padded to the most that a vertex has; sums above 1e-4 made
    1.

    Normals go by the inverse transpose of the blended matrix, turned around where it mirrors.
    """
    skin = one.skin
    counts = np.diff(skin.starts)
    slots = max(1, counts.max(initial=0))
    filled = np.arange(slots) < counts[:, None]
    joints = np.zeros((len(counts), slots), dtype=np.int64)
    weights = np.zeros((len(counts), slots))
    joints[filled], weights[filled] = skin.joints, skin.weights
    sums = weights.sum(axis=1, keepdims=True)
    moved = sums[:, 0] > 1e-4
    weights = np.where(moved[:, None], weights / np.where(sums > 0, sums, 1), 0)
    blended = np.einsum("vk,vkrc->vrc", weights, palette.final[joints].astype(np.float64))
    blended[~moved] = np.eye(4)
    points = np.concatenate((positions, np.ones((len(positions), 1))), axis=1)
    linear = blended[:, :3, :3]
    turned = np.einsum("vc,vrc->vr", normals, np.linalg.inv(linear))
    turned *= np.sign(np.linalg.det(linear))[:, None]
    return np.einsum("vr,vrc->vc", points, blended)[:, :3], turned / np.linalg.norm(
        turned, axis=1, keepdims=True
    )


def quad(size=1.0):
    """Make a square in the XY plane around the origin, facing +Z, of two triangles, with its drawing mesh."""
    corners = np.array(((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)), dtype=np.float32) * size / 2
    normals = np.tile(np.float32((0, 0, 1)), (4, 1))
    edges = np.array(((0, 1), (1, 2), (2, 3), (3, 0)))
    triangles = np.array(((0, 1, 2), (0, 2, 3)))
    drawn = DrawMesh(np.arange(4), triangles, normals, np.zeros((4, 2)))
    return SourceMesh(corners, normals, edges, triangles), drawn


def whole_pass(vertex_count):
    """Make a pass with one bone that carries every vertex."""
    skin = Skin(np.arange(vertex_count + 1), np.ones(vertex_count), np.ones(vertex_count))
    return Pass(skin, plain_joints(2), "Armature")


def palette_of(matrix):
    """Return the palette of `whole_pass` whose bone applies `matrix`."""
    return Palette(np.stack((np.eye(4), matrix)))
