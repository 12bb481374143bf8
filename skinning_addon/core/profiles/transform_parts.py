"""Translation, rotation and scale: the parts that files store of a bone's matrix. Row vectors; what doesn't fit
into them is shear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..maths.quaternion import quaternion_candidates, rotation_matrices

_NOT_TURNED = np.array([0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class TransformParts:
    """translation, scale: (N, 3); rotation: (N, 4) unit quaternions (x, y, z, w). float64. A point is scaled,
    then turned.
    """

    translation: NDArray[np.float64]
    rotation: NDArray[np.float64]
    scale: NDArray[np.float64]

    def matrices(self) -> NDArray[np.float64]:
        """Return row-vector matrices (N, 4, 4)."""
        result = np.zeros((len(self.translation), 4, 4))
        result[:, :3, :3] = self.scale[:, :, None] * rotation_matrices(self.rotation)
        result[:, 3, :3] = self.translation
        result[:, 3, 3] = 1.0
        return result


def take_apart(matrices: NDArray[np.float64]) -> TransformParts:
    """Decompose row-vector matrices (N, 4, 4) as Blender's `Matrix.decompose` does.

    The scale is the length of each axis, all negative if the matrix mirrors. The rotation is read from the
    normalised axes; if those are not orthogonal, it depends on which component is divided by. The choice is
    Blender's: see Mike Day, "Converting a Rotation Matrix to a Quaternion" (Insomniac Games).
    """
    axes = matrices[:, :3, :3]
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(np.add.reduce(axes * axes, axis=2))
        unit = np.where(scale[:, :, None] > 0, axes / scale[:, :, None], 0.0)
        mirrored = np.linalg.det(unit) < 0
        if mirrored.any():
            unit[mirrored] *= -1.0
            scale[mirrored] *= -1.0
        xx, yy, zz = unit[:, 0, 0], unit[:, 1, 1], unit[:, 2, 2]
        divided_by = np.where(zz < 0, np.where(xx > yy, 0, 1), np.where(xx < -yy, 2, 3))
        _, candidates = quaternion_candidates(unit)
        chosen = candidates[np.arange(len(unit)), divided_by]
        length = np.sqrt(np.add.reduce(chosen * chosen, axis=1))[:, None]
        rotation = np.where(length > 0, chosen / length, _NOT_TURNED)
    return TransformParts(matrices[:, 3, :3].copy(), rotation, scale)


def held_as_parts(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return matrices (..., 4, 4) after storing them as translation, rotation and scale: without shear."""
    return take_apart(matrices.reshape(-1, 4, 4)).matrices().reshape(matrices.shape)


def turned_before_scaled(local: NDArray[np.float64], is_root: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the local matrices (..., B, 4, 4) that Panda3D's loader, panda3d-gltf, makes of a glTF file's.

    It takes them apart into axes of which Z keeps its direction and X stays in the plane of both, and lengths
    along these.
    """
    parts = take_apart(local.reshape(-1, 4, 4))
    turned = replace(parts, translation=np.zeros_like(parts.translation), scale=np.ones_like(parts.scale))
    scale = parts.scale.reshape(*local.shape[:-2], 3).copy()
    # Along the parent's axes; those of the armature's node are Y up in the file.
    scale[..., is_root, :] = scale[..., is_root, :][..., [0, 2, 1]]
    axes = turned.matrices()[:, :3, :3] * scale.reshape(-1, 1, 3)
    directions = _upright(axes)
    result = local.reshape(-1, 4, 4).copy()
    result[:, :3, :3] = np.einsum("nai,nai->na", axes, directions)[..., None] * directions
    return result.reshape(local.shape)


def between_axes(
    one: NDArray[np.float64], other: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what Panda3D plays between two samples (..., B, 4, 4) of `turned_before_scaled`, at a share (...)
    of the way: axes and their lengths apart, along the chord (`MovingPartMatrix::get_blend_value`).
    """
    share = share[..., None, None]
    (length, axes), (length_after, axes_after) = _lengths_and_axes(one), _lengths_and_axes(other)
    result = one + (other - one) * share[..., None]
    between = axes + (axes_after - axes) * share[..., None]
    directions = _upright(between.reshape(-1, 3, 3)).reshape(between.shape)
    result[..., :3, :3] = (length + (length_after - length) * share)[..., None] * directions
    return result


def _lengths_and_axes(matrices: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lengths (..., 3) and directions (..., 3, 3) of orthogonal axes; those of mirrored ones have a
    negative Y.
    """
    axes = matrices[..., :3, :3]
    lengths = np.linalg.norm(axes, axis=-1)
    lengths[..., 1] *= np.where(np.linalg.det(axes) < 0, -1.0, 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return lengths, np.nan_to_num(axes / lengths[..., None])


def _upright(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return right-handed axes (N, 3, 3) at right angles, of which Z keeps the direction of Z, and X stays in
    the plane of both (`unwind_zup_rotation`).
    """
    x, z = axes[:, 0], axes[:, 2]
    with np.errstate(invalid="ignore", divide="ignore"):
        along_z = np.nan_to_num(z / np.linalg.norm(z, axis=1, keepdims=True))
        across = x - np.einsum("ni,ni->n", x, along_z)[:, None] * along_z
        along_x = np.nan_to_num(across / np.linalg.norm(across, axis=1, keepdims=True))
    along_y = np.asarray(np.cross(along_z, along_x), dtype=np.float64)
    return np.stack((along_x, along_y, along_z), axis=1)
