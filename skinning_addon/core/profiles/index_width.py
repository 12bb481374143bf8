"""Joint indices that are too narrow for a palette, and what is skinned with them."""

from __future__ import annotations

import numpy as np

from ..skinning.palette import NO_BONE
from ..skinning.skin import Skin
from .profile import PaletteLimits


def may_be_too_narrow(limits: PaletteLimits) -> bool:
    """Tell whether a draw call may have more joints than its indices count.

    Indices count the joints of one draw call: an engine that draws with 256 at once gets by with 8 bits, however many
    joints a mesh has.
    """
    return limits.entries is None or limits.entries > 1 << limits.index_bits


def wrapped_indices(skin: Skin, limits: PaletteLimits) -> Skin:
    """Return a skin with the joints that its vertices find where indices keep their lower bits alone.

    So does a number that is stored in fewer bits than it needs: with 8 of them joint 256 is taken for joint 0. Joints are
    counted as they stand in the palette, without the first, which is no bone.
    """
    if not may_be_too_narrow(limits) or int(skin.joints.max(initial=0)) <= 1 << limits.index_bits:
        return skin
    wrapped = 1 + (skin.joints - 1) % (1 << limits.index_bits)
    return Skin(skin.starts, np.where(skin.joints == NO_BONE, NO_BONE, wrapped), skin.weights)
