"""Normals with the weight gradient on surfaces whose posed shape is known; against Blender in tests/scene/test_normals.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core import weight_gradient as module
from skinning_addon.core.palette import Palette
from skinning_addon.core.weight_gradient import gradient_normals, weight_gradient
from tests.core.builders import (
    X,
    Y,
    grid,
    mesh_of,
    property_test,
    random_transform,
    random_transforms,
    rotation,
    rows_of,
    scaling,
    seeds,
    skin_of,
    translation,
)

COLUMNS, ROWS = 8, 6


def palette_of(*matrices):
    return Palette(np.array([np.eye(4), *matrices]))


def sheet(spacing=1.0):
    return mesh_of(*grid(COLUMNS, ROWS, spacing))


def faded_skin(mesh):
    """From bone 1 at x = 0 to bone 2 at the other side, evenly."""
    share = mesh.positions[:, 0] / mesh.positions[:, 0].max()
    return skin_of([[(1, 1 - s), (2, s)] for s in share.tolist()]).normalised()


def inside(mesh):
    """Vertices that have both bones."""
    return (mesh.positions[:, 0] > 0) & (mesh.positions[:, 0] < mesh.positions[:, 0].max())


def normals_of(mesh, skin, palette):
    return gradient_normals(weight_gradient(skin, mesh), skin, palette, mesh)


class TestGradient:
    @pytest.mark.parametrize("spacing", [1.0, 0.01, 100.0])
    def test_weights_that_change_evenly_have_that_slope_everywhere(self, spacing):
        mesh = sheet(spacing)
        skin = faded_skin(mesh)
        gradient = weight_gradient(skin, mesh)
        both = inside(mesh)[skin.vertex_of_influence]
        slope = np.einsum(
            "na,nac->nc", gradient.derivative[both], gradient.tangents[skin.vertex_of_influence[both]]
        )
        expected = np.where(skin.joints[both] == 2, 1, -1) / (COLUMNS * spacing)
        np.testing.assert_allclose(slope[:, 0], expected, rtol=1e-5)
        np.testing.assert_allclose(slope[:, 1:], 0, atol=1e-6 / spacing)

    @property_test
    @given(seeds)
    def test_tangents_span_the_plane_below_the_normal(self, seed):
        rng = np.random.default_rng(seed)
        positions, triangles = grid(3, 3)
        normals = rng.normal(size=(len(positions), 3))
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        mesh = mesh_of(positions, triangles, normals)
        tangents = weight_gradient(faded_skin(mesh), mesh).tangents
        np.testing.assert_allclose(np.cross(tangents[:, 0], tangents[:, 1]), normals, atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(tangents, axis=2), 1, atol=1e-6)

    @property_test
    @given(seeds)
    def test_what_one_joint_gains_others_lose(self, seed):
        """Of joints that a vertex lacks nothing can be known; the rest adds up to nothing all the same."""
        rng = np.random.default_rng(seed)
        mesh = sheet()
        rows = [
            [(int(j), float(w)) for j, w in zip(rng.permutation(6)[:n], rng.uniform(0.1, 1, n), strict=True)]
            for n in rng.integers(0, 5, mesh.vertex_count)
        ]
        skin = skin_of(rows).normalised()
        derivative = weight_gradient(skin, mesh).derivative
        for axis in range(2):
            sums = np.bincount(skin.vertex_of_influence, derivative[:, axis], minlength=mesh.vertex_count)
            np.testing.assert_allclose(sums, 0, atol=1e-6)

    def test_it_is_a_matter_of_the_surface_and_not_of_how_it_is_cut_into_triangles(self):
        mesh = sheet()
        skin = faded_skin(mesh)
        other_way = mesh.triangles.reshape(-1, 2, 3)
        a, b, c, d = other_way[:, 0, 0], other_way[:, 0, 1], other_way[:, 0, 2], other_way[:, 1, 2]
        turned = np.concatenate((np.stack((a, b, d), axis=1), np.stack((b, c, d), axis=1)))
        np.testing.assert_allclose(
            weight_gradient(skin, mesh_of(mesh.positions, turned)).derivative,
            weight_gradient(skin, mesh).derivative,
            atol=1e-6,
        )

    @pytest.mark.parametrize("block", [1, 5, 64])
    def test_the_size_of_a_block_changes_nothing(self, block, monkeypatch):
        mesh = sheet()
        skin = faded_skin(mesh)
        whole = weight_gradient(skin, mesh).derivative
        monkeypatch.setattr(module, "LARGEST_TABLE", block)
        np.testing.assert_allclose(weight_gradient(skin, mesh).derivative, whole, atol=1e-7)

    def test_loose_vertices_and_faces_without_area_have_none_and_break_nothing(self):
        positions, triangles = grid(2, 2)
        mesh = mesh_of([*positions, (9, 9, 9)], [*triangles, (0, 0, 1), (0, 1, 2)])
        skin = skin_of([[(1, 0.5), (2, 0.5)]] * mesh.vertex_count).normalised()
        gradient = weight_gradient(skin, mesh)
        assert np.isfinite(gradient.derivative).all()
        assert not gradient.derivative[-2:].any()

    def test_a_vertex_without_a_normal_has_some_tangents(self):
        mesh = mesh_of([(0, 0, 0)], normals=[(0, 0, 0)])
        skin = skin_of([[(1, 1.0)]])
        assert np.isfinite(weight_gradient(skin, mesh).tangents).all()
        np.testing.assert_array_equal(normals_of(mesh, skin, palette_of(rotation(X, 20))), [[0, 0, 0]])

    def test_a_mesh_of_no_vertices(self):
        mesh, skin = mesh_of([]), skin_of([])
        gradient = weight_gradient(skin, mesh)
        assert gradient.tangents.shape == (0, 2, 3)
        assert gradient_normals(gradient, skin, palette_of(), mesh).shape == (0, 3)


class TestNormals:
    @property_test
    @given(st.floats(-20, 20))
    def test_a_sheet_lifted_at_one_side_becomes_a_ramp(self, height):
        """Bones 1 and 2 do not turn at all, so the textbook's normals would stay upright."""
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), translation(0, 0, height)))
        slope = height / COLUMNS
        expected = np.array([-slope, 0, 1]) / math.hypot(slope, 1)
        np.testing.assert_allclose(normals[inside(mesh)], [expected] * inside(mesh).sum(), atol=1e-5)

    @property_test
    @given(st.floats(-80, 80))
    def test_a_sheet_twisted_at_one_side_has_the_normals_of_its_closed_form(self, twist):
        """Linear blending makes (x, c y, s y) of (x, y, 0), c and s depending on x: their derivatives span the surface."""
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), rotation(X, twist)))
        x, y, _ = mesh.positions[inside(mesh)].astype(np.float64).T
        share, angle = x / COLUMNS, math.radians(twist)
        along_y = np.stack((0 * x, 1 - share + share * math.cos(angle), share * math.sin(angle)), axis=1)
        along_x = np.stack(
            (1 + 0 * x, (math.cos(angle) - 1) * y / COLUMNS, math.sin(angle) * y / COLUMNS), axis=1
        )
        expected = np.cross(along_x, along_y)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(normals[inside(mesh)], expected, atol=1e-5)

    @property_test
    @given(seeds)
    def test_where_all_bones_move_as_one_normals_turn_by_the_cofactors(self, seed):
        rng = np.random.default_rng(seed)
        matrix = random_transform(rng)
        mesh = sheet()
        normals = normals_of(mesh, faded_skin(mesh), palette_of(matrix, matrix))
        turned = np.linalg.det(matrix[:3, :3]) * np.linalg.inv(matrix[:3, :3])[:, 2]
        np.testing.assert_allclose(normals, [turned / np.linalg.norm(turned)] * mesh.vertex_count, atol=2e-5)

    def test_in_the_rest_pose_normals_are_those_of_the_mesh_custom_ones_too(self):
        positions, triangles = grid(COLUMNS, ROWS)
        custom = np.random.default_rng(2).normal(size=(len(positions), 3))
        custom /= np.linalg.norm(custom, axis=1, keepdims=True)
        mesh = mesh_of(positions, triangles, custom)
        normals = normals_of(mesh, faded_skin(mesh), palette_of(np.eye(4), np.eye(4)))
        np.testing.assert_allclose(normals, custom, atol=1e-6)

    @property_test
    @given(seeds)
    def test_they_do_not_depend_on_where_the_character_stands(self, seed):
        rng = np.random.default_rng(seed)
        mesh = sheet()
        skin = faded_skin(mesh)
        moves = [one @ translation(0, 0, 1) for one in random_transforms(rng, 2, distance=1)]
        here = normals_of(mesh, skin, palette_of(*moves))
        there = normals_of(mesh, skin, palette_of(*(move @ translation(100, -50, 20) for move in moves)))
        assert np.median(np.abs(here - there)) < 1e-5

    def test_a_mirrored_sheet_faces_the_way_its_triangles_wind(self):
        mesh = sheet()
        mirrored = normals_of(mesh, faded_skin(mesh), palette_of(scaling(-1, 1, 1), scaling(-1, 1, 1)))
        np.testing.assert_allclose(mirrored, [[0, 0, -1]] * mesh.vertex_count, atol=1e-6)

    def test_a_vertex_that_one_bone_alone_moves_follows_it(self):
        mesh = sheet()
        skin = faded_skin(mesh)
        alone = np.array([len(row) == 1 for row in rows_of(skin)])
        normals = normals_of(mesh, skin, palette_of(rotation(Y, 30), rotation(Y, 30)))
        assert alone.any()
        np.testing.assert_allclose(normals[alone], [[0.5, 0, math.sqrt(0.75)]] * alone.sum(), atol=1e-6)
