"""How far the bones of a baked clip are from where they were authored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.blending.dual_quaternion import nearest_rotations


@dataclass(frozen=True)
class BoneDrift:
    """The most over all frames. distance: of the bone's head, in the armature's unit. degrees: by which it is
    turned.
    """

    bone: str
    distance: float
    degrees: float


def drifts(
    names: Sequence[str], authored: NDArray[np.float64], baked: NDArray[np.float64]
) -> tuple[BoneDrift, ...]:
    """Compare bones' to_root (F, B, 4, 4), and return those with the most distance first."""
    if not authored.size:
        return ()
    away = np.linalg.norm(baked[..., 3, :3] - authored[..., 3, :3], axis=2).max(axis=0)
    one, other = (nearest_rotations(to_root[..., :3, :3].reshape(-1, 3, 3)) for to_root in (authored, baked))
    # By the sine of half the angle, which is exact for small ones.
    half = np.linalg.norm(one - other, axis=(1, 2)) / np.sqrt(8)
    turned = np.degrees(2 * np.arcsin(np.minimum(half, 1.0))).reshape(authored.shape[:2]).max(axis=0)
    found = [
        BoneDrift(name, float(distance), float(degrees))
        for name, distance, degrees in zip(names, away, turned, strict=True)
    ]
    return tuple(sorted(found, key=lambda bone: (-bone.distance, -bone.degrees)))
