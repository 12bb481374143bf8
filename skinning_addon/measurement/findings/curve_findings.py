"""What isn't predicted of a .glb whose curves are written without sampling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import bpy

from ...core.profiles.export_options import GltfOptions, NegativeFrames, Sampling
from ...core.profiles.profile import Profile
from ...core.text.message import Message
from ...core.verdicts.finding import Finding
from ...core.verdicts.rules import RULES
from ...scene.binding.held_places import moves_as_a_whole
from ...scene.clips.actions import POSE_BONE_PATH, fcurves
from ...scene.clips.exported_actions import gltf_actions
from ...scene.clips.exported_ranges import is_alone
from ...scene.identification import action_of, identity

_COMPONENTS = {"rotation_quaternion": 4, "rotation_axis_angle": 4, "rotation_euler": 3}


def not_predicted_of_curves(
    mesh_object: bpy.types.Object, armature: bpy.types.Object, scene: bpy.types.Scene, profile: Profile
) -> Iterator[Finding]:
    """Name each part that a profile's file plays otherwise than predicted, or may."""
    options, rule = profile.export_options, RULES["curves-not-predicted"]
    if not isinstance(options, GltfOptions) or options.samples_actions:
        return
    mesh = identity(mesh_object)
    for part in _parts(armature, scene, options, profile):
        told = rule.told(mesh=mesh, profile=profile.label, part=part)
        yield replace(rule.finding(mesh, told), profile=profile.id)


def _parts(
    armature: bpy.types.Object, scene: bpy.types.Scene, options: GltfOptions, profile: Profile
) -> Iterator[Message]:
    if moves_as_a_whole(armature):
        yield Message("'{armature}' moves as a whole", armature=identity(armature))
    if profile.importer.sampling is Sampling.NEXT_KEY or profile.importer.sampling is Sampling.JOINED:
        yield Message("its importer reads the keys of curves in a way of its own")
    written = gltf_actions(armature, options, alone=is_alone(scene))
    for number, one in enumerate(written):
        action = action_of(one.action)
        name = identity(action)
        if options.negative_frames is NegativeFrames.SLIDE and action.frame_range[0] < 0:
            yield Message("'{action}' has keys before frame 0", action=name)
        if options.reset_pose_bones and (number or is_alone(scene)):
            # What isn't keyed is at rest, or as it is in the frame that the exporter begins with.
            continue
        slot = action.slots[one.slot] if one.slot is not None else None
        bone = next(_partly_turned(action, slot), None)
        if bone is not None:
            yield Message("'{action}' keys only a part of the rotation of '{bone}'", action=name, bone=bone)


def _partly_turned(action: bpy.types.Action, slot: bpy.types.ActionSlot | None) -> Iterator[str]:
    """List the bones with keys for some components of a rotation alone."""
    keyed: dict[tuple[str, str], int] = {}
    for curve in fcurves(action, slot):
        match, kind = POSE_BONE_PATH.match(curve.data_path), curve.data_path.rpartition(".")[2]
        if match and kind in _COMPONENTS:
            keyed[match[1], kind] = keyed.get((match[1], kind), 0) + 1
    for (name, kind), count in keyed.items():
        if count < _COMPONENTS[kind]:
            yield bpy.utils.unescape_identifier(name)
