"""Blending rigid motions on the CPU: weighted sums of quaternions and their companions, with the right
signs.

A joint's *motion* is a row of numbers that begins with its quaternion. A vertex adds up the weighted rows of
its joints, negating a joint's whole row if its quaternion lies on the other side; rows are stored coordinates
first, (C, m), as in `vectors`.

If the quaternions of all joints of a block lie on one side, once some of them are negated, those signs are
right for its vertices in any order of summing, up to a sign for the whole sum, which changes nothing. That
holds for all but extreme poses; the other blocks are summed slot by slot.

In milder poses, the quaternions of all joints lie on one side (`Motions`), and no vertex needs a sign check.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import cross, dot, rotated, unit_length
from ..skinning.normals import cofactors
from ..skinning.skin import Skin
from .dense_blocks import BlockChunk
from .pass_layout import Chunk, PassLayout, coordinates_of
from .running_signs import MOST_SLOTS
from .signed_weights import negated_where_below
from .slots import SlotChunk, slot_chunks

ONE_SIDE = 1e-6
"""Products of quaternions at least this large are positive however float32 rounds their sums."""

MOST_OF_A_PART = 0.75
"""If less than this share of a chunk's blocks lie on one side, the whole chunk is summed slot by slot: that
layout is made only once."""


class Signs(Enum):
    """The quaternion that decides each other quaternion's side."""

    RUNNING_SUM = "running sum"
    """The sum so far, in stored order, as Blender does."""
    PIVOT = "pivot"
    """The vertex's first influence, as published."""


WITHIN_A_RIGHT_ANGLE = math.sqrt(0.5) + ONE_SIDE
"""Unit quaternions that all have at least this product with a common one have positive products with each
other."""


@dataclass(frozen=True, eq=False)
class Motions:
    """values: (J, C) float32, the motions of the joints, with all quaternions on one side if possible.

    one_side: whether they are on one side, so that none opposes a vertex's sum, in any order of summing.
    """

    values: NDArray[np.float32]
    one_side: bool

    @classmethod
    def of_joints(cls, values: NDArray[np.float32]) -> Motions:
        """Bring motions (J, C) to one side if all are within a quarter turn of their mean, an eighth of a turn
        between quaternions.
        """
        quaternions = values[:, :4].astype(np.float64)
        with np.errstate(all="ignore"):
            quaternions *= np.where(quaternions @ quaternions[0] < 0, -1.0, 1.0)[:, None]
            mean = np.add.reduce(quaternions)
            along_mean = values[:, :4].astype(np.float64) @ (mean / math.sqrt(mean @ mean))
        if not (np.abs(along_mean) >= WITHIN_A_RIGHT_ANGLE).all():
            return cls(values, one_side=False)
        return cls(values * np.where(along_mean < 0, -1, 1).astype(np.float32)[:, None], one_side=True)


@dataclass(frozen=True, eq=False)
class BlendedMotion:
    """rotation: (4, m), unit length. rest: (C - 4, m), the sums of the values after the quaternion, not yet
    divided by the length of its sum. inverse_length: (m,), 0 where everything canceled out; those vertices
    don't move.
    """

    rotation: NDArray[np.float32]
    rest: NDArray[np.float32]
    inverse_length: NDArray[np.float32]


def blended_motion(layout: PassLayout, chunk: Chunk, motions: Motions, signs: Signs) -> BlendedMotion:
    """Blend motions for the vertices of a chunk."""
    if motions.one_side and not layout.has_negative_weights:
        sums = chunk.blended(motions.values)
    elif isinstance(chunk, SlotChunk):
        sums = _slot_sums(chunk, motions.values, signs)
    else:
        sums = _block_sums(layout, chunk, motions.values, signs)
    real, rest = sums[:4], sums[4:]
    length = np.sqrt(dot(real, real))
    if (length > 0).all():
        inverse = np.reciprocal(length)
        return BlendedMotion(real * inverse, rest, inverse)
    inverse = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
    unmoved = np.array([0, 0, 0, 1], dtype=np.float32)[:, None]
    return BlendedMotion(np.where(length > 0, real * inverse, unmoved), rest, inverse)


