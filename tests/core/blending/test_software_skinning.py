"""CPU skinning against a textbook implementation, and against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.blending import pass_layout
from skinning_addon.core.blending.software_skinning import SoftwareSkinner
from skinning_addon.core.skinning.normals import Normals
from skinning_addon.core.skinning.passes import PassInput
from tests.core.builders import (
    CUBE_POSITIONS,
    CUBE_TRIANGLES,
    X,
    Y,
    mesh_of,
    palette_of,
    pass_of,
    property_test,
    random_palette,
    random_skin,
    rotation,
    scaling,
    seeds,
    skin_by_the_book,
    skin_of,
    skin_rows,
    skinned,
    translation,
)


class TestPositions:
    @property_test
    @given(skin_rows(), seeds)
    def test_any_skin_moves_as_the_textbook_says(self, rows, seed):
        rng = np.random.default_rng(seed)
        skin, palette = skin_of(rows), random_palette(rng, 8)
        positions = rng.normal(size=(len(rows), 3)).astype(np.float32)
        result = skinned(mesh_of(positions), skin, palette).positions
        np.testing.assert_allclose(result, skin_by_the_book(skin, palette.final, positions), atol=1e-5)

    @pytest.mark.parametrize("influences", range(21))
    def test_no_number_of_influences_is_too_many(self, influences):
        rng = np.random.default_rng(influences)
        skin, palette = random_skin(rng, [influences] * 20, joints=30), random_palette(rng, 30)
        positions = rng.uniform(-1, 1, (20, 3)).astype(np.float32)
        result = skinned(mesh_of(positions), skin, palette).positions
        np.testing.assert_allclose(result, skin_by_the_book(skin, palette.final, positions), atol=4e-6)

    def test_a_vertex_without_weight_stays_bit_for_bit(self):
        skin = skin_of([[], [(1, 0.0)], [(1, 1e-4)], [(1, 1.1e-4)]])
        positions = np.float32([[0.1, 0.2, 0.3]] * 4)
        result = skinned(mesh_of(positions), skin, palette_of(translation(5, 0, 0))).positions
        np.testing.assert_array_equal(result[:3], positions[:3])
        np.testing.assert_allclose(result[3], positions[3] + [5, 0, 0], rtol=1e-6)

    def test_a_weight_of_one_carries_a_vertex_along_however_small_the_weights_of_others(self):
        """Blender normalizes by the sum: one bone at 0.3 alone moves a vertex as much as at 1."""
        result = skinned(
            mesh_of([(1, 0, 0)] * 2), skin_of([[(1, 0.3)], [(1, 1.0)]]), palette_of(translation(0, 2, 0))
        )
        np.testing.assert_allclose(result.positions, [[1, 2, 0], [1, 2, 0]], rtol=1e-6)


class TestCollapse:
    """Linear blending averages positions, so a vertex between two turned bones cuts the corner.

    Half-and-half between a bone at rest and one turned by an angle, a vertex ends up turned by half the angle
    and drawn to the axis by the cosine of half the angle.
    """

    @property_test
    @given(st.floats(-180, 180), st.floats(0.1, 10), st.floats(-180, 180))
    def test_a_twist_draws_the_skin_to_the_axis_by_the_cosine_of_half_the_angle(self, twist, radius, around):
        start = np.array([0, 3, radius, 1]) @ rotation(Y, around)
        result = skinned(
            mesh_of([start[:3]]), skin_of([[(1, 0.5), (2, 0.5)]]), palette_of(np.eye(4), rotation(Y, twist))
        )
        expected = np.array([0, 3, radius * math.cos(math.radians(twist / 2)), 1]) @ rotation(
            Y, around + twist / 2
        )
        np.testing.assert_allclose(result.positions[0], expected[:3], atol=2e-6 * max(radius, 3))

    def test_a_sleeve_twisted_by_180_degrees_collapses_to_a_candy_wrapper(self):
        """A tube of radius 1 along y; its middle ring is shared by both bones and ends up on the axis."""
        ring = [(math.cos(a), math.sin(a)) for a in np.linspace(0, 2 * math.pi, 16, endpoint=False)]
        mesh = mesh_of([(x, y, z) for y in (-1, 0, 1) for x, z in ring])
        rows = [[(1, 1.0)]] * 16 + [[(1, 0.5), (2, 0.5)]] * 16 + [[(2, 1.0)]] * 16
        result = skinned(mesh, skin_of(rows), palette_of(np.eye(4), rotation(Y, 180))).positions
        radius = np.linalg.norm(result[:, [0, 2]], axis=1).reshape(3, 16)
        np.testing.assert_allclose(radius, [[1] * 16, [0] * 16, [1] * 16], atol=1e-6)
        np.testing.assert_allclose(result[:, 1].reshape(3, 16), [[-1] * 16, [0] * 16, [1] * 16], atol=1e-6)

    def test_an_elbow_bent_by_90_degrees_loses_three_tenths_of_its_thickness(self):
        """Shared half-and-half, the point one unit off the joint ends up sqrt(1/2) = 0.7071 units off it."""
        bent = translation(-2, 0, 0) @ rotation((0, 0, 1), 90) @ translation(2, 0, 0)
        result = skinned(mesh_of([(2, 1, 0)]), skin_of([[(1, 0.5), (2, 0.5)]]), palette_of(np.eye(4), bent))
        np.testing.assert_allclose(result.positions, [[1.5, 0.5, 0]], atol=1e-6)
        assert math.dist(result.positions[0], (2, 0, 0)) == pytest.approx(math.sqrt(0.5))


class TestAmount:
    @property_test
    @given(skin_rows(most_influences=4), seeds)
    def test_it_interpolates_positions_between_before_and_after(self, rows, seed):
        rng = np.random.default_rng(seed)
        skin, palette = skin_of(rows), random_palette(rng, 8)
        positions = rng.normal(size=(len(rows), 3)).astype(np.float32)
        amount = rng.random(len(rows)).astype(np.float32)
        result = skinned(mesh_of(positions), skin, palette, amount=amount).positions
        whole_way = skin_by_the_book(skin, palette.final, positions)
        expected = [
            (1 - share) * before + share * after
            for share, before, after in zip(amount, positions, whole_way, strict=True)
        ]
        np.testing.assert_allclose(result, np.reshape(expected, (-1, 3)), atol=1e-5)

    def test_an_amount_of_nothing_leaves_positions_and_normals_alone(self):
        rng = np.random.default_rng(8)
        mesh = mesh_of(rng.normal(size=(5, 3)), normals=np.tile([0, 0.6, 0.8], (5, 1)))
        result = skinned(mesh, skin_of([[(1, 1.0)]] * 5), random_palette(rng, 2), amount=np.zeros(5))
        np.testing.assert_array_equal(result.positions, mesh.positions)
        np.testing.assert_allclose(result.normals, mesh.normals, rtol=1e-6)

    def test_normals_in_between_are_of_unit_length(self):
        mesh = mesh_of([(0, 1, 0)], normals=[(0, 1, 0)])
        result = skinned(mesh, skin_of([[(1, 1.0)]]), palette_of(rotation(X, 90)), amount=np.float32([0.5]))
        np.testing.assert_allclose(result.normals, [[0, math.sqrt(0.5), math.sqrt(0.5)]], atol=1e-6)


class TestChain:
    def test_a_pass_starts_from_what_the_one_before_it_left(self):
        skin = skin_of([[(1, 1.0)]])
        skinner = SoftwareSkinner((pass_of(skin), pass_of(skin)), mesh_of([(1, 0, 0)]))
        move, turn = palette_of(translation(2, 0, 0)), palette_of(rotation((0, 0, 1), 90))
        np.testing.assert_allclose(skinner.skin((move, turn)).positions, [[0, 3, 0]], atol=1e-6)
        np.testing.assert_allclose(skinner.skin((turn, move)).positions, [[2, 1, 0]], atol=1e-6)

    @pytest.mark.parametrize(
        ("multi_modifier", "measured_in_blender"),
        [
            ((False, False, False), 55.5),
            ((False, False, True), 53.0),
            ((False, True, True), 52.625),
            ((False, True, False), 55.25),
            ((True, False, True), 53.0),
            ((True, True, True), 52.625),
            ((True, False, False), 55.5),
            ((True, True, False), 55.25),
        ],
    )
    def test_multi_modifier_starts_each_run_as_blender_does(self, multi_modifier, measured_in_blender):
        """Three armature modifiers that move a vertex at the origin by 1, 10 and 100, each masked to one half.

        Measured with Blender 5.2.3 and 4.2.23: where the vertex ended up, by which modifiers had Multi Modifier
        on.
        """
        skin = skin_of([[(1, 1.0)]])
        passes = tuple(
            pass_of(skin, amount=[0.5], input=PassInput.RUN_START if multi else PassInput.PREVIOUS)
            for multi in multi_modifier
        )
        palettes = tuple(palette_of(translation(distance, 0, 0)) for distance in (1, 10, 100))
        result = SoftwareSkinner(passes, mesh_of([(0, 0, 0)])).skin(palettes)
        assert result.positions[0, 0] == measured_in_blender

    def test_a_mesh_that_nothing_deforms_is_itself(self):
        mesh = mesh_of(CUBE_POSITIONS, CUBE_TRIANGLES)
        result = SoftwareSkinner((), mesh).skin(())
        np.testing.assert_array_equal(result.positions, mesh.positions)
        np.testing.assert_array_equal(result.normals, mesh.normals)

    def test_each_pass_needs_its_palette(self):
        skin = skin_of([[(1, 1.0)]])
        skinner = SoftwareSkinner((pass_of(skin), pass_of(skin)), mesh_of([(0, 0, 0)]))
        with pytest.raises(ValueError, match="zip"):
            skinner.skin((palette_of(np.eye(4)),))

    def test_one_skinner_serves_every_frame(self):
        skinner = SoftwareSkinner((pass_of(skin_of([[(1, 1.0)]])),), mesh_of([(0, 0, 0)]))
        walked = [
            float(skinner.skin((palette_of(translation(frame, 0, 0)),)).positions[0, 0])
            for frame in (3, 1, 2)
        ]
        assert walked == [3, 1, 2]


class TestEmptyMeshes:
    def test_a_mesh_of_no_vertices(self):
        result = skinned(mesh_of([]), skin_of([]), palette_of(), amount=np.empty(0))
        assert result.positions.shape == (0, 3)
        assert result.normals.shape == (0, 3)

    def test_a_mesh_of_no_faces(self):
        result = skinned(mesh_of([(1, 2, 3)]), skin_of([[(1, 1.0)]]), palette_of(translation(1, 1, 1)))
        assert result.positions.tolist() == [[2, 3, 4]]


def test_what_goes_into_files_is_single_precision():
    mesh, skin = mesh_of([(0, 0, 0)] * 2), skin_of([[(1, 0.5), (0, 0.5)], []])
    skinner = SoftwareSkinner((pass_of(skin, amount=[0.5, 1.0]),), mesh)
    palettes = (palette_of(translation(2, 4, 6)),)
    assert skinner.skin_positions(palettes).dtype == np.float32
    result = skinner.skin(palettes)
    assert result.positions.dtype == result.normals.dtype == np.float32
    assert result.positions.flags.c_contiguous
    assert result.normals.flags.c_contiguous
    np.testing.assert_array_equal(result.positions, [[0.5, 1, 1.5], [0, 0, 0]])


def test_another_rule_for_normals_needs_no_other_layout(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(1)
    mesh = mesh_of(rng.normal(size=(3, 3)), normals=np.tile([0, 0.6, 0.8], (3, 1)))
    skinner = SoftwareSkinner((pass_of(skin_of([[(1, 1.0)]] * 3)),), mesh)
    # Twice as wide: by the inverse transpose a normal leans the less to that side, by the matrix the more.
    palettes = (palette_of(scaling(1, 2, 1)),)
    skinner.skin(palettes)
    laid_out = []
    monkeypatch.setattr(pass_layout, "dense_blocks", laid_out.append)
    monkeypatch.setattr(pass_layout, "slot_table", laid_out.append)
    by_matrix = skinner.turning(Normals.MATRIX).skin(palettes)
    np.testing.assert_allclose(
        by_matrix.normals[0], np.array([0, 1.2, 0.8]) / math.hypot(1.2, 0.8), atol=1e-6
    )
    np.testing.assert_allclose(
        skinner.skin(palettes).normals[0], np.array([0, 0.3, 0.8]) / math.hypot(0.3, 0.8), atol=1e-6
    )
    assert laid_out == []
