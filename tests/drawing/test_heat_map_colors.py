"""The heat map's color is that of the deviation, at every vertex, and follows the pose and the reference."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.drawing.heat_scale import ramp_color
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.core.builders import scaling, translation
from tests.drawing.canvas import SETTINGS, block, painted, pixels_of, quad_drawing, reference_at
from tests.drawing.samples import palette_of, quad, whole_pass

pytestmark = pytest.mark.gpu

MIDDLE = (32, 32)


@pytest.mark.parametrize("distance", [0.0, 0.05, 0.1, 0.15, 0.25, 0.4, 2.0])
def test_the_heat_maps_colour_is_the_ramps(distance):
    drawing = quad_drawing()
    drawing.set_reference(reference_at((0.6 * distance, 0, 0.8 * distance)))
    color = pixels_of(drawing, "deviation")[MIDDLE]
    expected = ramp_color(SETTINGS.heat_scale.place(np.array(distance))) * 255
    np.testing.assert_allclose(color[:3], expected, atol=1.5)


def test_the_heat_map_measures_in_scene_units():
    drawing = quad_drawing()
    drawing.set_reference(reference_at((0.1, 0, 0)))
    color = pixels_of(drawing, "deviation", mesh_to_world=scaling(3, 1, 1))[MIDDLE]
    np.testing.assert_allclose(color[:3], ramp_color(np.array(0.75)) * 255, atol=1.5)


def test_the_heat_map_follows_a_new_pose_and_a_new_reference():
    drawing = quad_drawing()
    drawing.set_reference(reference_at((0, 0, 0.2)))
    drawing.update((palette_of(translation(0, 0, 0.2)),))
    np.testing.assert_allclose(
        pixels_of(drawing, "deviation")[MIDDLE][:3], ramp_color(np.array(0)) * 255, atol=1.5
    )
    drawing.set_reference(reference_at((0, 0, -0.1)))
    np.testing.assert_allclose(
        pixels_of(drawing, "deviation")[MIDDLE][:3], ramp_color(np.array(0.75)) * 255, atol=1.5
    )


def test_a_broken_number_has_no_colour_of_the_ramp():
    drawing = quad_drawing()
    drawing.set_reference(np.full((4, 3), np.nan, dtype=np.float32))
    np.testing.assert_array_equal(pixels_of(drawing, "deviation")[MIDDLE], (255, 0, 255, 255))


def test_the_reference_follows_vertices_of_split_corners():
    mesh, _ = quad()
    source = np.array((3, 2, 1, 0, 2))
    split = DrawMesh(source, [(3, 2, 1), (3, 4, 0)], np.tile((0, 0, 1), (5, 1)), np.zeros((5, 2)))
    drawing = SkinnedDrawing((whole_pass(4),), mesh, split)
    drawing.update((palette_of(np.eye(4)),))
    drawing.set_reference(mesh.positions + np.float32((0, 0, 0.2)))
    pixels = pixels_of(drawing, "deviation")
    np.testing.assert_array_equal(painted(pixels), block(-0.5, -0.5, 0.5, 0.5))
    assert len(np.unique(pixels[painted(pixels)], axis=0)) == 1


def test_more_vertices_than_a_row_of_the_reference_texture():
    count = 1030
    positions = np.zeros((4 * count, 3), dtype=np.float32)
    mesh, _ = quad()
    positions[-4:] = mesh.positions
    normals = np.tile(np.float32((0, 0, 1)), (4 * count, 1))
    last = 4 * count - 4
    triangles = np.array(((0, 1, 2), (0, 2, 3))) + last
    many = SourceMesh(positions, normals, np.empty((0, 2)), triangles)
    drawn = DrawMesh(np.arange(4 * count), triangles, normals, np.zeros((4 * count, 2)))
    drawing = SkinnedDrawing((whole_pass(4 * count),), many, drawn)
    drawing.update((palette_of(np.eye(4)),))
    reference = positions.copy()
    reference[-4:, 2] = 0.2
    drawing.set_reference(reference)
    color = pixels_of(drawing, "deviation")[MIDDLE]
    np.testing.assert_allclose(color[:3], ramp_color(np.array(0.5)) * 255, atol=1.5)
