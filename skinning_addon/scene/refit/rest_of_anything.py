"""The mesh that bones are to move, of an object that no armature moves.

It is the object's own mesh, with shape keys that stand still, if what moves it keeps its vertices and edges.
Otherwise (Subdivision, geometry nodes) it is Blender's result at the first frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..clips.playback import set_frame
from ..identification import identity
from ..meshes.blender_result import evaluated_mesh
from ..meshes.mesh_reader import read_positions
from ..object_data import mesh_of
from ..objects.animated_settings import animated_paths
from ..objects.deformed_meshes import armatures_at_some_frame, widgets


@dataclass(frozen=True, eq=False)
class RestOfAnything:
    """object: identity. positions: (V, 3) float64, mesh space. to_world: (4, 4) float64, row vectors, at the
    first frame. own: whether it is the object's own mesh. moving_keys: its shape keys that are animated.
    """

    object: str
    positions: NDArray[np.float64]
    to_world: NDArray[np.float64]
    own: bool
    moving_keys: frozenset[str]


def meshes_without_armature(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List the mesh objects that are shown and that no armature deforms, by name."""
    shapes = widgets(scene)
    view_layer = bpy.context.view_layer
    return sorted(
        (
            one
            for one in scene.objects
            if one.type == "MESH"
            and one not in shapes
            and one.visible_get(view_layer=view_layer)
            and not armatures_at_some_frame(one)
        ),
        key=identity,
    )


def first_frame(scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object], frame: float) -> None:
    """Go to a frame, through all frames before it that simulations need."""
    caches = [
        cache.frame_start
        for mesh in meshes
        for one in mesh.modifiers
        if (cache := getattr(one, "point_cache", None)) is not None
    ]
    for earlier in range(min(caches, default=int(frame)), int(frame)):
        set_frame(scene, earlier)
    set_frame(scene, frame)


def rest_of(mesh_object: bpy.types.Object) -> RestOfAnything:
    """Find the rest mesh, at the current frame, which has to be the first.

    Switches off the object's modifiers and animated shape keys: for files opened to be measured.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = mesh_object.evaluated_get(depsgraph)
    to_world = np.array(evaluated.matrix_world, dtype=np.float64).T
    result = mesh_of(evaluated)
    moving = moving_keys(mesh_object)
    if not keeps_topology(mesh_object, result):
        return RestOfAnything(
            identity(mesh_object), read_positions(result).astype(np.float64), to_world, False, moving
        )
    for modifier in mesh_object.modifiers:
        modifier.show_viewport = False
    keys = mesh_of(mesh_object).shape_keys
    for name in moving:
        keys.key_blocks[name].mute = True
    mesh_object.show_only_shape_key = False
    bpy.context.view_layer.update()
    own = read_positions(evaluated_mesh(mesh_object, bpy.context.evaluated_depsgraph_get()))
    return RestOfAnything(identity(mesh_object), own.astype(np.float64), to_world, True, moving)


def moving_keys(mesh_object: bpy.types.Object) -> frozenset[str]:
    """Name the shape keys that are animated or driven, all of them if they follow one another in time."""
    keys = mesh_of(mesh_object).shape_keys
    if keys is None:
        return frozenset()
    paths = animated_paths(keys)
    others = list(keys.key_blocks)[1:]
    if not keys.use_relative:
        return frozenset(one.name for one in others)
    return frozenset(one.name for one in others if one.path_from_id("value") in paths)


def keeps_topology(mesh_object: bpy.types.Object, result: bpy.types.Mesh) -> bool:
    """Tell whether a result has the vertices and edges of the object's own mesh."""
    return np.array_equal(_edges(mesh_of(mesh_object)), _edges(result)) and len(
        mesh_of(mesh_object).vertices
    ) == len(result.vertices)


def _edges(mesh: bpy.types.Mesh) -> NDArray[np.int32]:
    edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges)
    return edges
