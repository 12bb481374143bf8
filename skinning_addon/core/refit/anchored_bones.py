"""Bones that other things depend on, which a baked clip leaves where they were authored: the root, hands, feet,
head, eyes and sockets.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from ..skinning.skeleton import invert_affine
from ..text.body_part import plain_part
from .hierarchy import MOVES_AS_ONE, SAME_PLACE, AuthoredBones, GameHierarchy

ANCHORED_PARTS = frozenset({"hand", "foot", "head", "eye", "paw", "hoof"})

ROOT = "root"


def anchored_bones(
    names: Sequence[str],
    authored: AuthoredBones,
    to_root: NDArray[np.float64],
    hierarchy: GameHierarchy,
    sockets: Collection[str],
) -> NDArray[np.bool_]:
    """Mark the kept bones (B,) that stay where they were authored.

    A bone counts by its own name, or by that of a bone that begins at the same place and moves with it:
    Rigify's `DEF-spine.006` is moved by its control `head`. Roots are called so, or have bones below and none
    above them.

    names: of all B bones. to_root: (F, B, 4, 4). hierarchy: of the kept bones. sockets: names of bones that
    carry other objects.
    """
    meant = np.array([_is_meant(name, sockets) for name in names], dtype=np.bool_)
    moved = invert_affine(authored.rest_to_root)[0] @ to_root
    result = authored.kept & meant
    above = np.unique(hierarchy.parents[hierarchy.parents >= 0])
    result[hierarchy.bones[above[hierarchy.parents[above] < 0]]] = True
    for bone in np.flatnonzero(authored.kept & ~result).tolist():
        near = SAME_PLACE * authored.lengths[bone]
        there = np.linalg.norm(authored.heads - authored.heads[bone], axis=1) <= near
        result[bone] = any(
            np.abs(moved[:, other] - moved[:, bone]).max(initial=0.0) <= MOVES_AS_ONE
            for other in np.flatnonzero(meant & there).tolist()
        )
    return result


def _is_meant(name: str, sockets: Collection[str]) -> bool:
    return name in sockets or name.lower() == ROOT or plain_part(name) in ANCHORED_PARTS
