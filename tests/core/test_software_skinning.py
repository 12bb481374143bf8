"""The CPU's skinning against skinning as a textbook writes it, and against what closed forms say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core import dense_blocks as dense_blocks_module
from skinning_addon.core import joint_sorted, slots
from skinning_addon.core.dense_blocks import dense_blocks
from skinning_addon.core.linear_blending import linear_positions
from skinning_addon.core.palette import Joints, Palette, Pass, PassInput
from skinning_addon.core.pass_layout import PassLayout
from skinning_addon.core.software_skinning import SoftwareSkinner
from tests.core.builders import (
    CUBE_POSITIONS,
    CUBE_QUADS,
    CUBE_SIDE_NORMALS,
    CUBE_TRIANGLES,
    X,
    Y,
    mesh_of,
    property_test,
    random_transforms,
    rotation,
    rows_of,
    scaling,
    seeds,
    skeleton_of,
    skin_by_the_book,
    skin_of,
    skin_rows,
    translation,
)


def palette_of(*matrices):
    """Joint 0, then one joint for each matrix."""
    return Palette(np.array([np.eye(4), *matrices]))


def pass_of(skin, **options):
    bones = int(skin.joints.max(initial=0))
    return Pass(
        skin, Joints.of_bones(skeleton_of([-1] * bones), range(bones), np.eye(4)), "Armature", **options
    )


def skinned(mesh, skin, palette, **options):
    return SoftwareSkinner((pass_of(skin, **options),), mesh).skin((palette,))


def random_palette(rng, joints):
    return palette_of(*random_transforms(rng, joints - 1))


def random_skin(rng, counts, joints):
    return skin_of([list(zip(rng.integers(0, joints, n), rng.random(n), strict=True)) for n in counts])


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
        """Blender normalises by the sum: one bone at 0.3 alone moves a vertex as much as at 1."""
        result = skinned(
            mesh_of([(1, 0, 0)] * 2), skin_of([[(1, 0.3)], [(1, 1.0)]]), palette_of(translation(0, 2, 0))
        )
        np.testing.assert_allclose(result.positions, [[1, 2, 0], [1, 2, 0]], rtol=1e-6)


WAYS = ["as chosen", "rest tables", "dense blocks", "slots", "sorted by joint"]
"""The ways to the same positions; which one is taken is a matter of time alone."""


def limb_skin(rng, vertices, joints, influences=4):
    """Each vertex follows a run of joints next to it, as on a limb; joint 0 is left out."""
    first = np.linspace(1, joints - influences, vertices).astype(int)
    return skin_of([list(zip(range(j, j + influences), rng.random(influences), strict=True)) for j in first])


def uneven_skin(rng, vertices, joints):
    """Any joints, none to fifteen of them."""
    return random_skin(rng, rng.integers(0, 16, vertices), joints)


def layout_by(way, skin, rest):
    layout = PassLayout(skin, rest)
    if way == "slots":
        layout.__dict__.update(dense=None)
    elif way in ("rest tables", "dense blocks"):
        layout.__dict__.update(dense=dense_blocks(layout.skin, at_any_cost=True))
    if way == "rest tables":
        layout.__dict__.update(rest_tables=tuple(part.point_table(rest) for part in layout.dense.parts))
    elif way != "as chosen":
        layout.__dict__.update(rest_tables=None)
    return layout


def positions_by(way, skin, palette, positions):
    layout = layout_by(way, skin, positions)
    # Positions that are not those at rest are skinned by matrices.
    elsewhere = way in ("dense blocks", "slots")
    return linear_positions(layout, palette, positions.copy() if elsewhere else positions)


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    @pytest.mark.parametrize("make", [limb_skin, uneven_skin])
    @pytest.mark.parametrize("vertices", [1, 5, 127, 129, 3000])
    def test_leads_to_the_positions_of_the_textbook(self, way, make, vertices):
        rng = np.random.default_rng(vertices)
        skin, palette = make(rng, vertices, 30), random_palette(rng, 30)
        positions = rng.uniform(-1, 1, (vertices, 3)).astype(np.float32)
        expected = skin_by_the_book(skin, palette.final, positions)
        result = positions_by(way, skin, palette, positions)
        assert result.dtype == np.float32
        size = np.linalg.norm(np.ptp(expected, axis=0)) + 1
        assert np.abs(result - expected).max() / size < 1e-6

    @pytest.mark.parametrize("size", [1, 7, 100])
    def test_does_not_depend_on_the_size_of_its_blocks(self, way, size, monkeypatch):
        monkeypatch.setattr(dense_blocks_module, "VERTICES_PER_PART", size)
        monkeypatch.setattr(dense_blocks_module, "BLOCK_SIZES", (size, 2 * size, 4 * size, 8 * size))
        monkeypatch.setattr(slots, "VERTICES_PER_PART", size)
        monkeypatch.setattr(joint_sorted, "VERTICES_PER_BLOCK", size)
        self.test_leads_to_the_positions_of_the_textbook(way, uneven_skin, 150)

    def test_leaves_a_vertex_without_weight_where_it_is_bit_for_bit(self, way):
        rng = np.random.default_rng(3)
        skin, palette = random_skin(rng, [0, 3, 0, 2, 4, 0, 0, 1], 6), random_palette(rng, 6)
        positions = rng.uniform(-1, 1, (8, 3)).astype(np.float32)
        result = positions_by(way, skin, palette, positions)
        unmoved = skin.counts == 0
        np.testing.assert_array_equal(result[unmoved], positions[unmoved])

    @pytest.mark.parametrize("bad", [math.nan, math.inf])
    def test_a_broken_bone_breaks_no_vertex_that_it_does_not_move(self, way, bad):
        rng = np.random.default_rng(4)
        skin, palette = limb_skin(rng, 500, 20), random_palette(rng, 20)
        positions = rng.uniform(-1, 1, (500, 3)).astype(np.float32)
        broken = np.array(palette.final)
        broken[7] = bad
        result = positions_by(way, skin, Palette(broken), positions)
        touched = np.zeros(500, dtype=bool)
        touched[skin.vertex_of_influence[skin.joints == 7]] = True
        assert not np.isfinite(result[touched]).any()
        expected = skin_by_the_book(skin, palette.final, positions)
        np.testing.assert_allclose(result[~touched], expected[~touched], atol=1e-5)

    def test_one_joint_named_twice_counts_twice(self, way):
        skin = skin_of([[(1, 0.25), (2, 0.5), (1, 0.25)]])
        palette = palette_of(translation(4, 0, 0), translation(0, 8, 0))
        result = positions_by(way, skin, palette, np.float32([[1, 2, 3]]))
        np.testing.assert_allclose(result, [[3, 6, 3]], rtol=1e-6)


class TestChoice:
    def test_a_limb_is_skinned_in_dense_blocks_and_vertices_of_any_joints_are_not(self):
        rng = np.random.default_rng(5)
        rest = np.zeros((5000, 3), dtype=np.float32)
        limb = PassLayout(limb_skin(rng, 5000, 100), rest)
        assert limb.dense.mean_joints < 12
        assert limb.rest_tables is not None
        assert PassLayout(random_skin(rng, [4] * 5000, 300), rest).dense is None

    def test_vertices_that_share_joints_are_brought_together(self):
        """The same limb, its vertices numbered at random."""
        rng = np.random.default_rng(6)
        skin, order = limb_skin(rng, 5000, 100), rng.permutation(5000)
        rows = rows_of(skin)
        shuffled = skin_of([rows[vertex] for vertex in order])
        layout = PassLayout(shuffled, np.zeros((5000, 3), dtype=np.float32))
        assert layout.dense.mean_joints < 12

    @pytest.mark.parametrize("make", [limb_skin, uneven_skin])
    def test_several_threads_come_to_what_one_comes_to(self, make, monkeypatch):
        rng = np.random.default_rng(9)
        skin, palette = make(rng, 3000, 30), random_palette(rng, 30)
        positions = rng.uniform(-1, 1, (3000, 3)).astype(np.float32)
        alone = positions_by("sorted by joint", skin, palette, positions)
        monkeypatch.setattr(joint_sorted, "VERTICES_PER_THREAD", 500)
        monkeypatch.setattr(joint_sorted, "VERTICES_PER_BLOCK", 100)
        monkeypatch.setattr(joint_sorted.os, "cpu_count", lambda: 4)
        np.testing.assert_array_equal(positions_by("sorted by joint", skin, palette, positions), alone)

    def test_positions_alone_are_those_that_come_with_normals(self):
        rng = np.random.default_rng(7)
        skin, palette = limb_skin(rng, 2000, 40), random_palette(rng, 40)
        mesh = mesh_of(rng.uniform(-1, 1, (2000, 3)))
        passes = (pass_of(skin), pass_of(skin, amount=rng.random(2000)))
        skinner = SoftwareSkinner(passes, mesh)
        alone = skinner.skin_positions((palette, palette))
        np.testing.assert_allclose(alone, skinner.skin((palette, palette)).positions, atol=2e-5)
        assert alone.dtype == np.float32
        assert alone.shape == (2000, 3)


class TestCollapse:
    """Linear blending averages positions, so a vertex between two turned bones cuts the corner.

    Half-and-half between a bone at rest and one turned by an angle, a vertex ends up turned by half the angle and
    drawn to the axis by the cosine of half the angle.
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


