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

from .dual_quaternion import VolumePalette, apply_dual_quaternion, dual_part, rotate
from .mesh import SourceMesh
from .palette import Palette, Pass, PassInput
from .skin import Skin

AnyPalette = Palette | VolumePalette

VERTICES_PER_BLOCK = 8192
"""12 floats for each stay within the second-level cache."""


@dataclass(frozen=True, eq=False)
class SkinnedVertices:
    """positions, normals: (V, 3) float32, mesh space."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


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


def blended_volume(
    table: SlotTable, palette: VolumePalette, before: SkinnedVertices
) -> SkinnedVertices:
    """Skin by dual quaternions with Blender's volume, see `dual_quaternion`; mesh space in and out.

    The scale of the joints moves positions; normals are turned by the blended rotation alone.
    """
    into, back = palette.mesh_to_root, palette.root_to_mesh
    positions = (before.positions @ into[:3, :3] + into[3, :3])[table.order]
    rows = palette.skinning[:, :, :3].transpose(0, 2, 1)
    moved, turn = np.empty_like(positions), np.empty((len(positions), 4), dtype=np.float32)
    for start in range(0, len(positions), VERTICES_PER_BLOCK):
        block = slice(start, start + VERTICES_PER_BLOCK)
        moved[block], turn[block] = _volume_block(table, palette, rows, positions[block], start)
    result, rotation = np.empty_like(moved), np.empty_like(turn)
    result[table.order] = moved @ back[:3, :3] + back[3, :3]
    rotation[table.order] = turn
    normals = before.normals @ cofactors(back[:3, :3].T)
    normals = rotate(rotation, normals) @ cofactors(into[:3, :3].T)
    return SkinnedVertices(result, _normalised(normals, before.normals))


def _volume_block(
    table: SlotTable,
    palette: VolumePalette,
    rows: NDArray[np.float32],
    positions: NDArray[np.float32],
    start: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    real = np.zeros((len(positions), 4), dtype=np.float32)
    dual = np.zeros((len(positions), 4), dtype=np.float32)
    for joints, weights in zip(table.joints, table.weights, strict=True):
        part = slice(start, min(start + VERTICES_PER_BLOCK, len(joints)))
        count = part.stop - part.start
        if count <= 0:
            break
        joint, here = joints[part], positions[:count]
        rotation = palette.rotation[joint]
        target = np.einsum("vrc,vc->vr", rows[joint][:, :, :3], here) + rows[joint][:, :, 3]
        # Against the running sum: sorted influences, or signs taken against the first, blend other ways round.
        sign = np.where(np.einsum("vc,vc->v", rotation, real[:count]) < 0, -1, 1).astype(np.float32)
        weighted = rotation * (weights[part] * sign)[:, None]
        real[:count] += weighted
        dual[:count] += dual_part(target - rotate(rotation, here), weighted)
    return apply_dual_quaternion(real, dual, positions)


def transform_positions(rows: NDArray[np.float32], positions: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move each position by its own matrix: rows (V, 3, 4), positions (V, 3) -> (V, 3) float32."""
    return np.einsum("vrc,vc->vr", rows[:, :, :3], positions) + rows[:, :, 3]


def transform_normals(rows: NDArray[np.float32], normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Turn each normal by the cofactors of its own matrix, and make it unit length again.

    rows (V, 3, 4), normals (V, 3) -> (V, 3) float32. The cofactors are the inverse transpose times the determinant:
    right under non-uniform scale, and defined even where a bone is scaled to zero along one axis. A normal that
    collapses (a bone scaled to zero) stays as it was.
    """
    turned = np.einsum("vrc,vc->vr", cofactors(rows[:, :, :3]), normals)
    return _normalised(turned, normals)


def cofactors(linear: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cofactor matrices of (..., 3, 3)."""
    x, y, z = linear[..., 0, :], linear[..., 1, :], linear[..., 2, :]
    return np.stack((np.cross(y, z), np.cross(z, x), np.cross(x, y)), axis=-2)


def _normalised(vectors: NDArray[np.float32], instead: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(length > 0, vectors / length, instead).astype(np.float32)


class SoftwareSkinner:
    """Runs a chain of passes on the CPU; keeps what does not depend on the pose."""

    technique = "software"
    device = "cpu"

    def __init__(self, passes: tuple[Pass, ...], mesh: SourceMesh) -> None:
        self._passes = passes
        self._rest = SkinnedVertices(mesh.positions, mesh.normals)
        self._tables = tuple(slot_table(one.skin) for one in passes)

    def skin(self, palettes: tuple[AnyPalette, ...]) -> SkinnedVertices:
        """Skin the mesh, with one palette a pass in the order of the passes."""
        run_start = current = self._rest
        for one, table, palette in zip(self._passes, self._tables, palettes, strict=True):
            if one.input is PassInput.PREVIOUS:
                run_start = current
            skinned = _skinned_by(table, palette, run_start)
            current = skinned if one.amount is None else _interpolated(current, skinned, one.amount)
        return current

    def free(self) -> None:
        """Nothing to give back; here so that every device can be freed alike."""


def _skinned_by(table: SlotTable, palette: AnyPalette, before: SkinnedVertices) -> SkinnedVertices:
    if isinstance(palette, VolumePalette):
        return blended_volume(table, palette, before)
    rows = blended_rows(table, palette)
    return SkinnedVertices(
        transform_positions(rows, before.positions), transform_normals(rows, before.normals)
    )


def _interpolated(
    before: SkinnedVertices, after: SkinnedVertices, amount: NDArray[np.float32]
) -> SkinnedVertices:
    share = amount[:, None]
    positions = before.positions + share * (after.positions - before.positions)
    normals = before.normals + share * (after.normals - before.normals)
    return SkinnedVertices(positions, _normalised(normals, after.normals))
