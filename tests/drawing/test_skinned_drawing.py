"""Drawing lands in the right place, in the right color, and leaves no trace except pixels."""

from __future__ import annotations

from dataclasses import replace

import gpu
import numpy as np
import pytest

from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.core.text.errors import UsageError
from skinning_addon.drawing.displays import DISPLAYS
from skinning_addon.drawing.heat_scale import ramp_color
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.core.builders import rotation, scaling, translation
from tests.drawing.canvas import (
    SETTINGS,
    VIEW_TO_CLIP,
    WORLD_TO_VIEW,
    block,
    canvas,
    draw_into,
    painted,
    pixels_of,
    quad_drawing,
    reference_at,
)
from tests.drawing.samples import palette_of, quad, random_palette, random_pass, whole_pass

pytestmark = pytest.mark.gpu

MIDDLE = (32, 32)


def test_a_square_lands_where_its_bone_carries_it():
    pixels = pixels_of(quad_drawing(translation(1, 0.5, -3)))
    np.testing.assert_array_equal(painted(pixels), block(0.5, 0, 1.5, 1))


def test_the_object_carries_it_further():
    turned = rotation((0, 0, 1), 90) @ translation(-1, 0, 0)
    pixels = pixels_of(quad_drawing(scaling(2, 1, 1)), mesh_to_world=turned)
    np.testing.assert_array_equal(painted(pixels), block(-1.5, -1, -0.5, 1))


def test_a_new_pose_moves_it():
    drawing = quad_drawing()
    np.testing.assert_array_equal(painted(pixels_of(drawing)), block(-0.5, -0.5, 0.5, 0.5))
    drawing.update((palette_of(translation(0, 1, 0)),))
    np.testing.assert_array_equal(painted(pixels_of(drawing)), block(-0.5, 0.5, 0.5, 1.5))


def test_other_positions_are_skinned_in_place_of_those_it_was_made_with():
    drawing = quad_drawing(translation(0, 0.5, 0))
    drawing.set_reference(reference_at((0.25, 0.5, 0)))
    pixels_of(drawing)
    drawing.set_positions(reference_at((0.25, 0, 0)))
    np.testing.assert_array_equal(painted(pixels_of(drawing)), block(-0.25, 0, 0.75, 1))
    hot = pixels_of(drawing, "deviation")[24, 36, :3]
    np.testing.assert_allclose(hot, ramp_color(np.array(0)) * 255, atol=1.5)
    edges = painted(pixels_of(drawing, "wireframe"))
    assert edges.any()
    assert not (edges & ~block(-0.3, -0.1, 0.8, 1.1)).any()


def test_other_normals_are_lit_in_place_of_those_it_was_made_with():
    drawing = quad_drawing()
    before = pixels_of(drawing)[MIDDLE]
    tilted = np.tile(np.float32((0.8, 0, 0.6)), (4, 1))
    drawing.set_positions(quad()[0].positions, tilted)
    assert (pixels_of(drawing)[MIDDLE] != before).any()
    drawing.set_positions(quad()[0].positions)
    assert (pixels_of(drawing)[MIDDLE] != before).any(), "normals stay where none are given"
    drawing.set_positions(quad()[0].positions, quad()[1].normals)
    np.testing.assert_array_equal(pixels_of(drawing)[MIDDLE], before)


def test_far_from_the_origin_nothing_shakes():
    drawing = quad_drawing(translation(1 / 32, 0, 0))
    near = pixels_of(drawing)
    far = translation(3e6, -2e6, 5e6)
    away = pixels_of(drawing, mesh_to_world=far, world_to_view=np.linalg.inv(far))
    np.testing.assert_array_equal(near, away)


def test_wireframe_draws_the_edges_alone():
    color = replace(SETTINGS, wire_color=(1.0, 0.0, 0.0, 1.0))
    pixels = pixels_of(quad_drawing(size=2.0), "wireframe", settings=color)
    seen = painted(pixels)
    assert not seen[block(-0.9, -0.9, 0.9, 0.9)].any()
    assert seen.sum() == pytest.approx(4 * 32, abs=6)
    np.testing.assert_array_equal(np.unique(pixels[seen], axis=0), [(255, 0, 0, 255)])


def test_wireframe_goes_over_any_display():
    wired = replace(SETTINGS, wire_color=(1.0, 0.0, 0.0, 1.0), wireframe=True)
    drawing = quad_drawing(size=2.0)
    drawing.set_reference(quad(2.0)[0].positions)
    for display in ("shaded", "deviation"):
        plain = pixels_of(drawing, display)
        pixels = pixels_of(drawing, display, settings=wired)
        red = (pixels == (255, 0, 0, 255)).all(axis=2)
        assert red.sum() == pytest.approx(4 * 32, abs=6)
        np.testing.assert_array_equal(pixels[~red & painted(plain)], plain[~red & painted(plain)])


