"""Characters that are round tubes: their rest meshes look the same from several sides, and may be at one place."""

from __future__ import annotations

import math

import bpy

from skinning_addon.scene.clips.actions import GAME_READY

BONES, RINGS, SIDES, LENGTH, RADIUS = 4, 12, 8, 4.0, 0.4


def empty_scene() -> None:
    """Begin a file with nothing in it, whose scene plays frames 1 to 9."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 9


def tube(name: str, clip: str, turn: float) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add a tube with a chain of bones that a clip bends by an angle each; return its armature and its mesh."""
    armature = _armature(f"{name} rig")
    mesh = bpy.data.objects.new(name, _mesh(name))
    bpy.context.scene.collection.objects.link(mesh)
    for bone in range(BONES):
        group = mesh.vertex_groups.new(name=f"bone{bone}")
        for vertex in mesh.data.vertices:
            off = abs(vertex.co.z / LENGTH * BONES - 0.5 - bone)
            if off < 1:
                group.add([vertex.index], 1 - off, "REPLACE")
    mesh.modifiers.new("Armature", "ARMATURE").object = armature
    mesh.parent = armature
    _animate(armature, clip, turn)
    return armature, mesh


def stored_tube(name: str, clip: str, turn: float) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add a tube whose action is on a muted track of its name as well."""
    armature, mesh = tube(name, clip, turn)
    _store(armature, clip)
    return armature, mesh


def ready_tube(name: str, clip: str, turn: float) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Add a tube that is another's game-ready copy: its action has a name of its own, and is on a muted track
    that has the clip's.
    """
    armature, mesh = tube(f"{name} game-ready", f"{clip} game-ready", turn)
    armature[GAME_READY] = armature.animation_data.action[GAME_READY] = True
    _store(armature, clip)
    return armature, mesh


def _store(armature: bpy.types.Object, name: str) -> None:
    """Put an armature's action on a muted track, too."""
    data = armature.animation_data
    track = data.nla_tracks.new()
    track.name, track.mute = name, True
    strip = track.strips.new(data.action.name, 1, data.action)
    if getattr(data, "action_slot", None) is not None:
        strip.action_slot = data.action_slot


def _armature(name: str) -> bpy.types.Object:
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number in range(BONES):
        bone = armature.data.edit_bones.new(f"bone{number}")
        bone.head, bone.tail = ((0, 0, LENGTH * end / BONES) for end in (number, number + 1))
        bone.parent = parent
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def _mesh(name: str) -> bpy.types.Mesh:
    angles = [2 * math.pi * side / SIDES for side in range(SIDES)]
    heights = [LENGTH * ring / RINGS for ring in range(RINGS + 1)]
    positions = [(RADIUS * math.cos(a), RADIUS * math.sin(a), z) for z in heights for a in angles]
    corners = [(ring * SIDES, side, (side + 1) % SIDES) for ring in range(RINGS) for side in range(SIDES)]
    faces = [(at + one, at + two, at + two + SIDES, at + one + SIDES) for at, one, two in corners]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(positions, [], faces)
    return mesh


def _animate(armature: bpy.types.Object, clip: str, turn: float) -> None:
    armature.animation_data_create().action = bpy.data.actions.new(clip)
    for number, bone in enumerate(armature.pose.bones):
        bone.rotation_mode = "XYZ"
        for frame, share in ((1, 0.3), (5, 1.0), (9, -0.6)):
            bone.rotation_euler = (turn * share, 0.4 * turn * share, 0.2 * number)
            bone.keyframe_insert("rotation_euler", frame=frame)
