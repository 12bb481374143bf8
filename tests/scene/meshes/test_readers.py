"""Readers return the scene's data in our convention."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from skinning_addon.core.profiles.hierarchy import HierarchyRule, pose_through
from skinning_addon.scene.armatures.armature_reader import read_armature
from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh, read_source_mesh
from skinning_addon.scene.meshes.vertex_group_reader import read_memberships
from tests.scene.random_rig import RigOptions, random_rig


def test_bones_keep_their_names_parents_and_matrices() -> None:
    armature = random_rig(RigOptions()).armature
    reader = read_armature(armature)
    to_root = reader.read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    for bone, name in enumerate(reader.skeleton.names):
        data = armature.data.bones[name]
        parent = reader.skeleton.parents[bone]
        assert (reader.skeleton.names[parent] if parent >= 0 else None) == (data.parent and data.parent.name)
        assert reader.deforms[bone] == data.use_deform
        assert pytest.approx(np.array(data.matrix_local)) == reader.skeleton.rest_to_root[bone].T
        assert pytest.approx(np.array(armature.pose.bones[name].matrix), abs=1e-6) == to_root[bone].T


@pytest.mark.parametrize("options", [RigOptions(), RigOptions(constraints=True, inherit_scale="ALIGNED")])
def test_our_own_pass_rebuilds_what_blender_posed(options: RigOptions) -> None:
    armature = random_rig(options).armature
    reader = read_armature(armature)
    to_root = reader.read_to_root(armature.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    assert pose_through(HierarchyRule.MATRICES, reader.skeleton, to_root) == pytest.approx(to_root, abs=1e-9)


def test_weights_come_as_stored_in_stored_order() -> None:
    rig = random_rig(RigOptions())
    bone_of_name = {bone.name: index for index, bone in enumerate(rig.armature.data.bones)}
    skin = read_memberships(rig.mesh.data).bone_skin(rig.mesh.vertex_groups.keys(), bone_of_name)
    groups = rig.mesh.vertex_groups
    for vertex in rig.mesh.data.vertices:
        expected = [
            (bone_of_name[groups[member.group].name], member.weight)
            for member in vertex.groups
            if groups[member.group].name in bone_of_name
        ]
        entries = slice(skin.starts[vertex.index], skin.starts[vertex.index + 1])
        assert (
            list(zip(skin.bones[entries].tolist(), skin.weights[entries].tolist(), strict=True)) == expected
        )


def test_one_group_reads_as_zero_where_a_vertex_is_not_in_it() -> None:
    rig = random_rig(RigOptions())
    group = rig.mesh.vertex_groups["mask"]
    weights = read_memberships(rig.mesh.data).weights_of(group.index)
    assert weights[1::2].max() == 0
    assert weights[0] == group.weight(0)


def test_a_mesh_without_vertex_groups_has_no_weights() -> None:
    mesh = bpy.data.meshes.new("Bare")
    mesh.from_pydata([(0, 0, 0)], [], [])
    assert read_memberships(mesh).bone_skin([], {}).largest_count == 0


def _cube() -> bpy.types.Mesh:
    bpy.ops.mesh.primitive_cube_add()
    return bpy.context.active_object.data


def test_a_flat_cube_is_drawn_with_its_corners_apart_and_a_smooth_one_without_uv_joined() -> None:
    mesh = _cube()
    flat = read_draw_mesh(mesh)
    assert len(flat.source_vertex) == 24
    assert np.abs(flat.normals).sum(axis=1) == pytest.approx(np.ones(24))
    assert flat.triangles.shape == (12, 3)
    mesh.uv_layers.remove(mesh.uv_layers[0])
    mesh.polygons.foreach_set("use_smooth", [True] * 6)
    mesh.update()
    assert len(read_draw_mesh(mesh).source_vertex) == 8


def test_drawn_triangles_are_the_source_triangles() -> None:
    mesh = random_rig(RigOptions()).mesh.data
    source, drawn = read_source_mesh(mesh), read_draw_mesh(mesh)
    assert np.array_equal(drawn.source_vertex[drawn.triangles], source.triangles)
    assert source.positions == pytest.approx(np.array([vertex.co for vertex in mesh.vertices]))
    assert source.normals == pytest.approx(np.array([vertex.normal for vertex in mesh.vertices]), abs=1e-6)
    assert source.vertex_areas.sum() == pytest.approx(
        sum(polygon.area for polygon in mesh.polygons), rel=1e-5
    )


def test_texture_coordinates_follow_their_corners() -> None:
    mesh = _cube()
    drawn = read_draw_mesh(mesh)
    corner_uv = {tuple(np.round(entry.vector, 5)) for entry in mesh.uv_layers[0].uv}  # pyright: ignore[reportCallIssue]
    assert {tuple(np.round(uv, 5)) for uv in drawn.uv.astype(float)} == corner_uv
