"""The camera frames the whole character, as large as possible."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from skinning_addon.measurement.pictures.camera import Camera, Margins, three_quarter_camera
from skinning_addon.measurement.pictures.picture import averaged


def in_picture(points: NDArray[np.float64], camera: Camera) -> NDArray[np.float64]:
    """(N, 2) places in the picture, (0, 0) its lower left corner and (1, 1) its upper right one."""
    clip = np.pad(points, ((0, 0), (0, 1)), constant_values=1) @ camera.world_to_view @ camera.view_to_clip
    assert (np.abs(clip[:, 2]) <= clip[:, 3]).all(), "in front of the near plane or behind the far one"
    return clip[:, :2] / clip[:, 3:] / 2 + 0.5


@pytest.mark.parametrize("size", [(640, 960), (1280, 720), (100, 100)])
@pytest.mark.parametrize("shape", [(0.6, 0.4, 1.8), (30, 160, 75), (3, 0.1, 0.1), (1e-3, 1e-3, 1e-3)])
def test_all_points_lie_within_the_margins_and_touch_them(
    size: tuple[int, int], shape: tuple[float, float, float]
):
    points = np.random.default_rng(1).uniform(-1, 1, (500, 3)) * shape + (100, -20, 3)
    margins = Margins(left=0.1, right=0.2, bottom=0.05, top=0.15)
    places = in_picture(points, three_quarter_camera(points, size, margins))
    low, high = places.min(axis=0), places.max(axis=0)
    assert (low >= np.array((0.1, 0.05)) - 1e-6).all()
    assert (high <= np.array((0.8, 0.85)) + 1e-6).all()
    filled = (high - low) / (0.7, 0.8)
    assert filled.max() == pytest.approx(1, abs=1e-6)
    # The other direction is centered.
    assert (low + high) / 2 == pytest.approx((0.45, 0.45), abs=0.06)


def test_the_front_is_seen_and_up_is_up():
    points = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (0, 3)], dtype=float)
    camera = three_quarter_camera(points, (100, 100))
    eye = -camera.world_to_view[3, :3] @ camera.world_to_view[:3, :3].T
    assert eye[1] < -3
    assert 0 < eye[0] < -eye[1]
    low, high = in_picture(np.array([(0.0, 0, 0), (0, 0, 3)]), camera)
    assert high[1] > low[1]


def test_a_single_point_and_none_do_no_harm():
    for points in (np.zeros((1, 3)), np.zeros((0, 3))):
        camera = three_quarter_camera(points, (100, 100))
        assert np.isfinite(camera.world_to_view).all()
        assert np.isfinite(camera.view_to_clip).all()


def test_blocks_of_pixels_are_averaged():
    pixels = np.zeros((2, 4, 4), dtype=np.uint8)
    pixels[0, 0] = 255
    pixels[:, 2:] = 10
    assert averaged(pixels, 2)[0, :, 0].tolist() == [64, 10]
