"""Blending by dual quaternions on the CPU, see `dual_quaternion` for what it computes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .dual_quaternion import DualQuaternionPalette
from .motion_blending import BlendedMotion, Motions, RootSpace, Signs, blended_motion
from .pass_layout import Chunk, PassLayout, by_chunks, coordinates_of


def dual_quaternion_positions(
    layout: PassLayout, palette: DualQuaternionPalette, positions: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Skin positions (V, 3), mesh space -> (V, 3) float32, mesh space."""
    motions, space = _motions(palette), RootSpace(palette.mesh_to_root, palette.root_to_mesh)

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        motion = blended_motion(layout, chunk, motions, Signs.PIVOT)
        return (_moved(motion, positions, chunk, space),)

    return by_chunks(layout.suited_to(motions.values), job, (3,))[0]


def dual_quaternion_vertices(
    layout: PassLayout,
    palette: DualQuaternionPalette,
    positions: NDArray[np.float32],
    normals: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Skin positions and normals, (V, 3) each; normals are turned by the blended rotation, as published."""
    motions, space = _motions(palette), RootSpace(palette.mesh_to_root, palette.root_to_mesh)

    def job(_: int, chunk: Chunk) -> tuple[NDArray[np.float32], ...]:
        motion = blended_motion(layout, chunk, motions, Signs.PIVOT)
        return _moved(motion, positions, chunk, space), space.turned(motion.rotation, normals, chunk)

    moved, turned = by_chunks(layout.suited_to(motions.values), job, (3, 3))
    return moved, turned


def _motions(palette: DualQuaternionPalette) -> Motions:
    return Motions.of_joints(palette.rows().reshape(-1, 8))


def _moved(
    motion: BlendedMotion, positions: NDArray[np.float32], chunk: Chunk, space: RootSpace
) -> NDArray[np.float32]:
    dual = motion.rest * motion.inverse_length
    return space.moved(motion.rotation, dual, coordinates_of(positions, chunk))
