"""Which objects Blender shows as instances, whatever makes them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.instanced_meshes import instances_of, is_instanced

AT = (5.0, 0.0, 0.0)


@pytest.fixture
def character() -> bpy.types.Object:
    mesh = bpy.data.meshes.new("Character")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    character = bpy.data.objects.new("Character", mesh)
    bpy.context.scene.collection.objects.link(character)
    return character


def host() -> bpy.types.Object:
    """An object of one vertex that stands elsewhere."""
    mesh = bpy.data.meshes.new("Host")
    mesh.vertices.add(1)
    one = bpy.data.objects.new("Host", mesh)
    one.location = AT
    bpy.context.scene.collection.objects.link(one)
    return one


def by_nodes(info: str, socket: str, value: bpy.types.ID) -> None:
    """Instance what a node brings in, on one point."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = {name: tree.nodes.new(f"GeometryNode{name}") for name in ("Points", "InstanceOnPoints", info)}
    nodes[info].inputs[socket].default_value = value
    if "As Instance" in nodes[info].inputs:
        nodes[info].inputs["As Instance"].default_value = True
    made = next(one for one in nodes[info].outputs if one.name in {"Geometry", "Instances"})
    tree.links.new(made, nodes["InstanceOnPoints"].inputs["Instance"])
    tree.links.new(nodes["Points"].outputs[0], nodes["InstanceOnPoints"].inputs["Points"])
    tree.links.new(nodes["InstanceOnPoints"].outputs[0], tree.nodes.new("NodeGroupOutput").inputs[0])
    host().modifiers.new("Scatter", "NODES").node_group = tree


def by_object_info(character: bpy.types.Object) -> None:
    by_nodes("ObjectInfo", "Object", character)


def in_collection(character: bpy.types.Object) -> bpy.types.Collection:
    inner, outer = bpy.data.collections.new("Inner"), bpy.data.collections.new("Outer")
    outer.children.link(inner)
    inner.objects.link(character)
    return outer


def by_collection_info(character: bpy.types.Object) -> None:
    by_nodes("CollectionInfo", "Collection", in_collection(character))


def by_empty(character: bpy.types.Object) -> None:
    empty = bpy.data.objects.new("Empty", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", in_collection(character)
    empty.location = AT
    bpy.context.scene.collection.objects.link(empty)


def by_vertices(character: bpy.types.Object) -> None:
    character.parent = host()
    character.parent.instance_type = "VERTS"


@pytest.mark.parametrize("make", [by_object_info, by_collection_info, by_empty, by_vertices])
def test_an_instance_is_found_where_blender_shows_it(character: bpy.types.Object, make) -> None:
    make(character)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    uids = {character.session_uid}
    assert is_instanced(depsgraph, uids)
    ((uid, _, mesh_to_world),) = instances_of(depsgraph, uids)
    assert uid == character.session_uid
    assert np.allclose(mesh_to_world[3, :3], AT)


def test_an_object_that_nothing_instances_costs_no_walk_through_instances(
    character: bpy.types.Object,
) -> None:
    other = character.copy()
    bpy.context.scene.collection.objects.link(other)
    by_object_info(other)
    assert not is_instanced(bpy.context.evaluated_depsgraph_get(), {character.session_uid})
