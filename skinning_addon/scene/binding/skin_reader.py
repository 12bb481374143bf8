"""The influences of one pass: groups, envelopes and bendy bone segments, as Skin and Joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.bendy.bones import (
    JointNumbers,
    SegmentLocations,
    number_joints,
    split_over_joints,
    straight_locations,
)
from ...core.bendy.curved_mapping import RestCurves, curved_locations
from ...core.bendy.envelope import multiplied_by_envelopes, with_envelopes_where_ungrouped
from ...core.maths.once import Once, each_time
from ...core.profiles.origin_joint import with_origin_joint
from ...core.profiles.ruled_together import RuledTogether
from ...core.skinning.joints import Joints
from ...core.skinning.passes import FollowingWeights
from ...core.skinning.skeleton import invert_affine
from ...core.skinning.skin import BoneSkin, Influences, Skin, moving_counts
from ..armatures.armature_reader import ArmatureReader
from ..meshes.vertex_group_reader import Memberships


@dataclass(frozen=True, eq=False)
class PassSkin:
    """The skin of one pass and the joints that it uses.

    positional: whether the weights depend on the vertices' positions at the start of the pass, as with
    envelopes and bendy bones. If an earlier pass moves the vertices, such weights change from frame to frame.
    dropped, authored_counts: see `Pass`.
    """

    skin: Skin
    joints: Joints
    positional: bool
    dropped: NDArray[np.float32] | None = None
    authored_counts: NDArray[np.int32] | None = None


def grouped_weights(
    memberships: Memberships, group_names: Sequence[str], reader: ArmatureReader, once: Once = each_time
) -> BoneSkin:
    """Return the weights from vertex groups, by bone, before envelopes and bendy bones."""

    def read() -> BoneSkin:
        names = reader.skeleton.names
        deforming = {name: bone for bone, name in enumerate(names) if reader.deforms[bone]}
        return memberships.bone_skin(group_names, deforming)

    key = ("grouped", memberships, tuple(group_names), reader.skeleton, reader.deforms_key)
    return once(key, read)


def skin_at(
    weights: FollowingWeights,
    positions: NDArray[np.float32],
    mesh_to_root: NDArray[np.float64],
    armature: bpy.types.Object,
    reader: ArmatureReader,
    *,
    once: Once = each_time,
) -> PassSkin:
    """Make the skin of a pass that starts with the vertices at `positions` (V, 3), mesh space.

    armature: the *evaluated* armature object. once: shares what other skins of the moment are made of.
    """
    grouped = weights.grouped
    in_root = positions.astype(np.float64) @ mesh_to_root[:3, :3] + mesh_to_root[3, :3]
    of_armature = ("envelopes", reader.skeleton, armature.original.session_uid)
    envelopes = once(of_armature, lambda: reader.envelopes(armature))
    skin, positional = grouped, False
    if weights.multiplied:
        skin = multiplied_by_envelopes(grouped, envelopes, in_root)
        positional = bool(envelopes.multiply[grouped.bones].any())
    if weights.by_envelopes and (grouped.counts == 0).any():
        bones = reader.deforming_in_pose_order()
        skin = with_envelopes_where_ungrouped(skin, envelopes, in_root, bones)
        positional = True
    stored = skin
    together = once("ruled together", RuledTogether)
    together.add(stored)
    ruled = None if weights.rule is None else together.ruled(weights.rule, stored)
    skin, joints = _over_joints(
        ruled.skin if ruled else skin, in_root, armature, reader, mesh_to_root, once=once
    )
    if ruled is not None:
        skin, joints = with_origin_joint(skin, joints, ruled.missing)
    positional = positional or bool(len(joints.bendy))
    if ruled is None:
        return PassSkin(skin, joints, positional)
    return PassSkin(skin, joints, positional, ruled.dropped, moving_counts(stored))


def _over_joints(
    skin: BoneSkin,
    in_root: NDArray[np.float64],
    armature: bpy.types.Object,
    reader: ArmatureReader,
    mesh_to_root: NDArray[np.float64],
    *,
    once: Once,
) -> tuple[Skin, Joints]:
    placed = armature.original.session_uid, mesh_to_root.tobytes()

    def over_joints() -> tuple[Skin, Joints]:
        used = skin.used_bones()
        numbers, joints = once(
            ("joints", used.tobytes(), reader.skeleton, reader.segments_key, *placed),
            lambda: _joints_of(used, armature, reader, mesh_to_root),
        )
        bendy = np.flatnonzero((reader.segments[skin.bones] > 1) & (numbers.first[skin.bones] >= 0))
        locations = _locations(skin, bendy, in_root, armature, reader)
        split = split_over_joints(skin, numbers, bendy, locations)
        # Whatever is laid out for one skin serves for all that are the same, under whichever bones' settings.
        return once(("skin", *_contents(split)), lambda: split), joints

    if (reader.segments[skin.bones] > 1).any():
        # How a bendy bone's weights are split depends on where the vertices are.
        return over_joints()
    # Most rules leave most meshes' weights as others do.
    return once(("over joints", *_contents(skin), reader.skeleton, reader.segments_key, *placed), over_joints)


def _contents(skin: Influences) -> tuple[bytes, bytes, bytes]:
    return skin.starts.tobytes(), skin.indices.tobytes(), skin.weights.tobytes()


def _joints_of(
    bones: NDArray[np.integer],
    armature: bpy.types.Object,
    reader: ArmatureReader,
    mesh_to_root: NDArray[np.float64],
) -> tuple[JointNumbers, Joints]:
    numbers = number_joints(bones, reader.segments)
    bendy_joints = np.flatnonzero((numbers.bone >= 0) & (reader.segments[numbers.bone] > 1))
    segment_to_bone = np.tile(np.eye(4), (len(numbers.bone), 1, 1))
    segment_to_bone[bendy_joints] = reader.read_rest_segments(
        armature, numbers.bone[bendy_joints], numbers.segment[bendy_joints]
    )
    joints = Joints.of_segments(reader.skeleton, numbers.bone, numbers.segment, segment_to_bone, mesh_to_root)
    return numbers, joints


def _locations(
    skin: BoneSkin,
    bendy: NDArray[np.intp],
    in_root: NDArray[np.float64],
    armature: bpy.types.Object,
    reader: ArmatureReader,
) -> SegmentLocations:
    bones = skin.bones[bendy]
    if not len(bones):
        return SegmentLocations(bones, np.empty(0))
    root_to_bone = invert_affine(reader.skeleton.rest_to_root)[0]
    positions = in_root[skin.vertex_of_influence[bendy]]
    in_bone = np.einsum("nc,ncd->nd", positions, root_to_bone[bones, :3, :3]) + root_to_bone[bones, 3, :3]
    straight = straight_locations(in_bone[:, 1], reader.lengths[bones], reader.segments[bones])
    curved = np.flatnonzero(reader.curved[bones])
    if not len(curved):
        return straight
    curved_bones, of_influence = np.unique(bones[curved], return_inverse=True)
    curves = _rest_curves(curved_bones, armature, reader)
    along_curve = curved_locations(positions[curved], of_influence.reshape(-1), curves)
    segment, blend = straight.segment.copy(), straight.blend.copy()
    segment[curved], blend[curved] = along_curve.segment, along_curve.blend
    return SegmentLocations(segment, blend)


def _rest_curves(
    bones: NDArray[np.integer], armature: bpy.types.Object, reader: ArmatureReader
) -> RestCurves:
    segments = reader.segments[bones]
    owner = np.repeat(bones, segments + 1)
    joint = np.concatenate([np.arange(count + 1) for count in segments])
    segment_to_bone = reader.read_rest_segments(armature, owner, joint)
    return RestCurves.of_joints(segment_to_bone @ reader.skeleton.rest_to_root[owner], segments)
