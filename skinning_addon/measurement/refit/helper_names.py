"""Helper bones among the other bones of a copy: their names, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...core.refit.channels import Channels, turning_the_short_way
from ...core.refit.helper_bones import HungHelper
from ...core.refit.hierarchy import AuthoredBones, GameHierarchy
from ...scene.refit.plan import Drivers
from .helper_fit import Helpers
from .joined_bones import JoinedBones

LENGTH = 0.03
"""Of a helper bone, as a part of the rig's size: no more than a handle."""


def with_helpers(
    bones: JoinedBones, hierarchy: GameHierarchy, helpers: Helpers
) -> tuple[JoinedBones, GameHierarchy, Mapping[str, Drivers]]:
    """Return all bones and the hierarchy with helpers as the last, and the drivers of each by its name."""
    if not helpers.hung:
        return bones, hierarchy, {}
    names = _names(helpers, bones.names)
    authored, count = bones.authored, len(helpers.hung)
    of_joints = np.concatenate([[-1], hierarchy.bones])
    above = np.array([one.parent for one in helpers.hung], dtype=np.intp)
    all_bones = AuthoredBones(
        np.concatenate([authored.parents, np.where(above > 0, of_joints[above], -1).astype(np.int32)]),
        np.concatenate([authored.rest_to_root, np.stack([one.rest_to_root for one in helpers.hung])]),
        np.concatenate([authored.lengths, np.full(count, LENGTH * authored.size)]),
        np.concatenate([authored.kept, np.ones(count, dtype=np.bool_)]),
        np.concatenate([authored.followed, np.full(count, -1, dtype=np.int32)]),
        np.concatenate([authored.mirrored, len(bones.names) + helpers.blends.mirrored.astype(np.int32)]),
    )
    moved = np.stack([one.to_root for one in helpers.hung], axis=1)
    joined = replace(
        bones,
        names=(*bones.names, *names),
        authored=all_bones,
        to_root=np.concatenate([bones.to_root, moved], axis=1),
    )
    extended = GameHierarchy(
        np.concatenate([hierarchy.bones, len(bones.names) + np.arange(count)]),
        np.concatenate([hierarchy.parents, np.where(above > 0, above - 1, -1).astype(np.int32)]),
        _channels(hierarchy.channels, helpers.hung),
        np.concatenate([hierarchy.to_root, moved], axis=1),
        np.concatenate([hierarchy.errors, np.zeros(count)]),
    )
    drivers = {
        name: Drivers(_shares(shares, of_joints, bones.names), bool(keeps_volume))
        for name, shares, keeps_volume in zip(
            names, helpers.blends.shares, helpers.blends.keeps_volume, strict=True
        )
    }
    return joined, extended, drivers


def _shares(
    shares: NDArray[np.float64], of_joints: NDArray[np.intp], names: Sequence[str]
) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-shares, kind="stable")[: int((shares > 0).sum())]
    return tuple((names[int(of_joints[joint])], float(shares[joint])) for joint in order.tolist())


def _channels(channels: Channels, hung: Sequence[HungHelper]) -> Channels:
    more = [one.channels for one in hung]
    rotations = turning_the_short_way(np.stack([one.rotations for one in more], axis=1))
    return Channels(
        np.concatenate([channels.translations, np.stack([one.translations for one in more], axis=1)], axis=1),
        np.concatenate([channels.rotations, rotations], axis=1),
        np.concatenate([channels.scales, np.stack([one.scales for one in more], axis=1)], axis=1),
    )


def _names(helpers: Helpers, taken: Sequence[str]) -> list[str]:
    """Return names that no bone has yet; pairs have the side at their end, where Blender looks for it."""
    used = set(taken)
    names = [""] * len(helpers.hung)
    number = 0
    for index, other in enumerate(helpers.blends.mirrored.tolist()):
        if names[index]:
            continue
        while True:
            number += 1
            stem = f"helper.{number:02}"
            if not used & {stem, f"{stem}.L", f"{stem}.R"}:
                break
        if other == index:
            names[index] = stem
            continue
        left = helpers.hung[index].rest_to_root[3, 0] >= 0
        names[index], names[other] = (f"{stem}.{side}" for side in ("LR" if left else "RL"))
    return names
