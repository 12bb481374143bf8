"""The stages that change weights, applied to Blender's skin over bones.

A vertex without influences stays in its rest position: Blender leaves it there, and Blender's glTF exporter
gives it a neutral bone. A vertex whose influences have zero weight is different: the importer's rule decides.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..maths.once import Once, each_time
from ..skinning.joints import NO_BONE
from ..skinning.skin import SMALLEST_MOVING_SUM, BoneSkin, RuledSkin, Skin
from .influence_limit import (
    Keep,
    Normalise,
    largest_first,
    limited,
    normalised_after,
    summing_to_one,
    without_small,
)
from .profile import (
    AllZero,
    Exporter,
    FileFormat,
    Importer,
    PaletteLimits,
    Profile,
    QuantiseWhen,
    ShaderNormalise,
)
from .weight_quantisation import last_implied, quantised

GLTF_SMALLEST_WEIGHT = 1e-4
"""Blender's glTF exporter drops weights up to this (io_scene_gltf2, blender/exp/primitive_extract.py)."""


@dataclass(frozen=True)
class WeightRule:
    """A profile's treatment of one armature modifier's weights."""

    profile: Profile

    @property
    def key(self) -> Hashable:
        """All stages of the profile that the rule consists of."""
        one = self.profile
        return one.exporter, one.importer, one.weights, one.palette, one.shader.normalise.value

    @property
    def is_by_vertex(self) -> bool:
        """Whether what happens to a vertex depends on its own weights alone, and not on a mesh's joints, or on
        the most influences that any of its vertices has.
        """
        return self.profile.palette.rest_at is None and self.profile.importer.keep is not Keep.LAST_SET

    def __call__(self, skin: BoneSkin, once: Once = each_time) -> RuledSkin:
        """Run the stages on weights as stored in Blender. once: shares what other rules make of them."""
        profile, stored = self.profile, skin
        exporter = profile.exporter
        key = ("exported", skin, exporter.format.value, exporter.influences)
        file = once(key, lambda: exported(skin, exporter))
        skin = within_palette(file, packed(imported(file, profile), profile), profile.palette)
        if profile.shader.normalise is not ShaderNormalise.NEVER:
            skin = summing_to_one(skin)
        lacking = np.where(skin.counts > 0, 1 - skin.weight_sums, 0.0)
        # A difference from one that is only rounding is not missing weight.
        missing = np.where(np.abs(lacking) > 1e-6, lacking, 0.0).astype(np.float32)
        return RuledSkin(skin, missing, dropped_share(stored, skin))

    def over_joints(self, skin: Skin) -> Skin:
        """Run the stages on a palette's skin, as if each joint were a bone of the file. Vertices on joint 0,
        "no bone", come out without influences.
        """
        moved = skin.kept(skin.joints != NO_BONE)
        ruled = self(BoneSkin(moved.starts, moved.joints - 1, moved.weights)).skin
        return Skin(ruled.starts, ruled.bones + 1, ruled.weights)


def dropped_share(before: BoneSkin, after: BoneSkin) -> NDArray[np.float32]:
    """Return the share (V,) of each vertex's weight in influences that have none afterwards."""
    sums = before.weight_sums
    moving = sums > SMALLEST_MOVING_SUM
    count = int(max(before.bones.max(initial=0), after.bones.max(initial=0))) + 1
    kept = after.weights > 0
    # A sentinel ends the list. `np.isin` takes several times as long for nearly sorted input.
    left = np.sort(after.vertex_of_influence[kept].astype(np.int64) * count + after.bones[kept])
    left = np.append(left, np.iinfo(np.int64).max)
    asked = before.vertex_of_influence.astype(np.int64) * count + before.bones
    lost = left[np.searchsorted(left, asked)] != asked
    weight = np.bincount(before.vertex_of_influence, before.weights * lost, minlength=before.vertex_count)
    share = np.divide(weight, sums, out=np.zeros(before.vertex_count), where=moving)
    return share.astype(np.float32)


