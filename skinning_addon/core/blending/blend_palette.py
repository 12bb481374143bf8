"""The palette for each kind of blending; chosen only here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from ..skinning.joints import Joints
from ..skinning.palette import Palette, final_matrices
from ..skinning.passes import Blend
from ..skinning.pose import Pose
from .dual_quaternion import DualQuaternionPalette, dual_quaternion_palette
from .volume_palette import VolumePalette, volume_palette

AnyPalette = Palette | VolumePalette | DualQuaternionPalette


def palette_of(
    blend: Blend,
    joints: Joints,
    pose: Pose,
    mesh_to_root: NDArray[np.float64],
    root_to_mesh: NDArray[np.float64],
    *,
    unmoved: NDArray[np.float64] | None = None,
) -> AnyPalette:
    """Return the palette for this blend, rounded to float32 once.

    joints: with the offsets of the instant. mesh_to_root, root_to_mesh: (4, 4) float64, the mesh's transform at
    that instant. unmoved: (4, 4), what happens to vertices without influences if a file holds the mesh in
    another place, so that the two are not each other's inverse.

    Raises:
        InvalidArrayError: the pose has different joints.
    """
    if blend is Blend.LINEAR:
        # The joints' offsets are for the mesh's transform at rest, which differs for a part carried by a bone.
        return final_matrices(joints, pose, root_to_mesh, unmoved)
    return _PALETTE_OF_DUAL_BLEND[blend](joints, pose, mesh_to_root, root_to_mesh)


_PALETTE_OF_DUAL_BLEND: Mapping[
    Blend,
    Callable[[Joints, Pose, NDArray[np.float64], NDArray[np.float64]], VolumePalette | DualQuaternionPalette],
] = {
    Blend.VOLUME: volume_palette,
    Blend.DUAL_QUATERNION: dual_quaternion_palette,
}
"""These blend in root space, to which joint 0 takes vertices too."""
