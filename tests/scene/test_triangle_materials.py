"""Which material a triangle has, as the base colour display needs it."""

from __future__ import annotations

import bpy
import numpy as np

from skinning_addon.scene.mesh_reader import read_draw_mesh


def grid():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=2)
    return bpy.context.object.data


def test_every_triangle_has_the_material_of_its_face():
    mesh = grid()
    slots = np.array((0, 3, 1, 1, 0, 2), dtype=np.int32)
    mesh.polygons.foreach_set("material_index", slots)
    drawn = read_draw_mesh(mesh)
    expected = [mesh.polygons[triangle.polygon_index].material_index for triangle in mesh.loop_triangles]
    assert sorted(set(expected)) == [0, 1, 2, 3]
    np.testing.assert_array_equal(drawn.material, expected)


def test_a_mesh_of_one_material_needs_no_numbers():
    assert read_draw_mesh(grid()).material is None


def test_a_mesh_without_faces():
    mesh = bpy.data.meshes.new("Edge")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    assert read_draw_mesh(mesh).material is None