def exported(skin: BoneSkin, exporter: Exporter) -> BoneSkin:
    """Return the skin as one of Blender's exporters writes it.

    glTF: weights above 1e-4, largest first, up to the limit, divided by the sum of those kept.
    FBX: all non-zero weights, unchanged. USD: all non-zero weights, divided by their sum; a vertex without any
    has one of weight 0. No file: weights that add up to one, as Blender deforms with them.
    """
    if exporter.format is FileFormat.GLTF:
        skin = largest_first(without_small(skin, GLTF_SMALLEST_WEIGHT))
        if exporter.influences is not None:
            skin = limited(skin, exporter.influences, Keep.FIRST)
        return summing_to_one(skin)
    if exporter.format is FileFormat.USD:
        return _with_one_each(summing_to_one(without_small(skin, 0.0)))
    if exporter.format is FileFormat.FBX:
        skin = without_small(skin, 0.0)
        return skin if exporter.influences is None else limited(skin, exporter.influences, Keep.LARGEST)
    moving = skin.weight_sums > SMALLEST_MOVING_SUM
    return summing_to_one(skin.kept(moving[skin.vertex_of_influence] & (skin.weights != 0)))


def imported(skin: BoneSkin, profile: Profile) -> BoneSkin:
    """Return the skin after the engine's importer."""
    importer = profile.importer
    cut = skin if importer.minimum_weight <= 0 else without_small(skin, importer.minimum_weight)
    if importer.influences is not None:
        cut = limited(cut, importer.influences, importer.keep)
    cut = _as_before_where_empty(skin, cut)
    if profile.weights.quantise is QuantiseWhen.BEFORE_NORMALISING:
        cut = quantised(cut, profile.weights.format, profile.weights.rounding)
    if importer.normalise is Normalise.NEVER:
        return _without_weight(cut, importer)
    return _without_weight(normalised_after(skin, cut, importer.normalise), importer)


def packed(skin: BoneSkin, profile: Profile) -> BoneSkin:
    """Return the weights as the engine stores them for its shader."""
    weights = profile.weights
    if weights.quantise is QuantiseWhen.AFTER_NORMALISING:
        skin = quantised(skin, weights.format, weights.rounding)
    return last_implied(skin) if weights.last_implied else skin


def within_palette(file: BoneSkin, skin: BoneSkin, limits: PaletteLimits) -> BoneSkin:
    """Return a skin in which vertices that use a joint beyond the palette have no influences.

    Joints are numbered in file order: a joint that later loses all its influences keeps its
    number.

    file: the skin as exported.
    """
    if limits.rest_at is None:
        return skin
    numbers = np.unique(file.bones)
    # Joint numbers rise with bone indices, so comparing with the first bone beyond the palette is enough.
    if len(numbers) <= limits.rest_at:
        return skin
    owner = skin.vertex_of_influence
    at_rest = np.zeros(skin.vertex_count, dtype=bool)
    at_rest[owner[skin.bones >= numbers[limits.rest_at]]] = True
    return skin.kept(~at_rest[owner])


def _with_one_each(skin: BoneSkin) -> BoneSkin:
    """Give vertices without influences one of weight 0: the file has as many influences for every vertex."""
    empty = np.flatnonzero(skin.counts == 0)
    if not len(empty):
        return skin
    return BoneSkin.from_entries(
        np.concatenate((skin.vertex_of_influence, empty)),
        np.concatenate((skin.bones, np.zeros(len(empty), dtype=np.int32))),
        np.concatenate((skin.weights, np.zeros(len(empty), dtype=np.float32))),
        skin.vertex_count,
    )


def _as_before_where_empty(before: BoneSkin, after: BoneSkin) -> BoneSkin:
    """Give a vertex that lost all of its influences one of weight 0, to tell it from one that never had
    any.
    """
    emptied = np.flatnonzero((before.counts > 0) & (after.counts == 0))
    if not len(emptied):
        return after
    return BoneSkin.from_entries(
        np.concatenate((after.vertex_of_influence, emptied)),
        np.concatenate((after.bones, before.bones[before.starts[emptied]])),
        np.concatenate((after.weights, np.zeros(len(emptied), dtype=np.float32))),
        after.vertex_count,
    )


def _without_weight(skin: BoneSkin, importer: Importer) -> BoneSkin:
    """Apply the rule for vertices whose influences have zero weight."""
    empty = (skin.counts > 0) & (skin.weight_sums == 0)
    if importer.all_zero is AllZero.ORIGIN or not empty.any():
        return skin
    kept = ~empty[skin.vertex_of_influence]
    vertices, bones, weights = skin.vertex_of_influence[kept], skin.bones[kept], skin.weights[kept]
    if importer.all_zero is AllZero.FIRST_JOINT:
        given = np.flatnonzero(empty)
        vertices = np.concatenate((vertices, given))
        bones = np.concatenate((bones, np.zeros(len(given), dtype=np.int32)))
        weights = np.concatenate((weights, np.ones(len(given), dtype=np.float32)))
    return BoneSkin.from_entries(vertices, bones, weights, skin.vertex_count)
