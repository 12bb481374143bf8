"""Armatures of upright bones lifted by actions, and the resulting height of each bone."""

from __future__ import annotations

import bpy


def make_armature(name: str, bones: tuple[str, ...] = ("a", "b")) -> bpy.types.Object:
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for index, bone_name in enumerate(bones):
        bone = armature.data.edit_bones.new(bone_name)
        bone.head, bone.tail = (index, 0, 0), (index, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def key_action(armature: bpy.types.Object, name: str, bones: str = "a", end: float = 10, height: float = 1):
    """Create an action that lifts bones by `height` from frame 1 to `end`, and leave it assigned."""
    action = bpy.data.actions.new(name)
    (armature.animation_data or armature.animation_data_create()).action = action
    for bone in bones:
        for frame, lift in ((1, 0.0), (end, height)):
            armature.pose.bones[bone].location = (0, lift, 0)
            armature.pose.bones[bone].keyframe_insert("location", frame=frame)
    return action


def push_down(armature: bpy.types.Object, track_name: str, *actions: bpy.types.Action) -> bpy.types.NlaTrack:
    """Put actions one after another on one track, and leave none assigned."""
    data = armature.animation_data
    data.action = None
    track = data.nla_tracks.new()
    track.name = track_name
    start = 1
    for action in actions:
        strip = track.strips.new(action.name, start, action)
        start = int(strip.frame_end) + 1
    return track


def heads(armature: bpy.types.Object) -> dict[str, float]:
    """Return each bone's height above rest at the current frame, as Blender evaluates it."""
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: round(bone.head.z, 4) for bone in evaluated.pose.bones}
