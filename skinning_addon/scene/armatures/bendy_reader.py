"""An armature's bendy bones: the data that their joints are computed from, read in bulk.

Blender returns one joint per call. A pose's joints are computed here from the data of a few bulk calls. Blender
is asked for the joints at rest, once, and in a pose only for the bones whose joints depend on its own rounding.
If calls are faster (`ArmatureReader.read_segments`), it is asked for all joints.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.bendy.curve import BendyBones
from ...core.bendy.handles import HandleKind, Handles
from ...core.bendy.shape import HEAD, TAIL, BendyOptions, BendySettings, bendy_shape
from ...core.bendy.spline import bendy_joints
from ...core.skinning.skeleton import Skeleton
from ...core.text.errors import StaleBindingError
from ..identification import identity
from ..matrices import columns_to_rows, row_vectors
from ..object_data import armature_of

_KINDS = {
    "AUTO": HandleKind.POSITION,
    "ABSOLUTE": HandleKind.POSITION,
    "RELATIVE": HandleKind.RELATIVE,
    "TANGENT": HandleKind.TANGENT,
}
CURVE_SETTINGS = (
    "bbone_curveinx",
    "bbone_curveinz",
    "bbone_curveoutx",
    "bbone_curveoutz",
    "bbone_rollin",
    "bbone_rollout",
    "bbone_easein",
    "bbone_easeout",
)
"""Scalar properties of both bones and pose bones, from which `BendySettings` is read."""

_SCALES = ("bbone_scalein", "bbone_scaleout")
_END_NAMES = ("start", "end")


@dataclass(frozen=True, eq=False)
class BoneOrder:
    """The indices of a skeleton's bones in Blender's two lists.

    pose: (B,) intp, among the object's pose bones. data: (B,) intp, among the armature's bones.
    """

    pose: NDArray[np.intp]
    data: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class BendyReader:
    """Reads the joints of the bendy bones of one armature.

    index: (B,) intp, each bone's index among the K bendy ones; -1 for bones that do not bend.
    adds_roll: (K,) bool, whether a bone adds its start handle's Roll Out to its own Roll In.
    scaled_by: the indices (end, k) at which a handle's local scale is used.
    at_rest: the bones' settings when this was made; they are read again only if they are animated.
    """

    bones: BendyBones
    options: BendyOptions
    order: BoneOrder
    index: NDArray[np.intp]
    adds_roll: NDArray[np.bool_]
    scaled_by: tuple[tuple[int, int], ...]
    at_rest: BendySettings

    def read_joints(
        self, armature: bpy.types.Object, to_root: NDArray[np.float64], rest_to_root: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        """Read the joints of all bendy bones relative to their bone, (J, K, 4, 4) float32, in the current pose.

        Bones with fewer segments than others repeat their last joint.

        armature: the evaluated object. to_root: (B, 4, 4), as read from it.
        """
        data = armature_of(armature)
        bones = self.at_rest
        if data.animation_data is not None:
            bones = _read_settings(data.bones, self.bones, self.order.data, self.adds_roll)
        poses = _read_settings(armature.pose.bones, self.bones, self.order.pose, self.adds_roll)
        shape = bendy_shape(bones, poses, self.options, self._handle_scale(armature))
        joints = bendy_joints(self.bones, shape, to_root, rest_to_root)
        uncertain = np.flatnonzero(joints.uncertain)
        if len(uncertain):
            own = self.bones.segments[uncertain, None] >= self.bones.joint.T
            index, joint = np.nonzero(own)
            asked = uncertain[index]
            of_pose = self.order.pose[self.bones.bone[asked]]
            joints.to_bone[joint, asked] = blenders_joints(armature, of_pose, joint)
        return joints.to_bone

    def posed_joints(self, to_root: NDArray[np.float64], skeleton: Skeleton) -> NDArray[np.float32]:
        """Return the joints of all bendy bones, like `read_joints`, in a pose that no Blender armature has.

        Only the bones' own settings are used; those of the pose (curves, rolls, eases, scales) are unknown.

        to_root: (B, 4, 4), for example from an animation controller.
        """
        count = len(self.bones.bone)
        unset = BendySettings(
            offset=np.zeros((2, count, 2)),
            roll=np.zeros((2, count)),
            ease=np.zeros((2, count)),
            scale=np.ones((2, count, 3)),
            handle_roll=np.zeros(count),
        )
        handle_scale = None
        if self.scaled_by:
            handle_scale = np.ones((2, count, 3))
            local = np.linalg.norm(skeleton.to_parent(to_root)[0][:, :3, :3], axis=2)
            for end, index in self.scaled_by:
                handle_scale[end, index] = local[self.bones.handles.bone[end, index]]
        shape = bendy_shape(self.at_rest, unset, self.options, handle_scale)
        return bendy_joints(self.bones, shape, to_root, skeleton.rest_to_root).to_bone

    def _handle_scale(self, armature: bpy.types.Object) -> NDArray[np.float64] | None:
        """Read the handles' local scale, (2, K, 3), from Blender, which knows all modes of inheriting scale."""
        if not self.scaled_by:
            return None
        result = np.ones((2, len(self.bones.bone), 3))
        for end, index in self.scaled_by:
            handle = armature.pose.bones[int(self.order.pose[self.bones.handles.bone[end, index]])]
            local = armature.convert_space(
                pose_bone=handle, matrix=handle.matrix, from_space="POSE", to_space="LOCAL"
            )
            result[end, index] = np.linalg.norm(row_vectors(local)[:3, :3], axis=1)
        return result


