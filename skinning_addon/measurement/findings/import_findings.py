"""Findings about how an engine's importer reads a file, by what the scene holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...core.profiles.binding import Binding
from ...core.profiles.export_options import FbxOptions, GltfOptions, Resampled
from ...core.profiles.profile import FileFormat, Profile
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import USUAL
from ...scene.binding.held_places import moves_as_a_whole, moves_by_keys_alone
from ...scene.identification import identity
from ...scene.matrices import row_vectors
from ...scene.object_data import armature_of
from ...scene.objects.modifier_stack import armature_objects
from .curve_findings import not_predicted_of_curves
from .export_findings import (
    applies_modifiers,
    carriers_outside_scene,
    failing_exports,
    flattened_outside_scene,
)
from .node_findings import beside_armature, moved_by_own_keys, moved_with_node, with_parents

_UNMOVED = 1e-6
"""An object's transform that differs from none by less moves nothing that can be seen."""

_ORTHOGONAL = 1e-4
"""Axes whose dot products stay below this are not sheared."""

ARMATURE_CUT_IN_FILE = Message(
    "'{armature}' moves as a whole, and the file for {profile} lacks the beginning or the end of a clip: where "
    "'{mesh}' is there was not measured."
)

ARMATURE_BETWEEN_SAMPLES = Message(
    "'{armature}' moves as a whole, and {profile} samples animation {rate:g} times a second: where '{mesh}' is "
    "between two samples was not measured."
)

SKIN_OF_ANOTHER_RIG = Message(
    "'{mesh}' shares its mesh with '{other}', and an FBX file has one skin for both: {profile} shows it as "
    "'{armature}' moves '{other}'; how far off that is was not measured."
)


def findings_of_import(
    mesh_object: bpy.types.Object, scene: bpy.types.Scene, binding: Binding, profile: Profile
) -> Iterator[Finding]:
    """Report what the profile's importer mistakes. binding: the mesh's own, under any profile."""
    importer = profile.importer
    if importer.bones_by_name:
        yield from _shared_names(mesh_object, scene, binding, profile)
    armature = next(reversed(armature_objects(mesh_object)), None)
    if armature is None:
        return
    if profile.exporter.format is not FileFormat.NONE and armature.parent is not None:
        yield from _sheared_by_parent(mesh_object, armature, armature.parent, profile)
    yield from _between_keys(mesh_object, armature, scene, profile)
    yield from not_predicted_of_curves(mesh_object, armature, scene, profile)
    yield from flattened_outside_scene(mesh_object, armature, profile)
    yield from carriers_outside_scene(mesh_object, armature, scene, profile)
    yield from failing_exports(mesh_object, scene, profile)
    if isinstance(profile.export_options, FbxOptions):
        yield from _shared_in_fbx(mesh_object, armature, scene, binding, profile)
    if importer.node_transform:
        yield from moved_with_node(mesh_object, armature, scene, binding, profile)
    if importer.below_armature:
        yield from beside_armature(mesh_object, armature, profile)
    if importer.node_keys:
        yield from moved_by_own_keys(mesh_object, armature, scene, binding, profile)
    joints = _joints_in_file(armature, profile)
    if joints > 1 << importer.joint_number_bits:
        rule = RULES["joint-numbers"]
        message = rule.told(
            profile=profile.label,
            bits=importer.joint_number_bits,
            armature=identity(armature),
            count=joints,
            mesh=identity(mesh_object),
        )
        yield replace(rule.finding(identity(mesh_object), message), profile=profile.id)


def _between_keys(
    mesh_object: bpy.types.Object,
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    profile: Profile,
) -> Iterator[Finding]:
    options, thinned_by = profile.export_options, profile.thinned_by
    if not isinstance(options, GltfOptions) or not moves_as_a_whole(armature):
        return
    rule, mesh = RULES["armature-between-keys"], identity(mesh_object)
    words = {"mesh": mesh, "armature": identity(armature), "profile": profile.label}
    fps = scene.render.fps / scene.render.fps_base
    is_predicted = moves_by_keys_alone(armature)
    if options.frame_step > 1 and not is_predicted:
        yield replace(rule.finding(mesh, rule.told(step=options.frame_step, **words)), profile=profile.id)
    elif options.cuts and not is_predicted:
        message, fix = Message(ARMATURE_CUT_IN_FILE.template, **words), RULES["frames-cut-in-file"].fix
        yield replace(rule.finding(mesh, message, fix), profile=profile.id)
    elif isinstance(thinned_by, Resampled) and thinned_by.misses_keys(fps):
        rate = thinned_by.samples_per_second
        message = Message(ARMATURE_BETWEEN_SAMPLES.template, rate=rate, **words)
        yield replace(rule.finding(mesh, message, RULES["animation-resampled"].fix), profile=profile.id)