def _slot_sums(chunk: SlotChunk, motions: NDArray[np.float32], signs: Signs) -> NDArray[np.float32]:
    """Sum motions in stored order: (C, m)."""
    sums = np.zeros((motions.shape[1], len(chunk.vertices)), dtype=np.float32)
    pivot = sums[:4]
    for slot, (term, weights) in enumerate(chunk.terms(motions)):
        before = sums[:, : len(weights)]
        if not slot:
            if signs is Signs.PIVOT:
                pivot = term[:4].copy()
            np.multiply(term, weights, out=before)
            continue
        # The two rules choose different ways around, and each chooses differently once influences are sorted.
        against = before[:4] if signs is Signs.RUNNING_SUM else pivot[:, : len(weights)]
        before += np.multiply(term, negated_where_below(weights, dot(term[:4], against)), out=term)
    return sums


def _block_sums(
    layout: PassLayout, chunk: BlockChunk, motions: NDArray[np.float32], signs: Signs
) -> NDArray[np.float32]:
    given = motions[chunk.joints]
    with_first = given[:, :, :4] @ given[:, 0, :4, None]
    chosen = given * np.where(with_first < 0, -1, 1).astype(np.float32)
    on_one_side = _all_on_one_side(chosen[:, :, :4])
    if layout.has_negative_weights and signs is Signs.RUNNING_SUM:
        on_one_side[:] = False
    if np.count_nonzero(on_one_side) < MOST_OF_A_PART * len(on_one_side):
        if layout.skin.largest_count <= MOST_SLOTS:
            products = given[:, :, :4] @ given[:, :, :4].transpose(0, 2, 1)
            weights = layout.influences_of(chunk).signed(
                products, chunk.weights.shape, only_first=signs is Signs.PIVOT
            )
            return chunk.blended_by_block(given, weights)
        slots = layout.slots_of(chunk)
        return slots.in_given_order(_slot_sums(slots, motions, signs))
    sums = chunk.blended_by_block(chosen)
    if not on_one_side.all():
        others = np.repeat(~on_one_side, chunk.weights.shape[2])
        sums[:, others] = _sums_of(layout.skin, chunk.vertices[others], motions, signs).T
    return sums


def _all_on_one_side(quaternions: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return whether all products of two of a block's quaternions reach ONE_SIDE; (blocks, joints, 4)."""
    products = quaternions @ quaternions.transpose(0, 2, 1)
    return np.all(products >= ONE_SIDE, axis=(1, 2))


def _sums_of(
    skin: Skin, vertices: NDArray[np.intp], motions: NDArray[np.float32], signs: Signs
) -> NDArray[np.float32]:
    sums = np.empty((len(vertices), motions.shape[1]), dtype=np.float32)
    for chunk in slot_chunks(skin, vertices):
        chunk.store(_slot_sums(chunk, motions, signs), sums)
    return sums


@dataclass(frozen=True, eq=False)
class RootSpace:
    """The transforms to and from the space that motions are blended in: (4, 4) float32 each, row vectors."""

    mesh_to_root: NDArray[np.float32]
    root_to_mesh: NDArray[np.float32]

    def moved(
        self, rotation: NDArray[np.float32], dual: NDArray[np.float32], before: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Move (3, m) positions in mesh space by dual quaternions whose real part, (4, m), has unit length."""
        into, back = self.mesh_to_root, self.root_to_mesh
        moved = into[:3, :3].T @ before + into[3, :3, None]
        axis, real = rotation[:3], rotation[3]
        # Rotation and translation together: v + 2 (axis x (axis x v + real v + dual) + real dual - dual_w
        # axis).
        inner = cross(axis, moved)
        inner += real * moved
        inner += dual[:3]
        turn = cross(axis, inner)
        turn += real * dual[:3]
        turn -= dual[3] * axis
        turn *= 2
        moved += turn
        return back[:3, :3].T @ moved + back[3, :3, None]

    def turned(
        self, rotation: NDArray[np.float32], normals: NDArray[np.float32], chunk: Chunk
    ) -> NDArray[np.float32]:
        """Turn a chunk's normals (V, 3) in mesh space by its rotations: (3, m), unit length.

        The matrices into root space and back transform normals by their cofactors, as uneven scales require.
        """
        into = cofactors(self.mesh_to_root[:3, :3]).astype(np.float32)
        back = cofactors(self.root_to_mesh[:3, :3]).astype(np.float32)
        before = coordinates_of(normals, chunk)
        return unit_length(back.T @ rotated(rotation, into.T @ before), before)
