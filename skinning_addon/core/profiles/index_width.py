"""Joint indices too narrow for a palette, and the skin that results."""

from __future__ import annotations

import numpy as np

from ..skinning.joints import NO_BONE
from ..skinning.skin import Skin
from .profile import PaletteLimits


def may_be_too_narrow(limits: PaletteLimits) -> bool:
    """Tell whether a draw call may have more joints than its indices can address.

    Indices count the joints of one draw call: an engine that draws with 256 at once gets by with 8 bits,
    however many joints a mesh has.
    """
    return limits.entries is None or limits.entries > 1 << limits.index_bits


def wrapped_indices(skin: Skin, limits: PaletteLimits) -> Skin:
    """Return a skin with joint indices truncated to their lower bits, as happens when a number is stored in
    too few bits: with 8 bits, joint 256 becomes joint 0. Joints are counted in palette order, without the
    first, "no bone".
    """
    if not may_be_too_narrow(limits) or int(skin.joints.max(initial=0)) <= 1 << limits.index_bits:
        return skin
    wrapped = 1 + (skin.joints - 1) % (1 << limits.index_bits)
    return Skin(skin.starts, np.where(skin.joints == NO_BONE, NO_BONE, wrapped), skin.weights)
