"""Instanced characters: by nodes, by particles, or by an Empty, often linked from outside the scene."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ..identification import identity
from ..matrices import row_vectors
from .modifier_stack import armature_objects


def instanced_meshes(instancer: bpy.types.Object) -> list[bpy.types.Object]:
    """List the mesh objects moved by an armature in an object's instanced collection and those nested in it.

    Sorted by name. Excludes widgets, which rigs use as custom shapes for their bones, and meshes hidden in
    viewports.
    """
    collection = _instanced_collection(instancer)
    if collection is None:
        return []
    meshes = {
        one
        for inner in _with_nested({collection})
        for one in inner.all_objects
        if one.type == "MESH" and not one.hide_viewport and not one.name.startswith("WGT-") and _is_moved(one)
    }
    return sorted(meshes, key=identity)


def bring_in_instanced(scene: bpy.types.Scene) -> None:
    """Link characters that a scene has only as collection instances, and armatures outside it, into the scene.

    An armature's effect on its mesh, in mesh space, is the same wherever the mesh is instanced. Changes the
    scene; for files opened for measuring, not for a user's session.
    """
    instanced = (_instanced_collection(one) for one in scene.objects)
    inside = {
        one
        for collection in _with_nested(one for one in instanced if one is not None)
        for one in collection.all_objects
        if one.type == "MESH" and armature_objects(one)
    }
    present = set(scene.objects)
    meshes = inside | {one for one in present if one.type == "MESH"}
    armatures = {armature for one in meshes for armature in armature_objects(one)}
    for one in sorted((inside | armatures) - present, key=identity):
        scene.collection.objects.link(one)
    bpy.context.view_layer.update()


def is_instanced(depsgraph: bpy.types.Depsgraph, uids: Collection[int]) -> bool:
    """Tell whether an instancer of the view layer may show any object with these session_uids; nodes and
    particles aside, see `used_by_nodes_or_particles`.

    Takes a few milliseconds with thousands of objects; iterating over all instances takes ten times as long.
    """
    objects = depsgraph.view_layer_eval.objects
    instances = np.empty(len(objects), dtype=bool)
    objects.foreach_get("is_instancer", instances)
    if not instances.any():
        return False
    collections: set[bpy.types.Collection] = set()
    for index in np.flatnonzero(instances):
        original = objects[int(index)].original
        if original is not None and original.instance_type in {"VERTS", "FACES"}:
            if any(one.session_uid in uids for one in original.children):
                return True
        elif original is not None and (collection := _instanced_collection(original)) is not None:
            collections.add(collection)
    return any(
        one.session_uid in uids for collection in _with_nested(collections) for one in collection.all_objects
    )


def instances_of(
    depsgraph: bpy.types.Depsgraph, uids: Collection[int]
) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
    """Iterate over all instances of the objects with these session_uids.

    Yields: the object's uid, the uid of the object in the view layer that instances it, and its matrix to the
    world, (4, 4) float64, for row vectors.
    """
    for instance in depsgraph.object_instances:
        if not instance.is_instance or instance.parent is None:
            continue
        uid = instance.object.original.session_uid
        if uid in uids:
            yield uid, instance.parent.original.session_uid, row_vectors(instance.matrix_world)


def used_by_nodes_or_particles(uids: Collection[int]) -> bool:
    """Tell whether geometry nodes or particles use any object with these session_uids, or its collections."""
    seen: set[bpy.types.ID] = {one for one in bpy.data.objects if one.session_uid in uids}
    waiting = list(seen)
    while waiting:
        users = {user for those in bpy.data.user_map(subset=waiting).values() for user in those} - seen
        for user in users:
            if isinstance(user, bpy.types.GeometryNodeTree | bpy.types.ParticleSettings):
                return True
            # An input of the modifier instead of a node.
            if isinstance(user, bpy.types.Object) and any(one.type == "NODES" for one in user.modifiers):
                return True
        waiting = [user for user in users if isinstance(user, bpy.types.Collection)]
        seen.update(waiting)
    return False


def _instanced_collection(instancer: bpy.types.Object) -> bpy.types.Collection | None:
    return instancer.instance_collection if instancer.instance_type == "COLLECTION" else None


def _with_nested(collections: Iterable[bpy.types.Collection]) -> set[bpy.types.Collection]:
    """Return the collections and, recursively, those instanced by objects in them."""
    found: set[bpy.types.Collection] = set()
    waiting = list(collections)
    while waiting:
        collection = waiting.pop()
        if collection not in found:
            found.add(collection)
            inner = (_instanced_collection(one) for one in collection.all_objects if one.type == "EMPTY")
            waiting += [one for one in inner if one is not None]
    return found


def _is_moved(mesh_object: bpy.types.Object) -> bool:
    parent = mesh_object.parent
    carried = (
        parent is not None and parent.type == "ARMATURE" and mesh_object.parent_type in {"BONE", "OBJECT"}
    )
    return bool(armature_objects(mesh_object)) or carried
