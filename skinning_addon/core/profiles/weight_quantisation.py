"""Weights as engines store them: as 8-bit or 16-bit integers, with the last one left out."""

from __future__ import annotations

from enum import Enum

import numpy as np

from ..skinning.skin import BoneSkin


class WeightFormat(Enum):
    """How a weight is stored; an unsigned normalised number of b bits is a whole multiple of 1 / (2^b - 1)."""

    F32 = "f32"
    UNORM16 = "unorm16"
    UNORM8 = "unorm8"

    @property
    def steps(self) -> int | None:
        """The largest integer, which stands for 1; None for floating point."""
        return {WeightFormat.F32: None, WeightFormat.UNORM16: 0xFFFF, WeightFormat.UNORM8: 0xFF}[self]


class Rounding(Enum):
    """How a weight becomes a whole number of steps."""

    NEAREST = "nearest"
    TRUNCATE = "truncate"


def quantised(skin: BoneSkin, weight_format: WeightFormat, rounding: Rounding) -> BoneSkin:
    """Clamp every weight to 0 to 1 and round it to `weight_format`. Weights that become 0 stay in the
    skin.
    """
    steps = weight_format.steps
    if steps is None:
        return skin
    # In float32, as the engines multiply.
    scaled = np.clip(skin.weights * np.float32(steps), np.float32(0), np.float32(steps))
    whole = np.floor(scaled) if rounding is Rounding.TRUNCATE else np.floor(scaled + np.float32(0.5))
    return skin.with_weights(whole / np.float32(steps))


def last_implied(skin: BoneSkin) -> BoneSkin:
    """Replace every vertex's last weight by one minus the others."""
    last = skin.starts[1:][skin.counts > 0] - 1
    weights = skin.weights.copy()
    weights[last] = 0
    owner = skin.vertex_of_influence
    others = np.bincount(owner, weights=weights, minlength=skin.vertex_count)
    weights[last] = (1 - others[skin.counts > 0]).astype(np.float32)
    return skin.with_weights(weights)
