"""The displays of weights, materials and normals show the right colors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.skinning.palette import Palette
from skinning_addon.core.skinning.passes import Pass
from skinning_addon.core.skinning.skin import Skin
from skinning_addon.drawing.count_classes import count_classes
from skinning_addon.drawing.displays import DISPLAYS, find_display
from skinning_addon.drawing.float_texture import float_texture
from skinning_addon.drawing.heat_scale import SEQUENCE, ramp_color
from skinning_addon.drawing.legend import LegendClasses, display_legend, legend_size
from skinning_addon.drawing.materials import MaterialLook
from skinning_addon.drawing.reference import vertex_normals
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from skinning_addon.drawing.vertex_paint import bone_colors, linear_from_srgb
from tests.core.builders import rotation, scaling
from tests.drawing.canvas import SETTINGS, block, painted, pixels_of, quad_drawing
from tests.drawing.samples import palette_of, plain_joints, quad, whole_pass
from tests.drawing.test_legend_and_labels import GREY, SIZE, legend_pixels

pytestmark = pytest.mark.gpu

NORMAL_SCALE = find_display("normal_deviation").scale
WEIGHT_SCALE = find_display("active_weight").scale

MIDDLE = (32, 32)


def weighted_quad(weights):
    """A square at rest, all vertices with the same weights of joints 1, 2, ..."""
    mesh, drawn = quad()
    each = len(weights)
    skin = Skin(np.arange(5) * each, np.tile(np.arange(1, each + 1), 4), np.tile(weights, 4))
    drawing = SkinnedDrawing((Pass(skin, plain_joints(each + 1), "Armature"),), mesh, drawn)
    drawing.update((Palette(np.tile(np.eye(4), (each + 1, 1, 1))),))
    return drawing


def middle(drawing, display, settings=SETTINGS, **view):
    return pixels_of(drawing, display, settings=settings, **view)[MIDDLE][:3] / 255


@pytest.mark.parametrize("count", [1, 4, 5, 8, 9, 12])
def test_the_influence_count_has_its_classes_colour(count):
    color = middle(weighted_quad([1.0] * count), "influence_count")
    np.testing.assert_allclose(color, count_classes(4)[min(count, 9)].color, atol=0.006)


@pytest.mark.parametrize("bone", [0, 1, 2, 3])
def test_the_active_bones_weight_is_on_the_ramp(bone):
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    settings = replace(SETTINGS, active_bone=("Armature", bone))
    expected = ramp_color(WEIGHT_SCALE.place(np.array(weights[bone] / 10)), SEQUENCE)
    np.testing.assert_allclose(
        middle(weighted_quad(weights), "active_weight", settings), expected, atol=0.006
    )


def test_another_active_bone_is_shown_at_once():
    drawing = weighted_quad([1.0, 0.0])
    one, other = (
        middle(drawing, "active_weight", replace(SETTINGS, active_bone=("Armature", bone))) for bone in (0, 1)
    )
    np.testing.assert_allclose(one, ramp_color(np.array(1), SEQUENCE), atol=0.006)
    np.testing.assert_allclose(other, ramp_color(np.array(0), SEQUENCE), atol=0.006)


@pytest.mark.parametrize(("limit", "place"), [(3, 0.0), (2, 5 / 6), (1, 1.0)])
def test_dropped_weight_is_on_its_ramp(limit, place):
    settings = replace(SETTINGS, influence_limit=limit)
    color = middle(weighted_quad([0.5, 0.3, 0.2]), "dropped_weight", settings)
    np.testing.assert_allclose(color, ramp_color(np.array(place)), atol=0.006)


def test_the_dominant_bone_has_its_colour():
    color = middle(weighted_quad([0.2, 0.5, 0.3]), "dominant_bone")
    np.testing.assert_allclose(color, bone_colors(3)[1], atol=0.006)


@pytest.mark.parametrize("angle", [0.0, 0.5, 3.0, 10.0, 30.0, 90.0, 180.0])
def test_the_deviation_of_normals_is_an_angle(angle):
    drawing = quad_drawing()
    turned = (np.tile((0.0, 0.0, 1.0, 0.0), (4, 1)) @ rotation((1, 0, 0), angle))[:, :3]
    drawing.set_reference(quad()[0].positions, turned.astype(np.float32))
    expected = ramp_color(NORMAL_SCALE.place(np.array(angle)))
    np.testing.assert_allclose(middle(drawing, "normal_deviation"), expected, atol=0.008)


def test_the_deviation_of_normals_is_that_of_the_scene():
    # In a mesh that is stretched threefold along X, a normal that leans by 45 degrees leans by 18.4.
    drawing = quad_drawing()
    leaning = np.tile(np.sqrt([0.5, 0, 0.5]), (4, 1)).astype(np.float32)
    drawing.set_reference(quad()[0].positions, leaning)
    expected = ramp_color(NORMAL_SCALE.place(np.degrees(np.arctan(1 / 3))))
    color = middle(drawing, "normal_deviation", mesh_to_world=scaling(3, 1, 1))
    np.testing.assert_allclose(color, expected, atol=0.008)


def test_vertex_normals_are_compared_whatever_the_corners_have():
    mesh, drawn = quad()
    leaning = np.tile(np.float32((0.6, 0, 0.8)), (4, 1))
    custom = DrawMesh(drawn.source_vertex, drawn.triangles, leaning, drawn.uv)
    drawing = SkinnedDrawing((whole_pass(4),), mesh, custom)
    drawing.update((palette_of(np.eye(4)),))
    drawing.set_reference(mesh.positions, mesh.normals)
    place = NORMAL_SCALE.place(np.array(0.0))
    # A light from the viewer, and one from the upper left, from which the normal leans away.
    facing = 0.12 + 0.5 * 0.8 + 0.38 * (0.8 - 0.6 * 0.75)
    color = linear_from_srgb(middle(drawing, "normal_deviation"))
    np.testing.assert_allclose(color, facing * linear_from_srgb(ramp_color(place)), atol=0.01)


def test_reference_normals_that_are_left_out_come_from_the_triangles():
    drawing = quad_drawing(rotation((1, 0, 0), 30))
    drawing.set_reference(quad()[0].positions)
    expected = ramp_color(NORMAL_SCALE.place(np.array(30.0)))
    color = linear_from_srgb(middle(drawing, "normal_deviation"))
    # Seen at an angle it is darker, but of the same color.
    expected = linear_from_srgb(expected)
    np.testing.assert_allclose(color / color.max(), expected / expected.max(), atol=0.01)
    assert 0.6 < color.max() / expected.max() < 1
    mesh = quad()[0]
    np.testing.assert_allclose(vertex_normals(mesh.positions, mesh.triangles), mesh.normals, atol=1e-12)
    assert not vertex_normals(np.zeros((3, 3)), np.array([(0, 1, 2)])).any()


def two_materials():
    """The left half of material 2, the right half of material 0; the texture runs from left to right."""
    positions = [(x, y, 0) for y in (-1, 1) for x in (-1, 0, 1)]
    triangles = np.array(((1, 2, 5), (0, 1, 4), (1, 5, 4), (0, 4, 3)))
    normals = np.tile((0, 0, 1), (6, 1))
    mesh = SourceMesh(positions, normals, np.empty((0, 2)), triangles)
    uv = np.array([((x + 1) / 2, (y + 1) / 2) for x, y, _ in positions])
    drawn = DrawMesh(np.arange(6), triangles, normals, uv, material=np.array((0, 2, 0, 2)))
    drawing = SkinnedDrawing((whole_pass(6),), mesh, drawn)
    drawing.update((palette_of(np.eye(4)),))
    return drawing


def flat(color):
    """Return the appearance of a square of this base color when shaded."""
    return pixels_of(quad_drawing(size=4.0), settings=replace(SETTINGS, base_color=color))[MIDDLE]


def test_every_material_has_its_colour():
    drawing = two_materials()
    red, green = (0.8, 0.1, 0.1), (0.1, 0.7, 0.2)
    drawing.set_materials((MaterialLook(red), MaterialLook((0, 0, 1)), MaterialLook(green)))
    pixels = pixels_of(drawing, "base_color")
    assert (pixels[block(0, -1, 1, 1)] == flat(red)).all()
    assert (pixels[block(-1, -1, 0, 1)] == flat(green)).all()
    np.testing.assert_array_equal(painted(pixels), block(-1, -1, 1, 1))


def test_undescribed_materials_have_the_base_colour():
    drawing = two_materials()
    assert (pixels_of(drawing, "base_color")[block(-1, -1, 1, 1)] == flat(SETTINGS.base_color)).all()
    drawing.set_materials((MaterialLook((0.8, 0.1, 0.1)),))
    assert (pixels_of(drawing, "base_color")[block(-1, -1, 0, 1)] == flat(SETTINGS.base_color)).all()


def test_a_texture_lies_where_its_coordinates_say():
    columns = np.zeros((1, 4, 4), dtype=np.float32)
    columns[0, :, :3] = ((0.9, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.9), (0.8, 0.8, 0.1))
    columns[..., 3] = 1
    texture = float_texture(np.repeat(columns, 16, axis=1))
    drawing = two_materials()
    half = (0.5, 0.5, 0.5)
    drawing.set_materials((MaterialLook((1, 1, 1), texture), MaterialLook(half), MaterialLook(half, texture)))
    pixels = pixels_of(drawing, "base_color").astype(int)
    for column, strength in enumerate((0.5, 0.5, 1, 1)):
        expected = flat(tuple(strength * columns[0, column, :3].astype(float)))
        x = 16 + 8 * column + 4
        np.testing.assert_allclose(pixels[32, x], expected, atol=1)


@pytest.mark.parametrize("display", [display.name for display in DISPLAYS if display.primitive == "TRIS"])
def test_the_wireframe_goes_over_every_display(display):
    drawing = quad_drawing(size=2.0)
    drawing.set_reference(quad(2.0)[0].positions)
    wired = replace(SETTINGS, wire_color=(0.0, 1.0, 1.0, 1.0), wireframe=True)
    line = (pixels_of(drawing, display, settings=wired) == (0, 255, 255, 255)).all(axis=2)
    assert line.sum() == pytest.approx(4 * 32, abs=6)


def test_legends_say_what_the_colours_mean():
    def ticks(name):
        return display_legend(find_display(name), SETTINGS)[0].ticks

    assert ticks("deviation") == ("0", "10 cm", "20 cm", "30 cm", "≥ 40 cm")
    assert ticks("normal_deviation") == ("0", "1°", "5°", "10°", "20°", "45°", "≥ 90°")
    assert ticks("active_weight") == ("0", "25%", "50%", "75%", "100%")
    assert ticks("dropped_weight") == ("0", "1%", "2%", "5%", "10%", "20%", "≥ 50%")
    assert ticks("influence_count") == (*"0123", "4 (limit)", *"5678", "> 8")
    for name in ("shaded", "base_color", "dominant_bone", "wireframe"):
        assert display_legend(find_display(name), SETTINGS) is None


def test_the_legend_of_classes_shows_their_colours():
    text, scale = display_legend(find_display("influence_count"), SETTINGS)
    assert isinstance(text, LegendClasses)
    pixels = legend_pixels(text, scale, (10, 5))
    for one in count_classes(4):
        assert (np.abs(pixels[:, :, :3] - 255 * np.array(one.color)) < 1.5).all(axis=2).sum() > 100
    changed = (pixels[:, :, :3] != GREY).any(axis=2)
    rows = np.flatnonzero(changed.any(axis=1))
    assert rows[-1] == SIZE[1] - 5 - 1
    assert rows[0] == pytest.approx(SIZE[1] - 5 - legend_size(text)[1], abs=1.5)
