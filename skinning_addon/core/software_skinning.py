"""Skinning on the CPU: the same sum that the shaders make, for any number of influences.

    v' = sum_k weight_k * (v @ final(index_k)) = v @ (sum_k weight_k * final(index_k))

The second form needs one matrix a vertex, which then serves the normal too. Blending is done slot by slot (every
vertex's first influence, then every second, ...) in blocks of vertices that fit the processor's cache; vertices are
sorted by their number of influences, so a slot is a plain slice and nobody pays for the one vertex that has fifteen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .mesh import SourceMesh
from .palette import Palette, Pass, PassInput
from .skin import Skin

VERTICES_PER_BLOCK = 8192
"""12 floats for each stay within the second-level cache."""


@dataclass(frozen=True, eq=False)
class SlotTable:
    """A normalised skin laid out for blending; made once for a skin, used for every pose.

    order: (V,) vertices, those with the most influences first.
    joints, weights: for each slot k an array over the vertices, in that order, that have more than k influences.
    """

    order: NDArray[np.intp]
    joints: tuple[NDArray[np.int32], ...]
    weights: tuple[NDArray[np.float32], ...]


def slot_table(skin: Skin) -> SlotTable:
    """Lay out `skin`, normalised as Blender's linear blend does, for `blended_rows`."""
    skin = skin.normalised()
    order = np.argsort(-skin.counts, kind="stable")
    counts = skin.counts[order]
    first = skin.starts[:-1][order]
    entries = [first[: np.searchsorted(-counts, -slot)] + slot for slot in range(skin.largest_count)]
    return SlotTable(
        order,
        tuple(skin.joints[entry] for entry in entries),
        tuple(skin.weights[entry] for entry in entries),
    )


def blended_rows(table: SlotTable, palette: Palette) -> NDArray[np.float32]:
    """Blend one matrix for each vertex: (V, 3, 4) float32, rows as in `Palette.rows`, vertices in their own order."""
    rows = palette.rows().reshape(-1, 12)
    blended = np.zeros((len(table.order), 12), dtype=np.float32)
    for start in range(0, len(blended), VERTICES_PER_BLOCK):
        block = blended[start : start + VERTICES_PER_BLOCK]
        for joints, weights in zip(table.joints, table.weights, strict=True):
            part = slice(start, min(start + VERTICES_PER_BLOCK, len(joints)))
            if part.stop <= start:
                break
            block[: part.stop - start] += rows[joints[part]] * weights[part, None]
    result = np.empty_like(blended)
    result[table.order] = blended
    return result.reshape(-1, 3, 4)


def transform_positions(rows: NDArray[np.float32], positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move each position by its own matrix: rows (V, 3, 4), positions (V, 3) -> (V, 3) float32."""
    return np.einsum("vrc,vc->vr", rows[:, :, :3], positions) + rows[:, :, 3]


def transform_normals(rows: NDArray[np.float32], normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each normal by the cofactors of its own matrix, and make it unit length again.

    rows (V, 3, 4), normals (V, 3) -> (V, 3) float32. The cofactors are the inverse transpose times the determinant:
    right under non-uniform scale, and defined even where a bone is scaled to zero along one axis. A normal that
    collapses (a bone scaled to zero) stays as it was.
    """
    linear = rows[:, :, :3]
    cofactors = np.stack(
        (
            np.cross(linear[:, 1], linear[:, 2]),
            np.cross(linear[:, 2], linear[:, 0]),
            np.cross(linear[:, 0], linear[:, 1]),
        ),
        axis=1,
    )
    turned = np.einsum("vrc,vc->vr", cofactors, normals)
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(length > 0, turned / length, normals).astype(np.float32)


@dataclass(frozen=True, eq=False)
class SkinnedVertices:
    """positions, normals: (V, 3) float32, mesh space."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


class SoftwareSkinner:
    """Runs a chain of passes on the CPU; keeps what does not depend on the pose."""

    technique = "software"
    device = "cpu"

    def __init__(self, passes: tuple[Pass, ...], mesh: SourceMesh) -> None:
        self._passes = passes
        self._rest = SkinnedVertices(mesh.positions, mesh.normals)
        self._tables = tuple(slot_table(one.skin) for one in passes)

    def skin(self, palettes: tuple[Palette, ...]) -> SkinnedVertices:
        """Skin the mesh, with one palette a pass in the order of the passes."""
        run_start = current = self._rest
        for one, table, palette in zip(self._passes, self._tables, palettes, strict=True):
            if one.input is PassInput.PREVIOUS:
                run_start = current
            rows = blended_rows(table, palette)
            skinned = SkinnedVertices(
                transform_positions(rows, run_start.positions), transform_normals(rows, run_start.normals)
            )
            current = skinned if one.amount is None else _interpolated(current, skinned, one.amount)
        return current

    def free(self) -> None:
        """Nothing to give back; here so that every device can be freed alike."""


def _interpolated(
    before: SkinnedVertices, after: SkinnedVertices, amount: NDArray[np.float32]
) -> SkinnedVertices:
    share = amount[:, None]
    positions = before.positions + share * (after.positions - before.positions)
    normals = before.normals + share * (after.normals - before.normals)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return SkinnedVertices(positions, np.where(length > 0, normals / np.maximum(length, 1e-30), after.normals))
