"""Normals skinned on the CPU, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given

from tests.core.builders import (
    CUBE_POSITIONS,
    CUBE_QUADS,
    CUBE_SIDE_NORMALS,
    X,
    mesh_of,
    palette_of,
    property_test,
    random_transforms,
    rotation,
    scaling,
    seeds,
    skin_of,
    skinned,
)


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
