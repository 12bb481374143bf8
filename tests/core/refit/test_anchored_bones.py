"""Which bones a baked clip leaves alone: told by name, by a control at the same place, and as sockets."""

from __future__ import annotations

import numpy as np

from skinning_addon.core.refit.anchored_bones import anchored_bones
from skinning_addon.core.refit.hierarchy import AuthoredBones, choose_hierarchy

NAMES = ("head", "hips", "DEF-hand.L", "DEF-spine.006", "DEF-spine.003", "DEF-thumb.01.L", "forearm")
FRAMES = 5


def bones() -> tuple[AuthoredBones, np.ndarray]:
    """Bones in a row, 1 apart, `head` (a control, which the copy lacks) where `DEF-spine.006` is; all below
    `hips` but the control.
    """
    count = len(NAMES)
    rest = np.tile(np.eye(4), (count, 1, 1))
    rest[:, 3, 0] = [3, 0, 2, 3, 4, 5, 6]
    parents = np.array([-1, -1, 1, 1, 1, 1, 1], dtype=np.int32)
    kept = np.array([False] + [True] * (count - 1))
    authored = AuthoredBones(
        parents,
        rest,
        np.full(count, 0.5),
        kept,
        np.full(count, -1, dtype=np.int32),
        np.arange(count, dtype=np.int32),
    )
    return authored, np.tile(rest, (FRAMES, 1, 1, 1))


def anchored(to_root: np.ndarray, authored: AuthoredBones, sockets: tuple[str, ...] = ()) -> set[str]:
    hierarchy = choose_hierarchy(authored, to_root)
    marked = anchored_bones(NAMES, authored, to_root, hierarchy, sockets)
    return {name for name, one in zip(NAMES, marked, strict=True) if one}


def test_root_hand_and_what_the_head_moves():
    authored, to_root = bones()
    assert anchored(to_root, authored) == {"hips", "DEF-hand.L", "DEF-spine.006"}


def test_a_bone_that_a_control_only_stands_at_is_not_the_head():
    authored, to_root = bones()
    to_root[2:, 0, 3, 1] = 0.1
    assert anchored(to_root, authored) == {"hips", "DEF-hand.L"}


def test_sockets_are_anchored():
    authored, to_root = bones()
    assert anchored(to_root, authored, ("forearm",)) == {"hips", "DEF-hand.L", "DEF-spine.006", "forearm"}
