"""A profile's effect on reading a deformation: the armatures, bones and options used, and stored poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.profiles.gltf_keys import GltfMoment
from ...core.profiles.hierarchy import pose_through, with_ancestors
from ...core.profiles.playing import parents_in_file, skeleton_in_file
from ...core.profiles.profile import CountingArmature, Origin, Profile, Shader, ShaderBlend, ShaderNormalise
from ...core.profiles.weight_rules import WeightRule
from ...core.skinning.passes import Blend
from ...core.skinning.skeleton import Skeleton
from ..identification import identity
from .armature_reader import ArmatureReader


def armatures_under(
    profile: Profile, mesh_object: bpy.types.Object, armatures: Sequence[bpy.types.Object]
) -> slice:
    """Return which of the armatures of a mesh the profile keeps."""
    lost = profile.lost
    if not lost.earlier_armatures or len(armatures) < 2:
        return slice(None)
    if lost.counting_armature is CountingArmature.FIRST:
        return slice(0, 1)
    parent = mesh_object.parent
    if lost.counting_armature is CountingArmature.PARENT and parent is not None:
        names = [identity(one) for one in armatures]
        if mesh_object.parent_type != "BONE" and identity(parent) in names:
            place = names.index(identity(parent))
            return slice(place, place + 1)
    return slice(len(armatures) - 1, None)


def reader_under(profile: Profile, reader: ArmatureReader) -> ArmatureReader:
    """Return an armature's reader without the bone settings that the profile loses."""
    if profile.lost.bendy_bones:
        reader = replace(reader, segments=np.ones_like(reader.segments))
    if profile.lost.non_deform_bones and not profile.exporter.deform_bones_only:
        reader = replace(reader, deforms=np.ones_like(reader.deforms))
    elif profile.lost.non_deform_bones and profile.exporter.keeps_ancestors:
        reader = replace(reader, deforms=with_ancestors(reader.skeleton.parents, reader.deforms))
    return reader


def blend_under(profile: Profile, *, preserve_volume: bool) -> Blend:
    """Return the blend of a modifier's joints."""
    if profile.shader.blend is ShaderBlend.DUAL_QUATERNION:
        return Blend.DUAL_QUATERNION
    kept = preserve_volume and profile.shader.blend is ShaderBlend.BLENDER
    return Blend.VOLUME if kept else Blend.LINEAR


def weight_rule(profile: Profile, blend: Blend) -> WeightRule | None:
    """Return the profile's rule for weights; None for Blender, which leaves them unchanged."""
    if profile.is_blender:
        return None
    if blend is not Blend.LINEAR:
        # Dual quaternion blending normalizes the result, so vertices aren't pulled toward an origin.
        profile = replace(
            profile,
            shader=Shader(ShaderBlend.BLENDER, ShaderNormalise.SHADER, normals=profile.shader.normals),
        )
    return WeightRule(profile)


def pose_under(
    profile: Profile,
    reader: ArmatureReader,
    to_root: NDArray[np.float64],
    needed: NDArray[np.bool_] | None = None,
    played: NDArray[np.float64] | GltfMoment | None = None,
    *,
    keeps_rigid: bool = False,
) -> NDArray[np.float64]:
    """Return the engine's to_root (..., B, 4, 4) of all bones, or of those that are `needed` (B,).

    played: what the file plays instead, see `ClipInFile.local`. keeps_rigid: see `pose_through`.
    """
    parents = parents_in_file(profile, reader.skeleton.parents, reader.deforms)
    return pose_through(
        profile.hierarchy, reader.skeleton, to_root, parents, needed, played=played, keeps_rigid=keeps_rigid
    )


def skeleton_under(profile: Profile, reader: ArmatureReader) -> Skeleton:
    """Return an armature's bones with the parents that they have in the profile's file."""
    return skeleton_in_file(profile, reader.skeleton, reader_under(profile, reader).deforms)


def origin_under(profile: Profile, world_to_root: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the point (3,), in root space, that vertices with weights below one in total are pulled toward."""
    return None if profile.shader.origin is Origin.ARMATURE else world_to_root[3, :3]
