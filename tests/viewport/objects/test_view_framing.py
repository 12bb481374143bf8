"""The direction in which a 3D view must look to show a vertex. tests/windowed moves the view itself."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.viewport.objects.view_framing import is_seen, outward
from tests.core.builders import CUBE_POSITIONS, CUBE_TRIANGLES

POSITIONS = np.array(CUBE_POSITIONS)
TRIANGLES = np.array(CUBE_TRIANGLES)
CORNER = 7
"""At (1, 1, 1)."""


def test_a_corner_looks_away_from_the_middle():
    assert outward(POSITIONS, TRIANGLES, CORNER) @ (1, 1, 1) > 1


def test_a_vertex_without_triangles_looks_up():
    assert outward(POSITIONS, TRIANGLES[:0], CORNER).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("to_viewer", "seen"),
    [((1, 1, 1), True), ((1, 0.1, 0.1), True), ((-1, -1, -1), False), ((-3, 1, 1), False)],
)
def test_a_vertex_is_seen_from_the_side_that_it_faces(to_viewer, seen):
    assert is_seen(POSITIONS, TRIANGLES, CORNER, 10.0 * np.array(to_viewer)) is seen


def test_what_stands_before_a_vertex_hides_it():
    wall = np.array([(5.0, -9, -9), (5, 9, -9), (5, 0, 20)])
    positions = np.concatenate((POSITIONS, wall))
    triangles = np.concatenate((TRIANGLES, [(8, 9, 10)]))
    assert not is_seen(positions, triangles, CORNER, np.array((10.0, 0.1, 0.1)))
    assert is_seen(positions, triangles, CORNER, np.array((0.1, 10.0, 0.1)))