def blenders_joints(
    armature: bpy.types.Object,
    indices: NDArray[np.integer],
    segments: NDArray[np.integer],
    *,
    rest: bool = False,
) -> NDArray[np.float64]:
    """Ask Blender for joints of bendy bones relative to their bone, (N, 4, 4) float64: one call each.

    armature: the evaluated object. indices: (N,), indices among its pose bones. segments: (N,), the joints.

    Raises:
        StaleBindingError: a bone no longer has such a joint.
    """
    # Blender finds a bone by walking a list, which takes longer than the call, so look it up once per run of
    # its joints.
    matrices: list[Matrix] = []
    bones = armature.pose.bones
    asked = segments.tolist()
    changes = (np.flatnonzero(indices[1:] != indices[:-1]) + 1).tolist()
    for start, end in itertools.pairwise([0, *changes, len(asked)] if asked else []):
        ask = bones[int(indices[start])].bbone_segment_matrix
        try:
            # If the keyword isn't needed, leave it out: Blender then parses a call in two thirds of the time.
            matrices += (
                [ask(segment, rest=True) for segment in asked[start:end]]
                if rest
                else map(ask, asked[start:end])
            )
        except RuntimeError as error:
            raise StaleBindingError(
                "The bone segments of '{armature}' have changed; bind its meshes again.",
                armature=identity(armature),
            ) from error
    return columns_to_rows(matrices)


