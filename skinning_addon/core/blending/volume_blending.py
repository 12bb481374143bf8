"""Preserve Volume blending on the CPU; see `volume_palette` for the maths.

The dual part of a joint is linear in the position: 0.5 * (M v - R v) * q. So a joint's motion is 20 numbers,
its quaternion and the 4 x 4 matrix that makes its dual part of (x, y, z, 1), and blending adds up motions
(`motion_blending`). In a pose without scale the dual part is the same everywhere, and a motion is 8 numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..maths.quaternion import dual_part, rotate
from ..maths.vectors import transformed
from .motion_blending import BlendedMotion, Motions, RootSpace, Signs, blended_motion
from .pass_layout import Chunk, PassLayout, by_chunks, coordinates_of
from .volume_palette import VolumePalette

NO_SCALE = 5e-7
"""The largest M - R that rounding leaves without scale. Blender drops much larger scales, see
`volume_palette`."""


def volume_positions(
    layout: PassLayout, palette: VolumePalette, positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Skin positions (V, 3), mesh space -> (V, 3) float32, mesh space."""
    motions = Motions.of_joints(_shortest(joint_motions(palette), palette.mesh_to_root))
    space = RootSpace(palette.mesh_to_root, palette.root_to_mesh)

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        motion = blended_motion(layout, chunk, motions, Signs.RUNNING_SUM)
        return (_moved(motion, positions, chunk, space),)

    return by_chunks(layout.suited_to(motions.values), job, (3,))[0]


def volume_vertices(
    layout: PassLayout, palette: VolumePalette, positions: NDArray[np.float32], normals: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Skin positions and normals, (V, 3) each.

    The scale of the joints moves positions; normals are turned by the blended rotation alone.
    """
    motions = Motions.of_joints(_shortest(joint_motions(palette), palette.mesh_to_root))
    space = RootSpace(palette.mesh_to_root, palette.root_to_mesh)

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        motion = blended_motion(layout, chunk, motions, Signs.RUNNING_SUM)
        return _moved(motion, positions, chunk, space), space.turned(motion.rotation, normals, chunk)

    moved, turned = by_chunks(layout.suited_to(motions.values), job, (3, 3))
    return moved, turned


def joint_motions(palette: VolumePalette) -> NDArray[np.float32]:
    """Return (J, 20) float32: each joint's quaternion, then, row by row, the matrix (4, 4) from (x, y, z, 1) in
    mesh space to its dual part.
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


def _shortest(motions: NDArray[np.float32], mesh_to_root: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return motions (J, 8), each a quaternion and a dual part, if no joint scales; otherwise those given,
    (J, 20).
    """
    by_axis = np.abs(motions[:, 4:16].reshape(-1, 3, 4)).max(axis=(0, 2))
    if (by_axis > NO_SCALE * np.linalg.norm(mesh_to_root[:3, :3], axis=1)).any():
        return motions
    return np.concatenate((motions[:, :4], motions[:, 16:]), axis=1)


def _moved(
    motion: BlendedMotion, positions: NDArray[np.float32], chunk: Chunk, space: RootSpace
) -> NDArray[np.float32]:
    before = coordinates_of(positions, chunk)
    dual = motion.rest
    if len(dual) > len(motion.rotation):
        dual = transformed(dual.reshape(4, 4, -1).transpose(1, 0, 2), before)
    return space.moved(motion.rotation, dual * motion.inverse_length, before)
