"""Findings about what an engine's importer makes of the nodes around a skin: the mesh's own, its parents', its
armature's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy
import numpy as np

from ...core.profiles.binding import Binding
from ...core.profiles.export_options import AnimationMode, GltfOptions
from ...core.profiles.profile import MeshMotion, Profile
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import RULES
from ...core.verdicts.verdict import USUAL
from ...scene.clips.object_keys import Slotted, keyed_transforms, own_actions, place_by_keys
from ...scene.identification import identity
from ...scene.matrices import row_vectors, scales
from ...scene.object_data import armature_of

_UNMOVED = 1e-6
"""An object's transform that differs from none by less moves nothing that can be seen."""

UNEVEN_ARMATURE = Message(
    "{profile} multiplies the scale of '{armature}' with those of its bones axis by axis, so an uneven scale "
    "of the armature deforms '{mesh}'."
)

KEYS_OF_ANOTHER_ANIMATION = Message(
    "{profile} moves '{mesh}' by keys of its own on top of its bones, by up to {distance}, where the file's "
    "animation '{action}' is played too."
)


def with_parents(one: bpy.types.Object | None) -> Iterator[bpy.types.Object]:
    while one is not None:
        yield one
        one = one.parent


def moved_with_node(
    mesh_object: bpy.types.Object,
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    binding: Binding,
    profile: Profile,
) -> Iterator[Finding]:
    rule = RULES["node-transform"]
    words = {"profile": profile.label, "armature": identity(armature), "mesh": identity(mesh_object)}
    # A skinned mesh's own transform is not in the file: its node is where the parent's is.
    parent = mesh_object.parent
    moved = np.eye(4) if parent is None else row_vectors(parent.matrix_world)
    if parent is not None and np.abs(moved - np.eye(4)).max() > _UNMOVED:
        to_world = row_vectors(mesh_object.matrix_world)
        positions = binding.mesh.positions @ to_world[:3, :3] + to_world[3, :3]
        offsets = positions @ moved[:3, :3] + moved[3, :3] - positions
        most = float(np.linalg.norm(offsets, axis=1).max(initial=0.0)) * scene.unit_settings.scale_length
        message = rule.told(parent=identity(parent), distance=format_length(most), **words)
        yield replace(
            rule.finding(identity(mesh_object), message),
            severity=Severity.ERROR if most > USUAL.fail else Severity.WARNING,
            deviation=most,
            profile=profile.id,
        )
    sizes = scales(row_vectors(armature.matrix_world))
    if np.ptp(sizes) > _UNMOVED * sizes.max():
        finding = rule.finding(identity(mesh_object), Message(UNEVEN_ARMATURE.template, **words))
        yield replace(finding, severity=Severity.ERROR, profile=profile.id)


def beside_armature(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, profile: Profile
) -> Iterator[Finding]:
    above_mesh = [identity(one) for one in with_parents(mesh_object)]
    common = next((one for one in with_parents(armature) if identity(one) in above_mesh), None)
    if common == armature:
        return
    to_common = np.eye(4) if common is None else np.linalg.inv(row_vectors(common.matrix_world))
    moved = np.abs(row_vectors(armature.matrix_world) @ to_common - np.eye(4)).max() > _UNMOVED
    roots = sum(bone.parent is None for bone in armature_of(armature).bones)
    if not moved and (common is not None or roots > 1):
        return
    rule = RULES["mesh-beside-armature"]
    message = rule.told(profile=profile.label, armature=identity(armature), mesh=identity(mesh_object))
    finding = replace(rule.finding(identity(mesh_object), message), profile=profile.id)
    # Vertices without weights get a root bone of their own in the file, beside the single one.
    yield finding if moved else replace(finding, severity=Severity.WARNING)


def moved_by_own_keys(
    mesh_object: bpy.types.Object,
    armature: bpy.types.Object,
    scene: bpy.types.Scene,
    binding: Binding,
    profile: Profile,
) -> Iterator[Finding]:
    """Name the animation of a skinned mesh's node that moves the vertices farthest."""
    if mesh_object.parent_type == "BONE":
        # It has no skin in the file.
        return
    rule, mesh = RULES["mesh-keys-played"], identity(mesh_object)
    metres = scene.unit_settings.scale_length
    held_at = scene.frame_current if profile.lost.mesh_motion is MeshMotion.CURRENT_FRAME else 0
    found = [
        (_moved_by(mesh_object, one, binding, held_at) * metres, one[0]) for one in own_actions(mesh_object)
    ]
    together = [one for one in found if _is_played_with(armature, one[1], profile)]
    most, action = max(together or found, key=lambda one: one[0], default=(0.0, None))
    if action is None or most <= _UNMOVED:
        return
    words = {"profile": profile.label, "mesh": mesh, "distance": format_length(most)}
    apart = Message(KEYS_OF_ANOTHER_ANIMATION.template, action=identity(action), **words)
    yield replace(
        rule.finding(mesh, rule.told(**words) if together else apart),
        severity=Severity.ERROR if together and most > USUAL.fail else Severity.WARNING,
        deviation=most,
        profile=profile.id,
    )


def _moved_by(mesh_object: bpy.types.Object, keys: Slotted, binding: Binding, held_at: int) -> float:
    """Return how far keys of a mesh's own move its vertices at rest, in the scene's unit. held_at: the frame at
    which the file has the mesh.
    """
    first, last = (round(one) for one in keys[0].frame_range.to_tuple())
    to_world = place_by_keys(mesh_object, keys, held_at)
    positions = binding.mesh.positions @ to_world[:3, :3] + to_world[3, :3]
    moved = keyed_transforms(mesh_object, keys, range(first, last + 1))
    offsets = positions @ moved[:, :3, :3] + moved[:, 3:, :3] - positions
    return float(np.linalg.norm(offsets, axis=2).max(initial=0.0))


def _is_played_with(armature: bpy.types.Object, action: bpy.types.Action, profile: Profile) -> bool:
    """Whether a mesh's action and its armature's are the same animation in the file."""
    options = profile.export_options
    joined = isinstance(options, GltfOptions) and options.mode is AnimationMode.ACTIVE_ACTIONS
    data = armature.animation_data
    return joined or (data is not None and data.action == action)
