"""A keyed arm whose mesh, or armature object, moves in one of several ways."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from tests.engines.partly_keyed import turning_object
from tests.scene.posed_arm import keyed_arm

SHOWN = 5
"""The frame that the scene shows during the export."""

FRAMES = tuple(range(1, 13))

Move = Callable[[bpy.types.Object, bpy.types.Object], object]
"""Changes to the armature object and the mesh object."""


def arm(move: Move, *, unweighted: bool = False) -> None:
    """Build the keyed arm and what moves its mesh or armature object. unweighted: whether two vertices have no
    weights.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    armature = keyed_arm(frames=(FRAMES[0], FRAMES[-1]))
    skin = bpy.data.objects["Skin"]
    for group in skin.vertex_groups:
        group.remove([0, 1] if unweighted else [])
    move(armature, skin)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.frame_set(SHOWN)


def slide(one: bpy.types.Object) -> None:
    """Key an object's transform; its keys begin before the scene does."""
    one.rotation_mode = "XYZ"
    for frame, metres in ((0, 0.0), (12, 1.0)):
        one.location = (metres, 0.3 * metres, 0)
        one.rotation_euler = (0, 0.2 * metres, metres)
        one.keyframe_insert("location", frame=frame)
        one.keyframe_insert("rotation_euler", frame=frame)


def carried(armature: bpy.types.Object, skin: bpy.types.Object) -> bpy.types.Object:
    """Parent the mesh to its armature, and return the mesh."""
    skin.parent = armature
    return skin


def slide_both(armature: bpy.types.Object, skin: bpy.types.Object) -> None:
    carried(armature, skin)
    slide(armature)


def hang_on_bone(armature: bpy.types.Object, skin: bpy.types.Object) -> None:
    skin.parent, skin.parent_type, skin.parent_bone = armature, "BONE", "b1"


def follow_an_object(skin: bpy.types.Object) -> None:
    skin.constraints.new("COPY_ROTATION").target = turning_object()


def drive(skin: bpy.types.Object) -> None:
    skin.driver_add("location", 1).driver.expression = "frame / 20"


MOVES: dict[str, Move] = {
    "keyed": lambda _, skin: slide(skin),
    "keyed child": lambda armature, skin: slide(carried(armature, skin)),
    "keyed armature": lambda armature, _: slide(armature),
    "carried by a keyed armature": slide_both,
    "constrained": lambda _, skin: follow_an_object(skin),
    "driven": lambda _, skin: drive(skin),
    "on a bone": hang_on_bone,
}
