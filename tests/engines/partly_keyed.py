"""Arms with actions that don't key all bones, and a pose set by hand: exporters treat those bones differently."""

from __future__ import annotations

import math

import bpy
import numpy as np

from skinning_addon.scene.clips.actions import fcurves
from tests.scene.posed_arm import keyed_arm


def posed_arm(*actions: str, active: str | None = None) -> bpy.types.Object:
    """Build the keyed arm; each action turns b1 alone, by its own angle, from frame 1 to 12, while b0 and b2
    are turned by hand. active: the action that stays assigned.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    armature = keyed_arm(frames=(1, 12))
    bpy.data.actions.remove(armature.animation_data.action)
    for number, name in enumerate(actions):
        action = bpy.data.actions.new(name)
        action.use_fake_user = True
        armature.animation_data.action = action
        for frame, degrees in ((1, 0), (12, 20 + 25 * number)):
            turn(armature, "b1", degrees)
            armature.pose.bones["b1"].keyframe_insert("rotation_quaternion", frame=frame)
    armature.animation_data.action = bpy.data.actions[active] if active else None
    if active and hasattr(armature.animation_data, "action_slot"):
        armature.animation_data.action_slot = bpy.data.actions[active].slots[0]
    turn(armature, "b0", 25)
    turn(armature, "b2", -70)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 12
    scene.frame_set(4)
    return armature


def turn(armature: bpy.types.Object, bone: str, degrees: float) -> None:
    half = math.radians(degrees) / 2
    armature.pose.bones[bone].rotation_quaternion = (math.cos(half), math.sin(half), 0, 0)


def push_all_down(armature: bpy.types.Object) -> bpy.types.Object:
    """Put each action onto a muted NLA track of its own, of the same name."""
    for action in bpy.data.actions:
        track = armature.animation_data.nla_tracks.new()
        track.name = action.name
        track.strips.new(action.name, 1, action)
        track.mute = True
    return armature


def beside(armature: bpy.types.Object) -> bpy.types.Object:
    """Add a second armature, without animation, so that the first isn't the only one."""
    other = bpy.data.objects.new("Other", armature.data.copy())
    bpy.context.scene.collection.objects.link(other)
    return armature


def under_the_action(armature: bpy.types.Object) -> bpy.types.Object:
    """Have an NLA track turn b0 and b2 to where they are by hand, under the action that is assigned."""
    data = armature.animation_data
    action, slot = data.action, getattr(data, "action_slot", None)
    data.action = bpy.data.actions.new("Base")
    for bone in ("b0", "b2"):
        armature.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=1)
    track = data.nla_tracks.new()
    track.strips.new("Base", 1, data.action).frame_end = 12
    data.action = action
    if slot is not None:
        data.action_slot = slot
    bpy.context.scene.frame_set(4)
    return armature


def turning_object() -> bpy.types.Object:
    """Add an empty that turns about X over frames 1 to 12."""
    empty = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(empty)
    for frame, radians in ((1, 0.0), (12, 1.2)):
        empty.rotation_euler = (radians, 0, 0)
        empty.keyframe_insert("rotation_euler", frame=frame)
    return empty


def world_positions(mesh_object: bpy.types.Object) -> np.ndarray:
    """Return a mesh object's vertices as Blender evaluates them, (V, 3), world space."""
    evaluated = mesh_object.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = np.empty((len(evaluated.data.vertices), 3), dtype=np.float32)
    evaluated.data.vertices.foreach_get("co", positions.reshape(-1))
    to_world = np.array(evaluated.matrix_world, dtype=np.float64).T
    return positions @ to_world[:3, :3] + to_world[3, :3]


def with_a_muted_component(armature: bpy.types.Object) -> bpy.types.Object:
    """Key b2 in all actions as it is posed, and mute the component that turns it: it stays where the scene has
    it, or at rest, like a bone without keys.
    """
    bone = armature.pose.bones["b2"]
    for action in bpy.data.actions:
        armature.animation_data.action = action
        turn(armature, "b2", -70)
        for frame in (1, 12):
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        for curve in fcurves(action):
            if curve.data_path == 'pose.bones["b2"].rotation_quaternion':
                curve.mute = curve.array_index == 1
    armature.animation_data.action = None
    turn(armature, "b0", 0)
    turn(armature, "b2", -70)
    bpy.context.scene.frame_set(4)
    return armature