def read_bendy(
    armature: bpy.types.Object,
    skeleton: Skeleton,
    order: BoneOrder,
    segments: NDArray[np.int32],
) -> BendyReader | None:
    """Read the setup of an armature's bendy bones; None if it has none.

    segments: (B,), in the skeleton's order.
    """
    bendy = np.flatnonzero(segments > 1)
    if not len(bendy):
        return None
    data_bones = armature_of(armature).bones
    length = np.empty(len(data_bones), dtype=np.float32)
    data_bones.foreach_get("length", length)
    lengths = length.astype(np.float64)[order.data]
    before, after = _neighbours(data_bones, skeleton, order)
    handle = np.zeros((2, len(bendy)), dtype=np.intp)
    kind = np.zeros((2, len(bendy)), dtype=np.int8)
    own = [data_bones[int(index)] for index in order.data[bendy]]
    for index, (bone, bone_index) in enumerate(zip(own, bendy.tolist(), strict=True)):
        for end, name in enumerate(_END_NAMES):
            setting = str(getattr(bone, f"bbone_handle_type_{name}"))
            custom = getattr(bone, f"bbone_custom_handle_{name}")
            if setting == "AUTO":
                found = int((before, after)[end][bone_index])
            else:
                found = skeleton.index(custom.name) if custom else -1
            if found >= 0:
                handle[end, index], kind[end, index] = found, _KINDS[setting]
    handles = Handles(handle, kind, (kind == HandleKind.POSITION) & (segments[handle] > 1), lengths[handle])
    options = BendyOptions(
        scale_easing=np.array([bone.use_scale_easing for bone in own]),
        handle_ease=np.array(
            [[getattr(bone, f"bbone_handle_use_ease_{name}") for bone in own] for name in _END_NAMES]
        ),
        handle_scale=np.array(
            [[tuple(getattr(bone, f"bbone_handle_use_scale_{name}")) for bone in own] for name in _END_NAMES]
        ),
    )
    bones = BendyBones(bendy, segments[bendy].astype(np.intp), lengths[bendy], handles)
    indices = np.full(len(segments), -1, dtype=np.intp)
    indices[bendy] = np.arange(len(bendy))
    adds_roll = np.array([bone.use_endroll_as_inroll for bone in own]) & (kind[HEAD] != HandleKind.NONE)
    at_rest = _read_settings(data_bones, bones, order.data, adds_roll)
    scaled_by = tuple(_scaled_by(handles, options))
    return BendyReader(bones, options, order, indices, adds_roll, scaled_by, at_rest)


def _neighbours(
    bones: bpy.types.ArmatureBones, skeleton: Skeleton, order: BoneOrder
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Find the bones that Automatic handles use: the connected parent (B,) and last connected child (B,), or
    -1.
    """
    use_connect = np.empty(len(bones), dtype=bool)
    bones.foreach_get("use_connect", use_connect)
    connected = use_connect[order.data] & (skeleton.parents >= 0)
    before = np.where(connected, skeleton.parents, -1).astype(np.intp)
    after = np.full(len(before), -1, dtype=np.intp)
    for child in np.argsort(order.data):
        if connected[child]:
            after[skeleton.parents[child]] = child
    return before, after


def _scaled_by(handles: Handles, options: BendyOptions) -> Iterator[tuple[int, int]]:
    scaled = (handles.kind != HandleKind.NONE) & (options.handle_ease | options.handle_scale.any(axis=2))
    # A curve that passes through the head takes no scale there, just as it takes no roll.
    scaled[HEAD] &= ~handles.passes_through[HEAD]
    for end in (HEAD, TAIL):
        for index in np.flatnonzero(scaled[end]).tolist():
            yield end, index


def _read_settings(
    source: bpy.types.bpy_prop_collection,
    bones: BendyBones,
    order: NDArray[np.intp],
    adds_roll: NDArray[np.bool_],
) -> BendySettings:
    """Read the bendy bones' settings from all bones or pose bones."""
    # float32 is Blender's own type: with any other type, the calls are many times slower.
    values = np.empty((len(CURVE_SETTINGS), len(source)), dtype=np.float32)
    for row, name in zip(values, CURVE_SETTINGS, strict=True):
        source.foreach_get(name, row)
    scales = np.empty((len(_SCALES), len(source) * 3), dtype=np.float32)
    for row, name in zip(scales, _SCALES, strict=True):
        source.foreach_get(name, row)
    own = order[bones.bone]
    mine = values[:, own].astype(np.float64)
    handle_roll = values[CURVE_SETTINGS.index("bbone_rollout"), order[bones.handles.bone[HEAD]]]
    return BendySettings(
        offset=mine[:4].reshape(2, 2, -1).swapaxes(1, 2),
        roll=mine[4:6],
        ease=mine[6:8],
        scale=scales.reshape(2, -1, 3)[:, own].astype(np.float64),
        handle_roll=np.where(adds_roll, handle_roll, 0.0).astype(np.float64),
    )
