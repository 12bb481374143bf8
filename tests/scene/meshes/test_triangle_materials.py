"""Each triangle's material, as the base color display needs it."""

from __future__ import annotations

import bpy
import numpy as np

from skinning_addon.scene.meshes.mesh_reader import read_draw_mesh


def grid(slots: int = 0):
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=2)
    for _ in range(slots):
        bpy.context.object.data.materials.append(None)
    return bpy.context.object.data


def test_every_triangle_has_the_material_of_its_face():
    mesh = grid(4)
    slots = np.array((0, 3, 1, 1, 0, 2), dtype=np.int32)
    mesh.polygons.foreach_set("material_index", slots)
    drawn = read_draw_mesh(mesh)
    expected = [mesh.polygons[triangle.polygon_index].material_index for triangle in mesh.loop_triangles]
    assert sorted(set(expected)) == [0, 1, 2, 3]
    np.testing.assert_array_equal(drawn.material, expected)


def test_a_slot_that_there_is_not_stands_for_the_last_one():
    """As renders have it: a file may keep the numbers of slots that were removed."""
    mesh = grid(2)
    mesh.polygons.foreach_set("material_index", np.array((0, 7, 1, 2, 0, 1), dtype=np.int32))
    drawn = read_draw_mesh(mesh)
    expected = [(0, 1, 1, 1, 0, 1)[triangle.polygon_index] for triangle in mesh.loop_triangles]
    np.testing.assert_array_equal(drawn.material, expected)
    mesh.materials.clear()
    mesh.polygons.foreach_set("material_index", np.array((0, 7, 1, 2, 0, 1), dtype=np.int32))
    assert read_draw_mesh(mesh).material is None


def test_a_mesh_of_one_material_needs_no_numbers():
    assert read_draw_mesh(grid()).material is None


def test_a_mesh_without_faces():
    mesh = bpy.data.meshes.new("Edge")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    assert read_draw_mesh(mesh).material is None
