"""The mesh that goes into the first armature modifier: after shape keys and the modifiers before it.

Blender hands out only the end of a modifier stack. An earlier stage is the end of a shorter stack: that of a copy of
the object, in a scene of its own, whose stack is cut there. The user's object is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from numpy.typing import NDArray

from .mesh_reader import read_positions
from .modifier_stack import leaves_input_alone, read_stack
from .object_data import mesh_of

SCENE_NAME = ".skinscope input"
"""Scenes made here; handlers that follow the user's scenes leave them out."""


def has_changing_input(mesh_object: bpy.types.Object) -> bool:
    """Tell whether what goes into the first armature modifier differs from the mesh's own vertices."""
    if mesh_of(mesh_object).shape_keys is not None:
        return True
    return not all(leaves_input_alone(modifier) for modifier in read_stack(mesh_object).before)


def input_has_changed(mesh_object: bpy.types.Object, positions: NDArray[np.float32]) -> bool:
    """Tell whether shape keys or modifiers before the armature put the vertices elsewhere than `positions` (V, 3).

    Makes and removes data-blocks, as `input_mesh` does.
    """
    if not has_changing_input(mesh_object):
        return False
    with input_mesh(mesh_object) as mesh:
        return not np.array_equal(read_positions(mesh), positions)


@contextmanager
def input_mesh(mesh_object: bpy.types.Object) -> Iterator[bpy.types.Mesh]:
    """Yield the mesh that goes into the first armature modifier, to be read inside the block.

    Costs nothing where that is the object's own mesh; else one evaluation of the modifiers before the armature and a
    few milliseconds. Makes and removes data-blocks: never call it while drawing.
    """
    if not has_changing_input(mesh_object):
        yield mesh_of(mesh_object)
        return
    source = bpy.context.scene
    scene = bpy.data.scenes.new(SCENE_NAME)
    copy = _cut_copy(mesh_object)
    try:
        scene.collection.objects.link(copy)
        # The property, not frame_set, which would run every add-on's frame handlers.
        scene.frame_current = source.frame_current
        scene.frame_subframe = source.frame_subframe
        view_layer = scene.view_layers[0]
        view_layer.update()
        yield mesh_of(copy.evaluated_get(view_layer.depsgraph))
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.scenes.remove(scene)


def _cut_copy(mesh_object: bpy.types.Object) -> bpy.types.Object:
    before = {modifier.name for modifier in read_stack(mesh_object).before}
    copy = mesh_object.copy()
    # Its place in the world may matter to modifiers that look at other objects; its parent and constraints may not
    # move it again.
    world = mesh_object.matrix_world.copy()
    copy.parent = None
    copy.constraints.clear()
    if copy.animation_data:
        copy.animation_data_clear()
    copy.matrix_world = world
    copy.hide_viewport = False
    for modifier in list(copy.modifiers):
        if modifier.name not in before:
            copy.modifiers.remove(modifier)
    return copy
