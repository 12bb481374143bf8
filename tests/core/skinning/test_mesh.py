"""Skinned data has one entry per vertex; drawn data is split where it looks different from face to face."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skinning_addon.core.skinning import mesh
from skinning_addon.core.skinning.mesh import SourceMesh, draw_mesh
from skinning_addon.core.text.errors import InvalidArrayError
from tests.core.builders import (
    CUBE_POSITIONS,
    CUBE_QUADS,
    CUBE_SIDE_NORMALS,
    CUBE_TRIANGLES,
    grid,
    mesh_of,
    property_test,
)


def ball(rings, segments, radius=1.0):
    """A sphere of triangles with all its vertices on the surface."""
    positions = [(0.0, 0.0, radius), (0.0, 0.0, -radius)]
    for ring in range(1, rings):
        polar = math.pi * ring / rings
        for segment in range(segments):
            around = 2 * math.pi * segment / segments
            positions.append(
                (
                    radius * math.sin(polar) * math.cos(around),
                    radius * math.sin(polar) * math.sin(around),
                    radius * math.cos(polar),
                )
            )
    triangles = []
    for segment in range(segments):
        after = (segment + 1) % segments
        last = 2 + (rings - 2) * segments
        triangles += [(0, 2 + segment, 2 + after), (1, last + after, last + segment)]
        for ring in range(rings - 2):
            upper, lower = 2 + ring * segments, 2 + (ring + 1) * segments
            triangles += [
                (upper + segment, lower + segment, lower + after),
                (upper + segment, lower + after, upper + after),
            ]
    return positions, triangles


class TestSourceMesh:
    def test_the_areas_of_a_cube_add_up_to_six_sides(self):
        areas = mesh_of(CUBE_POSITIONS, CUBE_TRIANGLES).vertex_areas
        assert areas.sum() == pytest.approx(6 * 2 * 2)
        assert (areas > 0).all()

    def test_the_areas_of_a_ball_add_up_to_four_pi_r_squared(self):
        """All vertices lie on the sphere, so the sum stays below; halving the triangles quarters what is
        missing.
        """
        coarse, fine = (mesh_of(*ball(rings, 2 * rings, radius=3)).vertex_areas.sum() for rings in (16, 32))
        sphere = 4 * math.pi * 9
        assert 0 < sphere - fine < 0.01 * sphere
        assert (sphere - coarse) / (sphere - fine) == pytest.approx(4, rel=0.02)

    def test_on_an_even_sheet_each_inner_vertex_stands_for_one_cell(self):
        columns, rows, spacing = 5, 4, 0.25
        areas = mesh_of(*grid(columns, rows, spacing)).vertex_areas.reshape(rows + 1, columns + 1)
        np.testing.assert_allclose(areas[1:-1, 1:-1], spacing**2)
        assert areas.sum() == pytest.approx(columns * rows * spacing**2)

    def test_a_vertex_of_no_face_stands_for_nothing(self):
        mesh = mesh_of([*CUBE_POSITIONS, (9, 9, 9)], CUBE_TRIANGLES)
        assert mesh.vertex_areas[8] == 0
        assert mesh_of([(0, 0, 0)]).vertex_areas.tolist() == [0]

    @pytest.mark.parametrize(
        ("positions", "diagonal"),
        [(CUBE_POSITIONS, 2 * math.sqrt(3)), ([(1, 2, 3), (4, 6, 3)], 5.0), ([(7, 8, 9)], 0.0), ([], 0.0)],
    )
    def test_the_diagonal_is_that_of_the_bounding_box(self, positions, diagonal):
        assert mesh_of(positions).diagonal == pytest.approx(diagonal)

    def test_a_mesh_of_no_vertices_is_a_mesh(self):
        mesh = mesh_of([])
        assert mesh.vertex_count == 0
        assert mesh.vertex_areas.shape == (0,)

    def test_areas_are_computed_once_and_read_only(self):
        areas = mesh_of(CUBE_POSITIONS, CUBE_TRIANGLES).vertex_areas
        with pytest.raises(ValueError, match="read-only"):
            areas[0] = 1

    def test_each_vertex_has_one_normal(self):
        with pytest.raises(InvalidArrayError, match="normals"):
            SourceMesh(np.zeros((3, 3)), np.zeros((2, 3)), np.empty((0, 2)), np.empty((0, 3)))


def triangles_of(quads):
    """Two triangles for each of so many quads, in corner indices."""
    corners = np.arange(4 * quads).reshape(-1, 4)
    return corners[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


CUBE_CORNERS = np.array([vertex for quad in CUBE_QUADS for vertex in quad], dtype=np.int32)
FLAT_NORMALS = np.repeat(np.array(CUBE_SIDE_NORMALS, dtype=np.float32), 4, axis=0)
SMOOTH_NORMALS = np.array(CUBE_POSITIONS, dtype=np.float32)[CUBE_CORNERS] / np.float32(math.sqrt(3))


class TestDrawMesh:
    def test_a_flat_cube_is_drawn_with_24_vertices_and_a_smooth_one_with_8(self):
        flat = draw_mesh(CUBE_CORNERS, FLAT_NORMALS, None, triangles_of(6))
        assert sorted(flat.source_vertex.tolist()) == sorted([*range(8)] * 3)
        smooth = draw_mesh(CUBE_CORNERS, SMOOTH_NORMALS, None, triangles_of(6))
        assert sorted(smooth.source_vertex.tolist()) == [*range(8)]
        assert flat.triangles.shape == smooth.triangles.shape == (12, 3)
        assert not flat.uv.any()

    def test_a_smooth_sheet_is_drawn_with_its_own_vertices(self):
        positions, triangles = grid(20, 30)
        corners = np.array(triangles, dtype=np.int32).ravel()
        up = np.tile(np.float32([0, 0, 1]), (len(corners), 1))
        drawn = draw_mesh(corners, up, None, np.arange(len(corners)).reshape(-1, 3))
        assert sorted(drawn.source_vertex.tolist()) == [*range(len(positions))]

    def test_a_seam_splits_the_vertices_on_it_and_no_others(self):
        """Two quads side by side, smooth; in texture space they are apart. Vertices 1 and 4 lie on the seam."""
        corners = np.array([0, 1, 4, 3, 1, 2, 5, 4], dtype=np.int32)
        up = np.tile(np.float32([0, 0, 1]), (8, 1))
        together = np.float32([(0, 0), (0.5, 0), (0.5, 1), (0, 1), (0.5, 0), (1, 0), (1, 1), (0.5, 1)])
        apart = together + np.float32([(0, 0)] * 4 + [(7, 0)] * 4)
        joined = draw_mesh(corners, up, together, triangles_of(2)).source_vertex
        assert sorted(joined.tolist()) == [0, 1, 2, 3, 4, 5]
        split = draw_mesh(corners, up, apart, triangles_of(2)).source_vertex
        assert sorted(split.tolist()) == [0, 1, 1, 2, 3, 4, 4, 5]

    def test_minus_zero_is_zero(self):
        corners = np.array([0, 1, 2, 0, 2, 3], dtype=np.int32)
        normals = np.float32([(0, 0, 1)] * 3 + [(-0.0, 0, 1)] * 3)
        uv = np.float32([(0, 0), (1, 0), (1, 1), (-0.0, -0.0), (1, 1), (0, 1)])
        drawn = draw_mesh(corners, normals, uv, np.arange(6).reshape(-1, 3))
        assert sorted(drawn.source_vertex.tolist()) == [0, 1, 2, 3]

    @property_test
    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), max_size=30))
    def test_each_corner_is_drawn_as_it_looks_and_each_look_once(self, corners):
        """A corner is (vertex, which normal, which uv); corners of one look share one drawn vertex."""
        looks = np.float32([(0, 0), (0, 1), (1, 0), (0.1, 1 / 3)])
        vertex = np.array([corner[0] for corner in corners], dtype=np.int32)
        normals = np.array([(*looks[corner[1]], 1) for corner in corners], dtype=np.float32).reshape(-1, 3)
        uv = np.array([looks[corner[2]] for corner in corners], dtype=np.float32).reshape(-1, 2)
        triangles = np.arange(len(corners) // 3 * 3, dtype=np.int32).reshape(-1, 3)
        drawn = draw_mesh(vertex, normals, uv, triangles)
        assert len(drawn.source_vertex) == len(set(corners))
        shown = drawn.triangles.ravel()
        np.testing.assert_array_equal(drawn.source_vertex[shown], vertex[: len(shown)])
        np.testing.assert_array_equal(drawn.normals[shown], normals[: len(shown)])
        np.testing.assert_array_equal(drawn.uv[shown], uv[: len(shown)])

    def test_five_thousand_corners_of_one_vertex_are_told_apart(self):
        """The tip of a cone; from corner to corner only the last bit of one number changes."""
        count = 5000
        corners = np.zeros(count, dtype=np.int32)
        one = np.float32(1).view(np.uint32)
        normals = np.zeros((count, 3), dtype=np.float32)
        normals[:, 0] = (one + np.arange(count, dtype=np.uint32)).view(np.float32)
        assert len(draw_mesh(corners, normals, None, np.empty((0, 3), dtype=np.int32)).source_vertex) == count

    def test_corners_whose_hashes_collide_are_told_apart_all_the_same(self, monkeypatch):
        """As if all looks of a vertex had one hash, which of 2^32 can happen to two."""
        monkeypatch.setattr(mesh, "_row_hash", lambda rows: rows[:, 0].astype(np.uint64))
        flat = draw_mesh(CUBE_CORNERS, FLAT_NORMALS, None, triangles_of(6))
        assert sorted(flat.source_vertex.tolist()) == sorted([*range(8)] * 3)
        corners = triangles_of(6).ravel()
        np.testing.assert_array_equal(flat.source_vertex[flat.triangles.ravel()], CUBE_CORNERS[corners])
        np.testing.assert_array_equal(flat.normals[flat.triangles.ravel()], FLAT_NORMALS[corners])

    def test_a_mesh_of_no_faces_draws_nothing(self):
        corners, triangles = np.empty(0, dtype=np.int32), np.empty((0, 3), dtype=np.int32)
        none = draw_mesh(corners, np.empty((0, 3)), np.empty((0, 2)), triangles)
        assert len(none.source_vertex) == 0
        assert none.triangles.shape == (0, 3)