class TestNormals:
    @property_test
    @given(seeds)
    def test_under_any_scale_a_normal_stays_at_right_angles_to_the_surface(self, seed):
        rng = np.random.default_rng(seed)
        (matrix,) = random_transforms(rng, 1, smallest_scale=0.05, largest_scale=20)
        normal, tangent = rng.normal(size=(2, 3))
        normal /= np.linalg.norm(normal)
        tangent -= normal * (normal @ tangent)
        result = skinned(
            mesh_of([(0, 0, 0)], normals=[normal]), skin_of([[(1, 1.0)]]), palette_of(matrix)
        ).normals[0]
        assert np.linalg.norm(result) == pytest.approx(1, abs=1e-6)
        moved_tangent = tangent @ matrix[:3, :3]
        assert abs(result @ moved_tangent) / np.linalg.norm(moved_tangent) < 1e-5

    @pytest.mark.parametrize(
        "scale",
        [
            (1, 2, 4), (0.01, 0.02, 0.01), (100, 3, 7), (1e-6, 1e-6, 1e-6), (1e6, 1e6, 1e6),
            (1e-12, 1e-12, 1e-12), (1e10, 1e10, 1e10), (1e-12, 2e-12, 1e-12), (1e10, 1e10, 3e10),
        ],
    )  # fmt: skip
    def test_a_scaled_sphere_has_the_normals_of_an_ellipsoid(self, scale):
        """At the point p of the ellipsoid with the semi-axes a, the normal is p / a^2."""
        points = np.random.default_rng(7).normal(size=(50, 3))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        mesh = mesh_of(points, normals=points)
        result = skinned(mesh, skin_of([[(1, 1.0)]] * 50), palette_of(scaling(*scale))).normals
        expected = points * scale / np.square(scale)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(result, expected, atol=1e-6)

    @pytest.mark.parametrize(
        "matrix", [rotation((1, 2, 3), 50), scaling(2, 1, 3), scaling(-1, 1, 1), scaling(-1, -2, -3)]
    )
    def test_normals_agree_with_the_winding_of_the_triangles_even_when_mirrored(self, matrix):
        """Blender computes normals from its faces; a mirrored face winds the other way round."""
        corners = [vertex for quad in CUBE_QUADS for vertex in quad]
        normals = [normal for normal in CUBE_SIDE_NORMALS for _ in range(4)]
        mesh = mesh_of([CUBE_POSITIONS[vertex] for vertex in corners], normals=normals)
        result = skinned(mesh, skin_of([[(1, 1.0)]] * 24), palette_of(matrix))
        for side in range(0, 24, 4):
            a, b, c, _ = result.positions[side : side + 4].astype(np.float64)
            by_winding = np.cross(b - a, c - a)
            by_winding /= np.linalg.norm(by_winding)
            np.testing.assert_allclose(result.normals[side : side + 4], [by_winding] * 4, atol=1e-6)

    def test_between_two_bones_a_normal_turns_half_way(self):
        both = skin_of([[(1, 0.5), (2, 0.5)]])
        mesh = mesh_of([(0, 1, 0)], normals=[(0, 1, 0)])
        result = skinned(mesh, both, palette_of(np.eye(4), rotation(X, 90)))
        np.testing.assert_allclose(result.normals, [[0, math.sqrt(0.5), math.sqrt(0.5)]], atol=1e-6)

    def test_a_flat_bone_still_has_a_side_that_faces_out(self):
        """Scaled to zero along z, the surface lies in a plane, and that plane's normal is z."""
        result = skinned(
            mesh_of([(0, 0, 0)], normals=[(0.6, 0, 0.8)]), skin_of([[(1, 1.0)]]), palette_of(scaling(1, 1, 0))
        )
        np.testing.assert_allclose(result.normals, [[0, 0, 1]], atol=1e-6)

    @pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 0)])
    def test_a_collapsed_normal_stays_as_it_was(self, scale):
        normal = [0.6, 0, 0.8]
        result = skinned(
            mesh_of([(1, 1, 1)], normals=[normal]), skin_of([[(1, 1.0)]]), palette_of(scaling(*scale))
        )
        np.testing.assert_allclose(result.normals, [normal], rtol=1e-6)

    def test_a_vertex_that_nothing_moves_keeps_its_normal(self):
        result = skinned(mesh_of([(1, 1, 1)], normals=[(0.6, 0, 0.8)]), skin_of([[]]), palette_of())
        np.testing.assert_allclose(result.normals, [(0.6, 0, 0.8)], rtol=1e-6)


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

        Measured with Blender 5.2.3 and 4.2.23: where the vertex ended up, by which modifiers had Multi Modifier on.
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