def test_loose_edges_are_drawn_though_no_face_has_them():
    mesh = SourceMesh([(-1, 0, 0), (1, 0, 0)], np.zeros((2, 3)), [(0, 1)], np.empty((0, 3)))
    drawn = DrawMesh(np.empty(0), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 2)))
    drawing = SkinnedDrawing((whole_pass(2),), mesh, drawn)
    drawing.update((palette_of(translation(0, 1 / 32, 0)),))
    pixels = pixels_of(drawing, "wireframe", settings=replace(SETTINGS, wire_color=(1.0, 1.0, 1.0, 1.0)))
    assert painted(pixels).sum() == pytest.approx(32, abs=1)
    assert not painted(pixels_of(drawing, "shaded")).any()


def test_nearer_surfaces_hide_farther_ones_whatever_the_order():
    near, far = quad_drawing(translation(0, 0, 1)), quad_drawing(translation(0.5, 0, -1))
    far.set_reference(reference_at((9, 9, 9)))
    for order in ((0, 1), (1, 0)):
        with canvas() as picture:
            for number in order:
                draw_into(picture, (near, far)[number], ("shaded", "deviation")[number])
            pixels = picture.pixels()
        red = (pixels[:, :, 0] > 80) & (pixels[:, :, 2] < 40)
        np.testing.assert_array_equal(red, block(0.5, -0.5, 1, 0.5))


@pytest.mark.parametrize("perspective", [False, True])
def test_nearer_by_more_than_they_differ_it_is_never_cut_through(perspective):
    """Two squares that cross, one tilted to the left and one to the right."""
    one, other = (quad_drawing(rotation((0, 1, 0), angle), size=2.0) for angle in (20, -20))
    other.set_reference(reference_at((9, 9, 9), size=2.0))
    to_view = translation(0, 0, -5) if perspective else WORLD_TO_VIEW
    projection = np.array([(2, 0, 0, 0), (0, 2, 0, 0), (0, 0, -1.02, -1), (0, 0, -0.2, 0)], dtype=float)
    to_clip = projection if perspective else VIEW_TO_CLIP

    def red(toward_viewer, *behind):
        settings = replace(SETTINGS, toward_viewer=toward_viewer)
        with canvas() as picture:
            for drawing in behind:
                draw_into(picture, drawing, world_to_view=to_view, view_to_clip=to_clip)
            draw_into(
                picture,
                other,
                "deviation",
                world_to_view=to_view,
                view_to_clip=to_clip,
                settings=settings,
            )
            pixels = picture.pixels()
        return (pixels[:, :, 0] > 60) & (pixels[:, :, 2] < 40)

    alone = red(0.0)
    assert 0.4 < red(0.0, one).sum() / alone.sum() < 0.6, "they cross in the middle"
    np.testing.assert_array_equal(red(0.8, one), alone)
    np.testing.assert_array_equal(red(50.0, one), alone)
    near = quad_drawing(translation(0, 0, 2.0), size=2.0)
    assert not red(0.8, near)[28:36, 28:36].any(), "what is farther in front still hides it"


def test_drawn_in_place_it_wins_every_pixel():
    tilted = rotation((1, 1, 0), 50)
    with canvas() as picture:
        draw_into(picture, quad_drawing(tilted, size=3.0), settings=replace(SETTINGS, depth_bias=0.0))
        below = picture.pixels()
        # The same surface by way of other numbers, as Blender's own mesh is.
        again = quad_drawing(tilted @ scaling(3, 3, 3) @ translation(0, 0, 1e-7), size=1.0)
        again.set_reference(reference_at((9, 9, 9)))
        draw_into(picture, again, "deviation")
        pixels = picture.pixels()
    changed = (pixels != below).any(axis=2)
    assert painted(below).sum() > 1000
    assert changed[painted(below)].mean() == 1.0


@pytest.mark.parametrize("turn", [0, 180])
def test_both_sides_of_a_surface_are_lit(turn):
    pixels = pixels_of(quad_drawing(rotation((0, 1, 0), turn)))
    np.testing.assert_array_equal(pixels[MIDDLE], pixels_of(quad_drawing())[MIDDLE])


