"""Helper bones, and clip bones below them, among the other bones of a copy: their names and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...core.refit.channels import Channels, turning_the_short_way
from ...core.refit.clip_bones import ClipBones
from ...core.refit.helper_bones import HungHelper
from ...core.refit.hierarchy import AuthoredBones, GameHierarchy
from ...core.skinning.skeleton import invert_affine
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
    of_joints = np.concatenate([[-1], hierarchy.bones])
    joined, extended = _with_more(
        bones,
        hierarchy,
        _Added(
            names,
            np.maximum(np.array([one.parent for one in helpers.hung], dtype=np.int32) - 1, -1),
            np.stack([one.rest_to_root for one in helpers.hung]),
            _channels(helpers.hung),
            np.stack([one.to_root for one in helpers.hung], axis=1),
            helpers.blends.mirrored,
        ),
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


def with_clip_bones(
    bones: JoinedBones, hierarchy: GameHierarchy, found: ClipBones, clips: slice
) -> tuple[JoinedBones, GameHierarchy, Mapping[str, str]]:
    """Return all bones and the hierarchy with clip bones as the last, and the name of each by its helper's.

    found: at the frames `clips` of the hierarchy; in all others they rest on their helpers.
    """
    places = (found.helpers - 1).astype(np.int32)
    helpers = [bones.names[int(bone)] for bone in hierarchy.bones[places]]
    names = _names_of_clip_bones(helpers, bones.names)
    channels = _at_rest_elsewhere(found.channels, clips, len(hierarchy.to_root))
    rest_of_helpers = bones.authored.rest_to_root[hierarchy.bones[places]]
    under = invert_affine(rest_of_helpers)[0] @ hierarchy.to_root[:, places]
    number = {helper: own for own, helper in enumerate(places.tolist())}
    of_bone = {int(bone): place for place, bone in enumerate(hierarchy.bones.tolist())}
    mirrored = [of_bone.get(int(one), -1) for one in bones.authored.mirrored[hierarchy.bones[places]]]
    joined, extended = _with_more(
        bones,
        hierarchy,
        _Added(
            names,
            places,
            found.rest_to_root,
            channels,
            channels.matrices() @ found.rest_to_root @ under,
            np.array([number.get(place, own) for own, place in enumerate(mirrored)], dtype=np.intp),
        ),
    )
    return joined, extended, dict(zip(helpers, names, strict=True))


def _at_rest_elsewhere(channels: Channels, frames: slice, count: int) -> Channels:
    """Return channels (count, N, ...) that have some of the frames, and rest at all others."""
    bones = channels.translations.shape[1]
    found = Channels(
        np.zeros((count, bones, 3)),
        np.tile((1.0, 0.0, 0.0, 0.0), (count, bones, 1)),
        np.ones((count, bones, 3)),
    )
    found.translations[frames], found.scales[frames] = channels.translations, channels.scales
    found.rotations[frames] = turning_the_short_way(channels.rotations)
    return found


@dataclass(frozen=True, eq=False)
class _Added:
    """N bones that are added. parents: their places in the hierarchy, -1 for none. channels, to_root: (F, N,
    ...). mirrored: among the N.
    """

    names: Sequence[str]
    parents: NDArray[np.int32]
    rest_to_root: NDArray[np.float64]
    channels: Channels
    to_root: NDArray[np.float64]
    mirrored: NDArray[np.integer]


def _with_more(
    bones: JoinedBones, hierarchy: GameHierarchy, added: _Added
) -> tuple[JoinedBones, GameHierarchy]:
    """Add bones behind all others."""
    authored, count = bones.authored, len(added.names)
    above = np.where(added.parents >= 0, hierarchy.bones[added.parents], -1)
    all_bones = AuthoredBones(
        np.concatenate([authored.parents, above.astype(np.int32)]),
        np.concatenate([authored.rest_to_root, added.rest_to_root]),
        np.concatenate([authored.lengths, np.full(count, LENGTH * authored.size)]),
        np.concatenate([authored.kept, np.ones(count, dtype=np.bool_)]),
        np.concatenate([authored.followed, np.full(count, -1, dtype=np.int32)]),
        np.concatenate([authored.mirrored, len(bones.names) + added.mirrored.astype(np.int32)]),
    )
    joined = replace(
        bones,
        names=(*bones.names, *added.names),
        authored=all_bones,
        to_root=np.concatenate([bones.to_root, added.to_root], axis=1),
    )
    extended = GameHierarchy(
        np.concatenate([hierarchy.bones, len(bones.names) + np.arange(count)]),
        np.concatenate([hierarchy.parents, added.parents]),
        _beside(hierarchy.channels, added.channels),
        np.concatenate([hierarchy.to_root, added.to_root], axis=1),
        np.concatenate([hierarchy.errors, np.zeros(count)]),
    )
    return joined, extended


def _channels(hung: Sequence[HungHelper]) -> Channels:
    more = [one.channels for one in hung]
    return Channels(
        np.stack([one.translations for one in more], axis=1),
        turning_the_short_way(np.stack([one.rotations for one in more], axis=1)),
        np.stack([one.scales for one in more], axis=1),
    )


def _beside(one: Channels, other: Channels) -> Channels:
    return Channels(
        np.concatenate([one.translations, other.translations], axis=1),
        np.concatenate([one.rotations, other.rotations], axis=1),
        np.concatenate([one.scales, other.scales], axis=1),
    )


def _names_of_clip_bones(helpers: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return a name that no bone has yet for the clip bone of each helper, with the side at its end as well."""
    used = set(taken)
    names = []
    for helper in helpers:
        stem, dot, side = helper.rpartition(".")
        name = f"{stem}.clip.{side}" if dot and side in ("L", "R") else f"{helper}.clip"
        while name in used:
            name += "_"
        used.add(name)
        names.append(name)
    return names


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
