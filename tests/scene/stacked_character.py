"""A character whose skin has any of Blender's modifiers before, between or after its armature, set up as an
artist would.

Types are enumerated from Blender itself: a type not configured here is added with Blender's default settings.
"""

from __future__ import annotations

import bpy
import numpy as np

from .modifier_settings import SETTINGS, leave
from .posed_arm import keyed_arm

PLACES = ("before", "between", "after")


def modifier_types() -> list[str]:
    """List all modifier types that a mesh object accepts in this Blender."""
    probe = bpy.data.objects.new("Probe", bpy.data.meshes.new("Probe"))
    taken = []
    for item in bpy.types.Modifier.bl_rna.properties["type"].enum_items:
        try:
            modifier = probe.modifiers.new(item.identifier, item.identifier)
        except (RuntimeError, TypeError):
            continue
        if modifier is not None:
            taken.append(item.identifier)
    mesh = probe.data
    bpy.data.objects.remove(probe)
    bpy.data.meshes.remove(mesh)
    return taken


def character(**placed: str) -> bpy.types.Object:
    """Build the skin 'Skin', keyed over frames 1 to 12. placed: 'before', 'between' or 'after' = modifier type,
    which also becomes its name.

    With a modifier between, a second armature modifier follows it.
    """
    # Blender builds a skin in time quadratic in its vertices: two seconds a frame on the usual mesh.
    keyed_arm(cuts=2 if "SKIN" in placed.values() else 6)
    skin = bpy.data.objects["Skin"]
    for place in PLACES:
        if place not in placed:
            continue
        add(skin, placed[place], place)
        if place == "before":
            skin.modifiers.move(len(skin.modifiers) - 1, 0)
        if place == "between":
            second = skin.modifiers.new("Second", "ARMATURE")
            second.object = bpy.data.objects["Arm"]
    bpy.context.view_layer.update()
    return skin


def add(skin: bpy.types.Object, kind: str, name: str) -> bpy.types.Modifier:
    modifier = skin.modifiers.new(name, kind)
    SETTINGS.get(kind, leave)(skin, modifier)
    return skin.modifiers[name]


def play_to(frame: int, first: int = 1) -> None:
    """Step to a frame one by one, as simulations require."""
    for one in range(first, frame + 1):
        bpy.context.scene.frame_set(one)


def positions_of(skin: bpy.types.Object) -> np.ndarray:
    """Return Blender's evaluated mesh, (V, 3)."""
    mesh = skin.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", found)
    return found.reshape(-1, 3)
