"""What a file holds only under some of the exporter's options: modifiers that are to be applied, such as
Mirror, Array and Subdivision before the armature, and bones without a hierarchy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ...core.profiles.binding import Binding
from ...core.profiles.export_options import (
    AnimationMode,
    ExportOptions,
    FbxOptions,
    GltfOptions,
    UsdOptions,
)
from ...core.profiles.hierarchy import HierarchyRule
from ...core.profiles.profile import FileFormat, Profile
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import USUAL, Thresholds
from ...scene.clips.playback import ScenePlayback
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.object_data import armature_of, mesh_of
from ...scene.objects.modifier_stack import keeps_positions, read_stack
from ..frame.attribution import Effect
from ..frame.body_parts import BodyParts
from .profile_findings import findings_of_effects

FLATTENS_IN_SCENE = (5, 0, 0)
"""The first Blender taken to keep the bones of a flattened hierarchy in a .glb's scene; 4.2 and 4.3 don't, 5.2
does.
"""


LEFT_OUT_ON_CARRIER = Message(
    "This Blender leaves '{mesh}' out of the file for {profile} with Export Deformation Bones Only, because "
    "it is parented to the bone '{bone}', which doesn't deform and has no bone above it in the file."
)

LEFT_OUT_ON_BONE = Message(
    "This Blender leaves '{mesh}' out of the file for {profile} with Flatten Bone Hierarchy, because it is "
    "parented to the bone '{bone}', which has a parent."
)


@dataclass(frozen=True, eq=False)
class MissingSurface:
    """What a mesh lacks without its modifiers. modifiers: their names. distance: (V,) metres, of each vertex
    that the armature deforms from the nearest face of the mesh without them.
    """

    modifiers: tuple[str, ...]
    distance: NDArray[np.float64]


def findings_of_modifiers(
    missing: MissingSurface | None,
    binding: Binding,
    profile: Profile,
    body: BodyParts,
    thresholds: Thresholds = USUAL,
) -> Iterator[Finding]:
    """Report what the profile's exporter leaves out of a mesh."""
    if missing is None or applies_modifiers(profile.export_options):
        return
    effect = Effect("modifier-not-exported", missing.distance, ScenePlayback.name, 0.0)
    names = ", ".join(f"'{one}'" for one in missing.modifiers)
    for one in findings_of_effects((effect,), binding, profile, body, thresholds, modifiers=names):
        # Not about a frame.
        yield replace(one, clip=None, frame=None)


def applies_modifiers(options: ExportOptions | None) -> bool:
    """Whether the file holds what the modifiers before the armature make of a mesh."""
    match options:
        case GltfOptions():
            return options.apply_modifiers
        case FbxOptions():
            return options.use_mesh_modifiers
        case UsdOptions() | None:
            return True


def missing_surface(
    mesh_object: bpy.types.Object, binding: Binding, metres_per_unit: float
) -> MissingSurface | None:
    """Compare the mesh that the armature deforms with the one without its modifiers; None if none changes it,
    or shape keys do so as well.
    """
    stack = read_stack(mesh_object)
    modifiers = tuple(one.name for one in (*stack.before, *stack.between) if not keeps_positions(one))
    mesh = mesh_of(mesh_object)
    keys = mesh.shape_keys
    if not modifiers or (keys is not None and any(one.value for one in keys.key_blocks[1:])):
        return None
    to_world = row_vectors(mesh_object.matrix_world)
    points = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", points.reshape(-1))
    written, shown = (one @ to_world[:3, :3] for one in (points, binding.mesh.positions))
    faces = [tuple(cast("tuple[int, ...]", one.vertices)) for one in mesh.polygons]
    if not faces:
        return MissingSurface(modifiers, np.full(len(shown), binding.mesh.diagonal * metres_per_unit))
    tree = BVHTree.FromPolygons(written.tolist(), faces)
    # Blender looks for the nearest face of one point at a time.
    nearest = (tree.find_nearest(one)[3] for one in shown.tolist())
    return MissingSurface(modifiers, np.array([one or 0.0 for one in nearest]) * metres_per_unit)


def flattened_outside_scene(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, profile: Profile
) -> Iterator[Finding]:
    """Name an armature whose bones this Blender writes where no engine finds them, or a mesh on one of these,
    which it leaves out.
    """
    if bpy.app.version >= FLATTENS_IN_SCENE or profile.hierarchy is not HierarchyRule.FLATTENED:
        return
    bones = armature_of(armature).bones
    written = [one for one in bones if one.use_deform or not profile.exporter.deform_bones_only]
    below = [one for one in bones if any(above in written for above in one.parent_recursive)]
    if not any(one in written for one in below):
        return
    rule, mesh = RULES["flattened-outside-scene"], identity(mesh_object)
    told = rule.told(mesh=mesh, armature=identity(armature), profile=profile.label)
    bone = mesh_object.parent_bone if mesh_object.parent_type == "BONE" else ""
    if mesh_object.parent == armature and any(one.name == bone for one in below):
        told = Message(LEFT_OUT_ON_BONE.template, mesh=mesh, bone=bone, profile=profile.label)
    yield replace(rule.finding(mesh, told), profile=profile.id)


def carriers_outside_scene(
    mesh_object: bpy.types.Object,
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    profile: Profile,
) -> Iterator[Finding]:
    """Name a bone that this Blender writes where no engine finds it because it carries an object, which it
    leaves out: the mesh itself before others.
    """
    exporter = profile.exporter
    if bpy.app.version < FLATTENS_IN_SCENE or not exporter.deform_bones_only:
        return
    if exporter.format is not FileFormat.GLTF:
        return
    bones = armature_of(armature).bones
    carried = [one for one in scene.objects if one.parent == armature and one.parent_type == "BONE"]
    for one in sorted(carried, key=lambda each: each != mesh_object):
        bone = bones.get(one.parent_bone)
        if bone is None or bone.use_deform:
            continue
        flattened = profile.hierarchy is HierarchyRule.FLATTENED
        if not flattened and any(above.use_deform for above in bone.parent_recursive):
            continue
        rule = RULES["carrier-outside-scene"]
        words = {"mesh": identity(mesh_object), "bone": bone.name, "profile": profile.label}
        told = rule.told(armature=identity(armature), other=identity(one), **words)
        if one == mesh_object:
            told = Message(LEFT_OUT_ON_CARRIER.template, **words)
        yield replace(rule.finding(identity(mesh_object), told), profile=profile.id)
        return


def failing_exports(
    mesh_object: bpy.types.Object, scene: bpy.types.Scene, profile: Profile
) -> Iterator[Finding]:
    """Name an object over which Blender's exporter fails."""
    options = profile.export_options
    if not isinstance(options, GltfOptions):
        return
    if options.mode is not AnimationMode.BROADCAST or not options.bake_animation:
        return
    other = next((one for one in scene.objects if _has_unsampled_action(one)), None)
    if other is not None:
        rule, mesh = RULES["export-fails"], identity(mesh_object)
        told = rule.told(mesh=mesh, other=identity(other), profile=profile.label)
        yield replace(rule.finding(mesh, told), profile=profile.id)


def _has_unsampled_action(one: bpy.types.Object) -> bool:
    """Whether an object has an action that the exporter doesn't give it in broadcast mode."""
    data = one.animation_data
    others = {"MESH", "ARMATURE", "CAMERA", "LIGHT"}
    return data is not None and data.action is not None and one.type not in others
