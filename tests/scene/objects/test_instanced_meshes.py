"""Which objects Blender shows as instances, whatever creates them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.scene.objects.instanced_meshes import (
    instances_of,
    is_instanced,
    used_by_nodes_or_particles,
)

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


MAKERS = [by_object_info, by_collection_info, by_empty, by_vertices]


@pytest.mark.parametrize("make", MAKERS)
def test_an_instance_is_found_where_blender_shows_it(character: bpy.types.Object, make) -> None:
    make(character)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    uids = {character.session_uid}
    assert is_instanced(depsgraph, uids) or used_by_nodes_or_particles(uids)
    ((uid, _, mesh_to_world),) = instances_of(depsgraph, uids)
    assert uid == character.session_uid
    assert np.allclose(mesh_to_world[3, :3], AT)


def tilted_faces() -> bpy.types.Object:
    """An object that is turned and scaled, of three faces of different sizes that look different ways."""
    mesh = bpy.data.meshes.new("Faces")
    corners = [(0, 0, 0), (1, 0, 0.2), (1, 1, 0.4), (0, 1, 0), (2, 0, 1), (2, 1.5, 0.5), (0, 3, 1)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3), (1, 4, 5, 2), (3, 2, 6)])
    one = bpy.data.objects.new("Faces", mesh)
    one.location, one.rotation_euler, one.scale = AT, (0.3, -0.5, 1.1), (1.5, 1.5, 1.5)
    bpy.context.scene.collection.objects.link(one)
    return one


def on_faces(character: bpy.types.Object) -> bpy.types.Object:
    character.parent = instancer = tilted_faces()
    instancer.instance_type = "FACES"
    instancer.use_instance_faces_scale, instancer.instance_faces_scale = True, 0.8
    return instancer


def on_turned_vertices(character: bpy.types.Object) -> bpy.types.Object:
    character.parent = instancer = tilted_faces()
    instancer.instance_type, instancer.use_instance_vertices_rotation = "VERTS", True
    return instancer


def on_particles(character: bpy.types.Object) -> bpy.types.Object:
    instancer = tilted_faces()
    instancer.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = instancer.particle_systems[0].settings
    settings.count, settings.emit_from, settings.use_emit_random = 7, "VERT", False
    settings.frame_start = settings.frame_end = 1
    settings.physics_type = "NO"
    settings.particle_size, settings.size_random = 0.6, 0.5
    settings.use_rotations, settings.rotation_factor_random, settings.phase_factor = True, 0.7, 0.3
    settings.render_type, settings.instance_object = "OBJECT", character
    settings.use_rotation_instance = settings.use_scale_instance = True
    bpy.context.scene.frame_set(2)
    return instancer


def on_particles_of_a_collection(character: bpy.types.Object) -> bpy.types.Object:
    instancer = on_particles(character)
    collection = bpy.data.collections.new("Crowd")
    collection.objects.link(character)
    settings = instancer.particle_systems[0].settings
    settings.render_type, settings.instance_collection = "COLLECTION", collection
    return instancer


def made_real(instancer: bpy.types.Object) -> list[np.ndarray]:
    """Have Blender's own operator turn instances into objects; return where these stand, as (4, 4) row vectors.

    Objects hold no shear, so nothing may be scaled unevenly.
    """
    there = set(bpy.data.objects)
    for one in bpy.context.view_layer.objects:
        one.select_set(one == instancer)
    bpy.context.view_layer.objects.active = instancer
    bpy.ops.object.duplicates_make_real()
    bpy.context.view_layer.update()
    return [np.array(one.matrix_world).T for one in bpy.data.objects if one not in there]


@pytest.mark.parametrize(
    ("make", "count"),
    [(on_faces, 3), (on_turned_vertices, 7), (on_particles, 7), (on_particles_of_a_collection, 7)],
)
def test_instances_stand_turned_and_scaled_as_the_objects_that_blender_makes_of_them(
    character: bpy.types.Object, make, count: int
) -> None:
    character.location, character.rotation_euler, character.scale = (
        (0.4, 0.1, -0.3),
        (0.2, 0.6, -0.4),
        (0.8, 0.8, 0.8),
    )
    instancer = make(character)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    uids = {character.session_uid}
    assert is_instanced(depsgraph, uids) or used_by_nodes_or_particles(uids)
    found = list(instances_of(depsgraph, uids))
    assert {(uid, shown_by) for uid, shown_by, _ in found} == {(character.session_uid, instancer.session_uid)}
    ours = np.array([matrix for _, _, matrix in found])
    blenders = np.array(made_real(instancer))
    assert ours.shape == blenders.shape == (count, 4, 4)
    nearest = np.abs(ours[:, None] - blenders).max(axis=(2, 3))
    assert nearest.min(axis=1).max() < 1e-5
    assert sorted(nearest.argmin(axis=1).tolist()) == list(range(count))


def test_an_object_that_nothing_instances_costs_no_walk_through_instances(
    character: bpy.types.Object,
) -> None:
    other = character.copy()
    bpy.context.scene.collection.objects.link(other)
    by_object_info(other)
    assert not is_instanced(bpy.context.evaluated_depsgraph_get(), {character.session_uid})
    assert not used_by_nodes_or_particles({character.session_uid})
