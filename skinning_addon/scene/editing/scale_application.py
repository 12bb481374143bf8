"""Applying the scale of meshes and armatures to their data, if that doesn't move anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
import numpy as np
from mathutils import Matrix

from ...core.text.errors import UsageError
from ..clips.actions import POSE_BONE_PATH, fcurves
from ..object_data import armature_of, mesh_of

SAME = 1e-5

CONSTRAINTS_WITHOUT_LENGTHS = frozenset(
    {
        "COPY_LOCATION",
        "COPY_ROTATION",
        "COPY_SCALE",
        "COPY_TRANSFORMS",
        "DAMPED_TRACK",
        "IK",
        "LIMIT_ROTATION",
        "LIMIT_SCALE",
        "LOCKED_TRACK",
        "MAINTAIN_VOLUME",
        "TRACK_TO",
    }
)


def scale_problem(one: bpy.types.Object) -> UsageError | None:
    """Tell why a mesh or armature object's scale can't be applied without moving anything; None if it can."""
    data = one.data
    if data is None or one.library or data.library or one.override_library:
        return UsageError("'{object}' is linked; make it local to apply its scale.", object=one.name)
    if data.users > 1:
        return UsageError(
            "'{object}' shares its data with other objects; make it single-user to apply its scale.",
            object=one.name,
        )
    if min(abs(each) for each in one.scale) == 0:
        return UsageError("'{object}' is scaled to zero, so its scale can't be applied.", object=one.name)
    if _is_animated(one):
        return UsageError(
            "'{object}' is animated as an object, so its keys would set the scale back.", object=one.name
        )
    if one.type == "MESH":
        return None if _is_upright(one) else _sheared(one)
    return _armature_problem(one)


def apply_scale(objects: Sequence[bpy.types.Object]) -> None:
    """Apply the scales of objects without a `scale_problem`; nothing moves."""
    # Armatures first, because meshes are then put back where they were.
    for one in sorted(objects, key=lambda one: one.type != "ARMATURE"):
        if one.type == "ARMATURE":
            _apply_to_armature(one)
        else:
            _apply_to_mesh(one)
        bpy.context.view_layer.update()


def _apply_to_mesh(one: bpy.types.Object) -> None:
    location, rotation, scale = one.matrix_world.decompose()
    mesh = mesh_of(one)
    children = {child: child.matrix_world.copy() for child in one.children}
    mesh.transform(Matrix.Diagonal((*scale, 1.0)), shape_keys=True)
    if scale.x * scale.y * scale.z < 0:
        mesh.flip_normals()
    if one.parent is not None and one.parent_type in {"OBJECT", "ARMATURE"}:
        one.matrix_parent_inverse = one.parent.matrix_world.inverted()
    one.matrix_world = (
        Matrix.Translation((location.x, location.y, location.z)) @ rotation.to_matrix().to_4x4()
    )
    bpy.context.view_layer.update()
    for child, placed in children.items():
        child.matrix_world = placed


def _apply_to_armature(one: bpy.types.Object) -> None:
    factor = one.scale[0]
    with bpy.context.temp_override(
        active_object=one, object=one, selected_objects=[one], selected_editable_objects=[one]
    ):
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    for bone in one.pose.bones:
        bone.location *= factor


def _armature_problem(one: bpy.types.Object) -> UsageError | None:
    scale = np.array(one.scale)
    if np.ptp(scale) > SAME * scale.max() or scale[0] < 0:
        return UsageError(
            "'{armature}' is scaled unevenly or mirrored, so its bones would rotate differently; scale it "
            "evenly first.",
            armature=one.name,
        )
    for bone in one.pose.bones:
        for constraint in bone.constraints:
            if constraint.type not in CONSTRAINTS_WITHOUT_LENGTHS:
                return UsageError(
                    "The constraint '{constraint}' of '{bone}' may contain lengths that would have to be "
                    "scaled too.",
                    constraint=constraint.name,
                    bone=bone.name,
                )
    moved = next((name for name in _bones_moved_by_keys(one)), None)
    if moved is not None:
        return UsageError(
            "'{bone}' of '{armature}' has location keys that would have to be scaled too.",
            bone=moved,
            armature=one.name,
        )
    return None


def _bones_moved_by_keys(one: bpy.types.Object) -> Iterator[str]:
    bones = armature_of(one).bones
    for action in bpy.data.actions:
        for curve in fcurves(action):
            match = POSE_BONE_PATH.match(curve.data_path)
            if match is None or not curve.data_path.endswith(".location"):
                continue
            name = bpy.utils.unescape_identifier(match[1])
            if name in bones and any(abs(point.co[1]) > SAME for point in curve.keyframe_points):
                yield name


def _is_animated(one: bpy.types.Object) -> bool:
    data = one.animation_data
    if data is None:
        return False
    actions = [data.action] if data.action else []
    actions += [strip.action for track in data.nla_tracks for strip in track.strips if strip.action]
    paths = [curve.data_path for action in actions for curve in fcurves(action)]
    paths += [driver.data_path for driver in data.drivers]
    return any(path.split("_")[-1] in {"scale", "location"} or path == "scale" for path in paths)


def _is_upright(one: bpy.types.Object) -> bool:
    """Tell whether an object's world matrix is a location, rotation and scale, not sheared by a parent."""
    location, rotation, scale = one.matrix_world.decompose()
    again = (
        Matrix.Translation((location.x, location.y, location.z))
        @ rotation.to_matrix().to_4x4()
        @ Matrix.Diagonal((*scale, 1.0))
    )
    world = np.array(one.matrix_world)
    return bool(np.abs(world - np.array(again)).max() <= SAME * np.abs(world).max())


def _sheared(one: bpy.types.Object) -> UsageError:
    return UsageError(
        "'{object}' is sheared by its parent; apply the scale of the parent first.", object=one.name
    )
