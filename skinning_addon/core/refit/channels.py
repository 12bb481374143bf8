"""A bone's motion as Blender keys it and engines blend it: translation, rotation and scale relative to rest.

    to_root(i) = channels(i) @ rest_to_root(i) @ inverse(rest_to_root(p)) @ to_root(p)      p: its parent
    to_root(i) = channels(i) @ rest_to_root(i)                                              without one

That is Blender's rule for bones that inherit everything (*Inherit Scale* Full). Rest matrices have no scale, so
a bone whose channels have no shear has none relative to its parent either, as files and engines hold it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..blending.dual_quaternion import LARGEST_PRODUCT_OF_RIGHT_ANGLES, nearest_rotations
from ..maths.quaternion import quaternions
from ..skinning.skeleton import invert_affine

ROUNDS = 12
"""Rounds of the fit of rotation and scale in turn; each brings what is left of a usual shear to a tenth."""

STANDS_STILL = 1e-13
"""A rotation whose matrix changes by no more than this in a round is found: the next one changes it by less."""


@dataclass(frozen=True, eq=False)
class Channels:
    """Values of pose channels, relative to rest; a point is scaled, then turned, then moved.

    translations: (..., 3) float64. rotations: (..., 4) float64, unit quaternions (w, x, y, z), Blender's order.
    scales: (..., 3) float64, all negative where the matrix mirrors.
    """

    translations: NDArray[np.float64]
    rotations: NDArray[np.float64]
    scales: NDArray[np.float64]

    def between(self, start: int, stop: int) -> Channels:
        """Return the frames from index `start` up to, but not including, `stop`."""
        some = slice(start, stop)
        return Channels(self.translations[some], self.rotations[some], self.scales[some])

    def moves(self) -> bool:
        """Tell whether anything changes from frame to frame."""
        parts = (self.translations, self.rotations, self.scales)
        return any(bool((one != one[:1]).any()) for one in parts)

    def matrices(self) -> NDArray[np.float64]:
        """Return row-vector matrices (..., 4, 4)."""
        w, x, y, z = np.moveaxis(self.rotations, -1, 0)
        axes = np.stack(
            (
                np.stack((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)), axis=-1),
                np.stack((2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)), axis=-1),
                np.stack((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)), axis=-1),
            ),
            axis=-2,
        )
        result = np.zeros((*axes.shape[:-2], 4, 4))
        result[..., :3, :3] = self.scales[..., :, None] * axes
        result[..., 3, :3] = self.translations
        result[..., 3, 3] = 1.0
        return result


def nearest_channels(matrices: NDArray[np.float64]) -> Channels:
    """Return the translation, rotation and scale along the bone's own axes nearest to matrices (..., 4, 4).

    Nearest by the sum of squares of what the axes lack. Without shear they are the matrices. With shear, start
    from the polar decomposition of the axes' directions, then fit lengths and rotation in turn.
    """
    axes = matrices[..., :3, :3].reshape(-1, 3, 3)
    sign = np.where(np.linalg.det(axes) < 0, -1.0, 1.0)
    axes = axes * sign[:, None, None]
    lengths = np.linalg.norm(axes, axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        directions = np.where(lengths[:, :, None] > 0, axes / lengths[:, :, None], 0.0)
    rotation = nearest_rotations(directions)
    scale = np.einsum("nij,nij->ni", axes, rotation)
    products = np.abs(directions @ directions.transpose(0, 2, 1))[:, (0, 0, 1), (1, 2, 2)].max(axis=1)
    sheared = np.flatnonzero(products > LARGEST_PRODUCT_OF_RIGHT_ANGLES)
    for _ in range(ROUNDS):
        if not len(sheared):
            break
        found = nearest_rotations(scale[sheared, :, None] * axes[sheared])
        moved = np.abs(found - rotation[sheared]).max(axis=(1, 2))
        rotation[sheared] = found
        scale[sheared] = np.einsum("nij,nij->ni", axes[sheared], found)
        sheared = sheared[moved > STANDS_STILL]
    shape = matrices.shape[:-2]
    return Channels(
        matrices[..., 3, :3].copy(),
        quaternions(rotation)[:, [3, 0, 1, 2]].reshape(*shape, 4),
        (scale * sign[:, None]).reshape(*shape, 3),
    )


def turning_the_short_way(rotations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quaternions (F, ..., 4) of the same rotations, each on the side of the one before, so that what
    lies between two frames is interpolated the short way.
    """
    turned_back = np.einsum("f...c,f...c->f...", rotations[1:], rotations[:-1]) < 0
    signs = np.cumprod(np.where(turned_back, -1.0, 1.0), axis=0)
    result = rotations.copy()
    result[1:] *= signs[..., None]
    return result


def channel_matrices(
    to_root: NDArray[np.float64], rest_to_root: NDArray[np.float64], parents: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the matrices (F, B, 4, 4) of channels, with any shear, that bring bones to to_root (F, B, 4, 4).

    Also a mask (F, B) of the bones whose parent has no inverse, as one scaled to zero; theirs are the identity.
    """
    result = np.empty_like(to_root)
    usable = np.ones(to_root.shape[:2], dtype=np.bool_)
    for bone, parent in enumerate(parents.tolist()):
        result[:, bone], usable[:, bone] = channel_matrices_under(
            to_root[:, bone],
            rest_to_root[bone],
            None if parent < 0 else (to_root[:, parent], rest_to_root[parent]),
        )
    return result, ~usable


def channel_matrices_under(
    to_root: NDArray[np.float64],
    rest_to_root: NDArray[np.float64],
    parent: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the matrices (F, 4, 4) of one bone's channels under a parent, and which frames (F,) have them.

    to_root: (F, 4, 4). rest_to_root: (4, 4). parent: its to_root and rest_to_root; None without one.
    """
    from_rest = invert_affine(rest_to_root[None])[0][0]
    if parent is None:
        return to_root @ from_rest, np.ones(len(to_root), dtype=np.bool_)
    parent_to_root, parent_rest = parent
    inverse, usable = invert_affine(parent_to_root)
    matrices = to_root @ inverse @ parent_rest @ from_rest
    matrices[~usable] = np.eye(4)
    return matrices, usable


def to_root_of_channels(
    channels: Channels, rest_to_root: NDArray[np.float64], parents: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return to_root (F, B, 4, 4) of channels (F, B, ...); parents (B,) before their children, -1 for none."""
    from_rest = invert_affine(rest_to_root)[0]
    result = channels.matrices() @ rest_to_root
    for bone, parent in enumerate(parents.tolist()):
        if parent >= 0:
            result[:, bone] = result[:, bone] @ from_rest[parent] @ result[:, parent]
    return result
