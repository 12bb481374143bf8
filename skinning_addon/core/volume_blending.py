"""Blending with Blender's volume on the processor, see `dual_quaternion` for what it computes.

The dual part of a joint is linear in the position: 0.5 * (M v - R v) * q. So a joint is 20 numbers, its quaternion and the
4 x 4 matrix that makes its dual part of (x, y, z, 1), and blending is a weighted sum of them as in linear blending, but
for the signs. Where the quaternions of all joints of a block lie on one side, once some of them are negated, no order
of summing can give a vertex other signs than that, up to one for the whole sum, which changes nothing. That is so for
all but extreme poses; the other blocks are summed slot by slot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .dense_blocks import BlockPart
from .dual_quaternion import VolumePalette, dual_part, rotate
from .normals import cofactors
from .pass_layout import Part, PassLayout, by_parts, coordinates_of
from .skin import Skin
from .slots import SlotPart, slot_parts
from .vectors import cross, dot, transformed, unit_length

ONE_SIDE = 1e-6
"""Products of quaternions that are at least this large are positive whatever way float32 rounds their sums."""


def volume_positions(
    layout: PassLayout, palette: VolumePalette, positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Skin positions (V, 3), mesh space -> (V, 3) float32, mesh space."""
    motions = joint_motions(palette)

    def job(_: int, part: Part) -> tuple[NDArray[np.float32], ...]:
        motion = _blended(layout, part, motions)
        return (_moved(motion, positions, part, palette),)

    return by_parts(layout.suited_to(motions), job, (3,))[0]


def volume_vertices(
    layout: PassLayout, palette: VolumePalette, positions: NDArray[np.float32], normals: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Skin positions and normals, (V, 3) each.

    The scale of the joints moves positions; normals are turned by the blended rotation alone.
    """
    motions = joint_motions(palette)
    into = cofactors(palette.mesh_to_root[:3, :3]).astype(np.float32)
    back = cofactors(palette.root_to_mesh[:3, :3]).astype(np.float32)

    def job(_: int, part: Part) -> tuple[NDArray[np.float32], ...]:
        motion = _blended(layout, part, motions)
        before = coordinates_of(normals, part)
        turned = back.T @ _rotated(motion.rotation, into.T @ before)
        return _moved(motion, positions, part, palette), unit_length(turned, before)

    moved, turned = by_parts(layout.suited_to(motions), job, (3, 3))
    return moved, turned


def joint_motions(palette: VolumePalette) -> NDArray[np.float32]:
    """Return (J, 20) float32: each joint's quaternion, then, row by row, the matrix (4, 4) from (x, y, z, 1) in mesh
    space to its dual part.
    """
    rotation = palette.rotation.astype(np.float64)
    count = len(rotation)
    each_axis = np.tile(np.eye(3), (count, 1))
    for_each_axis = np.repeat(rotation, 3, axis=0)
    shift = palette.skinning[:, :, :3].astype(np.float64)
    shift[:, :3] -= rotate(for_each_axis, each_axis).reshape(count, 3, 3)
    to_dual = dual_part(each_axis, for_each_axis).reshape(count, 3, 4)
    dual = palette.mesh_to_root.astype(np.float64) @ shift @ to_dual
    return np.concatenate((rotation, dual.reshape(count, 16)), axis=1).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _BlendedMotion:
    """rotation: (4, m), unit. dual: (4, 4, m), matrices from (x, y, z, 1) to the dual part, not yet divided by the length
    of the real part. inverse_length: (m,), 0 where everything cancelled out; nothing moves there.
    """

    rotation: NDArray[np.float32]
    dual: NDArray[np.float32]
    inverse_length: NDArray[np.float32]


def _blended(layout: PassLayout, part: Part, motions: NDArray[np.float32]) -> _BlendedMotion:
    sums = _slot_sums(part, motions) if isinstance(part, SlotPart) else _block_sums(layout, part, motions)
    real, dual = sums[:4], sums[4:].reshape(4, 4, -1)
    length = np.sqrt(dot(real, real))
    if (length > 0).all():
        inverse = np.reciprocal(length)
        return _BlendedMotion(real * inverse, dual, inverse)
    inverse = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
    unmoved = np.array([0, 0, 0, 1], dtype=np.float32)[:, None]
    rotation = np.where(length > 0, real * inverse, unmoved)
    return _BlendedMotion(rotation, dual, inverse)


def _slot_sums(part: SlotPart, motions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sum motions in stored order, the sign of each taken against the sum so far: (20, m)."""
    by_value = np.ascontiguousarray(motions.T)
    sums = np.zeros((len(by_value), len(part.vertices)), dtype=np.float32)
    for joints, weights in part.slots():
        before = sums[:, : len(joints)]
        term = by_value.take(joints, axis=1, mode="clip")
        # Against the running sum: sorted influences, or signs taken against the first, blend other ways round.
        opposed = dot(term[:4], before[:4]) < 0
        before += term * np.where(opposed, -weights, weights)
    return sums


def _block_sums(layout: PassLayout, part: BlockPart, motions: NDArray[np.float32]) -> NDArray[np.float32]:
    chosen = motions[part.joints]
    with_first = chosen[:, :, :4] @ chosen[:, 0, :4, None]
    chosen *= np.where(with_first < 0, -1, 1).astype(np.float32)
    quaternion = chosen[:, :, :4]
    products = quaternion @ quaternion.transpose(0, 2, 1)
    on_one_side: NDArray[np.bool_] = np.all(products >= ONE_SIDE, axis=(1, 2))
    sums = part.blended_by_block(chosen)
    if layout.has_negative_weights:
        on_one_side[:] = False
    if not on_one_side.all():
        others = np.repeat(~on_one_side, part.weights.shape[2])
        sums[:, others] = _sums_of(layout.skin, part.vertices[others], motions).T
    return sums


def _sums_of(skin: Skin, vertices: NDArray[np.intp], motions: NDArray[np.float32]) -> NDArray[np.float32]:
    sums = np.empty((len(vertices), motions.shape[1]), dtype=np.float32)
    for part in slot_parts(skin, vertices):
        part.store(_slot_sums(part, motions), sums)
    return sums


def _moved(
    motion: _BlendedMotion, positions: NDArray[np.float32], part: Part, palette: VolumePalette
) -> NDArray[np.float32]:
    """Move a part's positions (V, 3), mesh space: (3, m), mesh space."""
    into, back = palette.mesh_to_root, palette.root_to_mesh
    before = coordinates_of(positions, part)
    dual = transformed(motion.dual.transpose(1, 0, 2), before) * motion.inverse_length
    moved = into[:3, :3].T @ before + into[3, :3, None]
    axis, real = motion.rotation[:3], motion.rotation[3]
    # Rotation and translation together: v + 2 (axis x (axis x v + real v + dual) + real dual - dual_w axis).
    inner = cross(axis, moved)
    inner += real * moved
    inner += dual[:3]
    turn = cross(axis, inner)
    turn += real * dual[:3]
    turn -= dual[3] * axis
    turn *= 2
    moved += turn
    return back[:3, :3].T @ moved + back[3, :3, None]


def _rotated(rotation: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn (3, m) vectors by (4, m) unit quaternions."""
    axis = rotation[:3]
    twice = 2 * cross(axis, vectors)
    return vectors + rotation[3] * twice + cross(axis, twice)