def _shared_in_fbx(
    mesh_object: bpy.types.Object,
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    binding: Binding,
    profile: Profile,
) -> Iterator[Finding]:
    """Name an object whose mesh has its skin in the file from another: the exporter writes one for a mesh and
    an armature, of the object that comes last by name; of several, that of the armature that comes first by
    name is taken.
    """
    sharing = [
        one
        for one in scene.objects
        if one.data == mesh_object.data and armature_objects(one) and not _is_applied(one, profile)
    ]
    if mesh_object not in sharing:
        return
    first = min(armature_objects(one)[-1].name for one in sharing)
    owners = [one for one in sharing if armature_objects(one)[-1].name == first]
    last = max(owners, key=lambda one: one.name)
    if last == mesh_object:
        return
    here, there = (row_vectors(one.matrix_world) for one in (mesh_object, last))
    positions = binding.mesh.positions
    offsets = positions @ (there - here)[:3, :3] + (there - here)[3, :3]
    most = float(np.linalg.norm(offsets, axis=1).max(initial=0.0)) * scene.unit_settings.scale_length
    others = armature_objects(last)[-1]
    as_one = armature in armature_objects(last) or _stand_alike(armature, others)
    if as_one and most <= _UNMOVED:
        return
    rule, mesh = RULES["mesh-shared-in-fbx"], identity(mesh_object)
    words = {"mesh": mesh, "other": identity(last), "profile": profile.label}
    told = Message(SKIN_OF_ANOTHER_RIG.template, armature=identity(others), **words)
    yield replace(
        rule.finding(mesh, rule.told(distance=format_length(most), **words) if as_one else told),
        severity=Severity.ERROR if most > USUAL.fail else Severity.WARNING,
        deviation=most if as_one else None,
        profile=profile.id,
    )


def _stand_alike(armature: bpy.types.Object, other: bpy.types.Object) -> bool:
    """Whether two armatures have the same pose at the same place now, and the same action."""
    poses = armature.pose, other.pose
    if poses[0] is None or poses[1] is None or poses[0].bones.keys() != poses[1].bones.keys():
        return False
    actions = [one.animation_data and one.animation_data.action for one in (armature, other)]
    pairs = [(armature.matrix_world, other.matrix_world)]
    pairs += [(one.matrix, two.matrix) for one, two in zip(poses[0].bones, poses[1].bones, strict=True)]
    apart = max(float(np.abs(row_vectors(one) - row_vectors(two)).max()) for one, two in pairs)
    return actions[0] == actions[1] and apart <= _UNMOVED


def _is_applied(mesh_object: bpy.types.Object, profile: Profile) -> bool:
    """Whether the exporter applies modifiers of an object, so that the file has a mesh of its own for it."""
    # A check switches them off, so whether they are on says nothing.
    others = [one for one in mesh_object.modifiers if one.type != "ARMATURE"]
    return applies_modifiers(profile.export_options) and bool(others)


def _sheared_by_parent(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, parent: bpy.types.Object, profile: Profile
) -> Iterator[Finding]:
    axes = row_vectors(armature.matrix_world)[:3, :3]
    unit = axes / np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-30)
    if np.abs(unit @ unit.T - np.eye(3)).max() <= _ORTHOGONAL:
        return
    rule = RULES["sheared-by-parent"]
    message = rule.told(armature=identity(armature), parent=identity(parent), mesh=identity(mesh_object))
    yield replace(rule.finding(identity(mesh_object), message), profile=profile.id)


def _shared_names(
    mesh_object: bpy.types.Object, scene: bpy.types.Scene, binding: Binding, profile: Profile
) -> Iterator[Finding]:
    weighted = _weighted_bones(binding)
    own = armature_objects(mesh_object)
    above = {identity(one) for armature in own for one in with_parents(armature)}
    found: dict[str, Message] = {}
    certain = False
    for one in scene.objects:
        if one.name in weighted:
            found[one.name] = Message("an object")
            # These come before the bones in the file.
            certain |= identity(one) in above or bool(set(armature_objects(one)) & set(own))
        if one.type == "ARMATURE" and one not in own:
            shared = weighted.intersection(bone.name for bone in armature_of(one).bones)
            certain |= bool(shared)
            found.update({name: Message("a bone of '{armature}'", armature=identity(one)) for name in shared})
    if not found:
        return
    name = min(found)
    rule = RULES["bone-names-shared"]
    message = rule.told(
        profile=profile.label,
        count=len(found),
        mesh=identity(mesh_object),
        name=name,
        other=found[name],
    )
    finding = replace(rule.finding(identity(mesh_object), message), profile=profile.id)
    yield finding if certain else replace(finding, severity=Severity.WARNING)


def _weighted_bones(binding: Binding) -> set[str]:
    return {
        binding.skeletons[one.armature].names[bone]
        for one in binding.passes
        for bone in np.unique(one.joints.bone)
        if bone >= 0
    }


def _joints_in_file(armature: bpy.types.Object, profile: Profile) -> int:
    """Return how many joints an exporter writes of the armature."""
    bones = armature_of(armature).bones
    if profile.exporter.deform_bones_only:
        return sum(bone.use_deform for bone in bones)
    return len(bones)
