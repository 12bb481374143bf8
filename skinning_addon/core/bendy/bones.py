"""Bendy bones: one bone that bends in segments, as several joints.

A bone of s segments has s + 1 joints: at its head, between the segments and at its tail. The two joints
around a vertex share its weight: for a vertex a fraction f of a segment beyond joint i, its weight w becomes
(1 - f) w on joint i and f w on joint i + 1. The shares depend on the rest pose and on the positions that go
into the pass, never on the pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..skinning.skin import BoneSkin, Skin


@dataclass(frozen=True, eq=False)
class SegmentLocations:
    """The locations of influences along their bones.

    segment: (N,) int32, 0 to s - 1. blend: (N,) float64, 0 at the segment's start to 1 at its end.
    """

    segment: NDArray[np.int32]
    blend: NDArray[np.float64]


def straight_locations(
    along: NDArray[np.float64], length: NDArray[np.float64], segments: NDArray[np.int32]
) -> SegmentLocations:
    """Place influences by their distance along the straight rest bone (Blender's Straight mapping).

    along: (N,) y coordinate in the bone's rest space. length, segments: (N,) of each influence's bone.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        location = np.where(length > 0, along / length, 0.0)
    location = np.clip(location, 0.0, 1.0) * segments
    segment = np.minimum(location.astype(np.int32), segments - 1)
    return SegmentLocations(segment, location - segment.astype(np.float64))


@dataclass(frozen=True, eq=False)
class JointNumbers:
    """The joint numbers of bones.

    first: (B,) int32, the first joint of each bone, -1 if it has none; its other joints follow.
    bone, segment: (J,) int32, the reverse, with joint 0 = (-1, 0).
    """

    first: NDArray[np.int32]
    bone: NDArray[np.int32]
    segment: NDArray[np.int32]


def number_joints(bones: NDArray[np.integer], segments: NDArray[np.int32]) -> JointNumbers:
    """Number the joints of `bones` from 1: one for a plain bone, s + 1 for one of s > 1 segments.

    bones: ascending bone indices. segments: (B,) of all bones.
    """
    counts = np.where(segments[bones] > 1, segments[bones] + 1, 1)
    starts = np.cumsum(np.concatenate(([1], counts)))[:-1]
    first = np.full(len(segments), -1, dtype=np.int32)
    first[bones] = starts
    bone = np.concatenate(([-1], np.repeat(bones, counts))).astype(np.int32)
    segment = np.arange(len(bone)) - np.concatenate(([0], np.repeat(starts, counts)))
    return JointNumbers(first, bone, segment.astype(np.int32))


def split_over_joints(
    bone_skin: BoneSkin, numbers: JointNumbers, bendy: NDArray[np.intp], locations: SegmentLocations
) -> Skin:
    """Turn a skin over bones into one over a palette's joints.

    bendy: (K,), the influences of `bone_skin` that belong to bendy bones. locations: (K,), theirs along
    the bones.
    Influences of bones without joints are dropped. Zero shares make no influence. Order is kept, the nearer
    joint first.
    """
    kept = numbers.first[bone_skin.bones] >= 0
    near = numbers.first[bone_skin.bones].astype(np.int32)
    if not len(bendy) and kept.all():
        return Skin(bone_skin.starts, near, bone_skin.weights)
    near[bendy] += locations.segment
    near_share = np.ones(len(near))
    near_share[bendy] = 1 - locations.blend
    far_share = np.zeros(len(near))
    far_share[bendy] = locations.blend
    joints = np.stack((near, near + 1), axis=1)
    weights = bone_skin.weights[:, None] * np.stack((near_share, far_share), axis=1)
    # A zero weight stored in a group stays: Blender's own values are kept, only empty shares are left out.
    present = kept[:, None] & np.stack((near_share > 0, far_share > 0), axis=1)
    owner = np.broadcast_to(bone_skin.vertex_of_influence[:, None], present.shape)
    return Skin.from_entries(owner[present], joints[present], weights[present], bone_skin.vertex_count)
