"""Linear blending on the CPU: the weighted sum of the joints' matrices moves the vertex.

    v' = sum_k weight_k * (v @ final(index_k)) = v @ (sum_k weight_k * final(index_k))

The second form needs one matrix per vertex, which also serves the normal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.vectors import transformed
from ..skinning.normals import (
    Normals,
    turned_by_cofactors,
    turned_by_joints,
    turned_by_last_joint,
    turned_by_matrix,
)
from ..skinning.palette import Palette
from .dense_blocks import DenseBlocks
from .pass_layout import Chunk, PassLayout, by_chunks, coordinates_of


def linear_positions(
    layout: PassLayout, palette: Palette, positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Skin positions (V, 3) -> (V, 3) float32. Rest positions take a third of the time of others."""
    if positions is layout.rest and layout.skin.vertex_count:
        return _rest_positions(layout, palette)
    rows = palette.rows().reshape(-1, 12)

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        return (_moved(chunk.blended(rows), positions, chunk),)

    return by_chunks(layout.suited_to(rows), job, (3,))[0]


def _rest_positions(layout: PassLayout, palette: Palette) -> NDArray[np.float32]:
    dense, tables = layout.dense, layout.rest_tables
    if dense is None or tables is None or layout.suited_to(palette.final) is not dense:
        return layout.joint_sorted.skin(palette.final)
    matrices = np.ascontiguousarray(palette.final[:, :, :3])

    def job(number: int, _: Chunk) -> tuple[NDArray[np.float32], ...]:
        return (dense.chunks[number].moved(tables[number], matrices),)

    return by_chunks(dense, job, (3,))[0]


def linear_vertices(
    layout: PassLayout,
    palette: Palette,
    positions: NDArray[np.float32],
    normals: NDArray[np.float32],
    rule: Normals = Normals.COFACTORS,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Skin positions and normals, (V, 3) each; normals by the cofactors of the blended matrix, or as an
    engine turns them.
    """
    rows = palette.rows().reshape(-1, 12)
    turn = turned_by_matrix if rule is Normals.MATRIX else turned_by_cofactors

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        blended = chunk.blended(rows)
        linear = blended.reshape(3, 4, -1)[:, :3]
        turned = turn(linear, coordinates_of(normals, chunk))
        return _moved(blended, positions, chunk), turned

    moved, turned = by_chunks(layout.suited_to(rows), job, (3, 3))
    return moved, _turned_by_joints(layout, palette.final[None], normals, rule, turned[None])[0]


def linear_frames(
    layout: PassLayout,
    blocks: DenseBlocks,
    final: NDArray[np.float32],
    rest: tuple[NDArray[np.float32], NDArray[np.float32] | None],
    rule: Normals = Normals.COFACTORS,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Skin positions and normals at rest, (V, 3) each, at F frames: (F, V, 3) each. The same to the last bit as
    `linear_vertices` frame by frame; for a small mesh, where most of the time goes into calls, much faster.

    blocks: `layout.dense`. final: (F, J, 4, 4), finite. normals: None to leave them out; the second result is
    then empty.
    """
    positions, normals = rest
    rows = np.ascontiguousarray(final[..., :3].swapaxes(-2, -1)).reshape(*final.shape[:2], 12)
    turn = turned_by_matrix if rule is Normals.MATRIX else turned_by_cofactors
    moved = np.empty((len(final), blocks.length, 3), dtype=np.float32)
    turned = np.empty_like(moved) if normals is not None else np.empty((0, blocks.length, 3), np.float32)
    with np.errstate(all="ignore"):
        for chunk in blocks.chunks:
            blended = chunk.blended_in_frames(rows)
            by_coordinate = blended.reshape(3, 4, *blended.shape[1:])
            chunk.store_frames(transformed(by_coordinate, coordinates_of(positions, chunk)), moved)
            if normals is not None:
                at_rest = np.broadcast_to(
                    coordinates_of(normals, chunk)[:, None], (3, *by_coordinate.shape[2:])
                )
                chunk.store_frames(turn(by_coordinate[:, :3], at_rest), turned)
    moved, turned = blocks.in_vertex_order(moved), blocks.in_vertex_order(turned)
    if normals is None:
        return moved, turned
    return moved, _turned_by_joints(layout, final, normals, rule, turned)


def _turned_by_joints(
    layout: PassLayout,
    final: NDArray[np.float32],
    normals: NDArray[np.float32],
    rule: Normals,
    turned: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return the normals (F, V, 3) of a rule that turns them joint by joint; `turned` under other rules."""
    if rule is Normals.JOINT_COFACTORS:
        return turned_by_joints(layout.skin, final, normals)
    if rule is Normals.LAST_JOINT:
        return turned_by_last_joint(layout.skin, final, normals)
    return turned


def _moved(rows: NDArray[np.float32], positions: NDArray[np.float32], chunk: Chunk) -> NDArray[np.float32]:
    return transformed(rows.reshape(3, 4, -1), coordinates_of(positions, chunk))