def test_a_mirrored_object_is_lit_like_its_original():
    drawing = quad_drawing(rotation((0, 1, 0), 30))
    mirrored = quad_drawing(rotation((0, 1, 0), -30))
    np.testing.assert_array_equal(
        pixels_of(drawing)[MIDDLE], pixels_of(mirrored, mesh_to_world=scaling(-1, 1, 1))[MIDDLE]
    )


def test_light_falls_off_with_the_angle():
    facing, tilted = (pixels_of(quad_drawing(rotation((0, 1, 0), angle)))[MIDDLE][0] for angle in (0, 70))
    assert facing > tilted + 20


def test_colours_are_encoded_for_a_picture_that_does_not_do_it_itself():
    drawing = quad_drawing(size=2.0)
    pixels = pixels_of(drawing, "wireframe", settings=replace(SETTINGS, wire_color=(0.5, 0.2, 0.0, 1.0)))
    np.testing.assert_allclose(pixels[painted(pixels)][0], (188, 124, 0, 255), atol=1)


def test_a_mesh_of_nothing_draws_nothing():
    mesh = SourceMesh(np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 2)), np.empty((0, 3)))
    drawn = DrawMesh(np.empty(0), np.empty((0, 3)), np.empty((0, 3)), np.empty((0, 2)))
    drawing = SkinnedDrawing((whole_pass(0),), mesh, drawn)
    drawing.update((palette_of(np.eye(4)),))
    drawing.set_reference(np.empty((0, 3), dtype=np.float32))
    for display in DISPLAYS:
        assert not painted(pixels_of(drawing, display.name)).any()
    drawing.free()


def test_an_unknown_display_is_refused_by_name():
    with pytest.raises(
        UsageError, match=r"'heat' is not a display; choose one of shaded, deviation, .*wireframe"
    ):
        pixels_of(quad_drawing(), "heat")


def test_a_deviation_needs_a_reference_of_every_vertex():
    drawing = quad_drawing()
    with pytest.raises(ValueError, match="set_reference"):
        pixels_of(drawing, "deviation")
    with pytest.raises(ValueError, match=r"\(3, 3\) for 4 vertices"):
        drawing.set_reference(np.zeros((3, 3), dtype=np.float32))


def state():
    return (
        gpu.state.depth_test_get(),
        gpu.state.depth_mask_get(),
        gpu.state.blend_get(),
        gpu.state.line_width_get(),
        tuple(gpu.state.viewport_get()),
    )


@pytest.mark.parametrize("display", [display.name for display in DISPLAYS])
def test_the_state_is_left_as_it_was(display):
    drawing = quad_drawing()
    drawing.set_reference(reference_at((0, 0, 0)))
    settings = replace(SETTINGS, wireframe=True)
    with canvas() as picture, picture.drawing():
        gpu.state.depth_test_set("GREATER")
        gpu.state.depth_mask_set(False)
        gpu.state.blend_set("MULTIPLY")
        gpu.state.viewport_set(1, 2, 30, 40)
        before = state()
        drawing.draw(display, np.eye(4), VIEW_TO_CLIP, np.eye(4), settings)
        assert state() == before
        gpu.state.depth_test_set("NONE")
        gpu.state.depth_mask_set(True)
        gpu.state.blend_set("NONE")


CONSTRUCTORS = (
    "Buffer",
    "GPUBatch",
    "GPUFrameBuffer",
    "GPUIndexBuf",
    "GPUOffScreen",
    "GPUShaderCreateInfo",
    "GPUTexture",
    "GPUUniformBuf",
    "GPUVertBuf",
    "GPUVertFormat",
)


@pytest.mark.parametrize("joints", [20, 500])
def test_drawing_again_what_has_not_changed_makes_no_gpu_object(joints, monkeypatch):
    rng = np.random.default_rng(0)
    mesh, drawn = quad()
    drawing = SkinnedDrawing((random_pass(rng, 4, joints, most=12),), mesh, drawn)
    drawing.update((random_palette(rng, joints),))
    drawing.set_reference(mesh.positions)
    settings = replace(SETTINGS, wireframe=True)
    made = []

    def draw_all(picture):
        for display in DISPLAYS:
            draw_into(picture, drawing, display.name, settings=settings)

    with canvas() as picture:
        draw_all(picture)
        for name in CONSTRUCTORS:
            monkeypatch.setattr(gpu.types, name, lambda *_, name=name, **__: made.append(name))
        monkeypatch.setattr(gpu.shader, "create_from_info", lambda _: made.append("shader"))
        draw_all(picture)
        assert made == []
        monkeypatch.undo()
