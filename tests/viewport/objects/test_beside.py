"""A copy beside the characters is always in view, and apart from them wherever there is room."""

from __future__ import annotations

import numpy as np
import pytest
from mathutils import Matrix

from skinning_addon.viewport.objects.beside import Bounds, Places, beside

ORTHOGRAPHIC = np.diag((0.2, 0.3, -0.01, 1.0))
"""Ten units wide."""

PERSPECTIVE = np.zeros((4, 4))
PERSPECTIVE[0, 0], PERSPECTIVE[1, 1], PERSPECTIVE[2, 2:], PERSPECTIVE[3, 2] = 1.0, 1.6, (-1.002, -1), -0.2


def view_of(rotation: tuple[float, float, float], distance: float = 8.0) -> np.ndarray:
    """World to view, for row vectors: from this distance to the origin."""
    turned = np.eye(4)
    for angle, axis in zip(rotation, "XYZ", strict=True):
        turned = turned @ np.array(Matrix.Rotation(angle, 4, axis)).T
    turned[3, 2] = -distance
    return turned


def seen(corners, world_to_view, view_to_clip):
    """Left and right end in the view, -1 to 1."""
    clip = np.column_stack((corners, np.ones(len(corners)))) @ world_to_view @ view_to_clip
    assert (clip[:, 3] > 0).all()
    x = clip[:, 0] / clip[:, 3]
    return x.min(), x.max()


@pytest.mark.parametrize("projection", [ORTHOGRAPHIC, PERSPECTIVE])
@pytest.mark.parametrize("rotation", [(0, 0, 0), (-1.4, 0, 0), (-1.2, 0, 0.7), (-0.3, 0.4, 2.0)])
@pytest.mark.parametrize("free", [(-1.0, 1.0), (-0.9, 0.3), (-0.2, 0.9), (-0.3, 0.3)])
def test_the_copy_is_in_the_free_part_of_the_view(projection, rotation, free):
    rng = np.random.default_rng(5)
    for _ in range(40):
        bounds = Bounds(rng.uniform(-1, 1, 3), rng.uniform(0.05, 0.7, 3))
        view = view_of(rotation)
        found = beside(bounds, view, projection, free)
        own = seen(bounds.corners, view, projection)
        copy = seen(bounds.corners + found.offset, view, projection)
        if not found.overlaps:
            assert copy[0] > own[1] or copy[1] < own[0]
        if own[1] - own[0] < 0.85 * (free[1] - free[0]) or not found.overlaps:
            # In perspective a box grows a little as it is moved to the side.
            assert copy[0] >= free[0] - 0.02
            assert copy[1] <= free[1] + 0.02
        needed = 1.3 * (own[1] - own[0])
        if max(free[1] - own[1], own[0] - free[0]) > needed:
            assert not found.overlaps, "there was room"


def test_it_is_moved_across_the_view_whichever_way_that_turns():
    bounds = Bounds(np.zeros(3), np.full(3, 0.5))
    front = beside(bounds, view_of((-np.pi / 2, 0, 0)), ORTHOGRAPHIC, (-1, 1))
    np.testing.assert_allclose(front.offset, (1.08, 0, 0), atol=1e-9)
    side = beside(bounds, view_of((-np.pi / 2, 0, 0)), ORTHOGRAPHIC, (-1, 0.2))
    np.testing.assert_allclose(side.offset, (-1.08, 0, 0), atol=1e-9)


def test_waving_arms_do_not_move_the_copy():
    places = Places()
    view = view_of((-np.pi / 2, 0, 0))
    wide = np.array([(-1.0, 0, 0), (1.0, 0.2, 1.8)])
    narrow = np.array([(-0.3, 0, 0), (0.3, 0.2, 1.8)])
    first = beside(places.bounds("layer", wide), view, ORTHOGRAPHIC, (-1, 1))
    later = beside(places.bounds("layer", narrow), view, ORTHOGRAPHIC, (-1, 1))
    np.testing.assert_allclose(later.offset, first.offset)
    places.clear()
    again = beside(places.bounds("layer", narrow), view, ORTHOGRAPHIC, (-1, 1))
    assert again.offset[0] == pytest.approx(0.6 * 1.08)
