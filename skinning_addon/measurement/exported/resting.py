"""Characters at rest, as exporters write their meshes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

from ...scene.object_data import armature_of, mesh_of
from ...scene.refit.rest_of_anything import moving_keys


@contextmanager
def resting(
    armatures: Iterable[bpy.types.Object], meshes: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer
) -> Iterator[None]:
    """Show armatures in their rest poses, and meshes without their Armature modifiers: bendy bones are curved
    by their poses' settings even at rest.
    """
    posed = {one for one in map(armature_of, armatures) if one.pose_position != "REST"}
    deforming = [
        modifier
        for one in meshes
        for modifier in one.modifiers
        if modifier.type == "ARMATURE" and modifier.show_viewport
    ]
    for armature in posed:
        armature.pose_position = "REST"
    for modifier in deforming:
        modifier.show_viewport = False
    view_layer.update()
    try:
        yield
    finally:
        for armature in posed:
            armature.pose_position = "POSE"
        for modifier in deforming:
            modifier.show_viewport = True
        view_layer.update()


def has_keys(mesh_object: bpy.types.Object) -> bool:
    """Tell whether shape keys may move a mesh."""
    keys = mesh_of(mesh_object).shape_keys
    return keys is not None and len(keys.key_blocks) > 1


@contextmanager
def without_keys(meshes: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Show the first of their shape keys alone, whatever drives or animates the others: exporters write that,
    and each of the others as a difference from it.
    """
    before = [(one, one.show_only_shape_key, one.active_shape_key_index) for one in meshes]
    for one, _, _ in before:
        one.show_only_shape_key, one.active_shape_key_index = True, 0
    view_layer.update()
    try:
        yield
    finally:
        for one, only, active in before:
            one.show_only_shape_key, one.active_shape_key_index = only, active
        view_layer.update()


@contextmanager
def standing_still(meshes: Iterable[bpy.types.Object], view_layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Show meshes without their modifiers and animated shape keys, as `rest_of` finds them at rest."""
    changed: list[tuple[bpy.types.bpy_struct, str, bool, bool]] = []
    for one in meshes:
        changed += [(modifier, "show_viewport", modifier.show_viewport, False) for modifier in one.modifiers]
        keys = mesh_of(one).shape_keys
        if keys is not None:
            blocks = [keys.key_blocks[name] for name in moving_keys(one)]
            changed += [(block, "mute", block.mute, True) for block in blocks]
            changed.append((one, "show_only_shape_key", one.show_only_shape_key, False))
    for one, name, _, still in changed:
        setattr(one, name, still)
    view_layer.update()
    try:
        yield
    finally:
        for one, name, before, _ in changed:
            setattr(one, name, before)
        view_layer.update()
