"""Random numbers as a pure function of a seed, an agent and a count: no agent's draws depend on another's.

Source: SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .fixed_point import Floats, Integers

Bits = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(bits: Bits) -> Bits:
    """Return SplitMix64's output for states (N,)."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def fractions(seed: int, agents: Integers, counts: Integers) -> Floats:
    """Return a number in [0, 1) for each agent and count; their shapes must fit each other's.

    seed: any integer; its lowest 64 bits count.
    """
    stream = mixed(_stream(seed) + (agents.astype(np.uint64) + np.uint64(1)) * GOLDEN)
    bits = mixed(stream + (counts.astype(np.uint64) + np.uint64(1)) * GOLDEN)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


@cache
def _stream(seed: int) -> Bits:
    return mixed(np.array([seed & (1 << 64) - 1], dtype=np.uint64) + GOLDEN)
