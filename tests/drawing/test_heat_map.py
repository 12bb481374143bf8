"""What a heat map looks like on a surface: nothing but the ramp's colors, and the form beneath them."""

from __future__ import annotations

import numpy as np
import pytest

from skinning_addon.core.skinning.mesh import DrawMesh, SourceMesh
from skinning_addon.drawing.heat_scale import ramp_color
from skinning_addon.drawing.skinned_drawing import SkinnedDrawing
from tests.drawing.canvas import SETTINGS, painted, pixels_of
from tests.drawing.samples import palette_of, whole_pass

pytestmark = pytest.mark.gpu

SIDE = 32


def grid_drawing(heights, normals=None):
    """A square of SIDE x SIDE vertices, two pixels apart, seen from above. heights: (SIDE, SIDE)."""
    at = np.linspace(-1.9, 1.9, SIDE)
    x, y = np.meshgrid(at, at)
    positions = np.stack((x, y, heights), axis=-1).reshape(-1, 3).astype(np.float32)
    if normals is None:
        normals = np.tile(np.float32((0, 0, 1)), (len(positions), 1))
    corner = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).reshape(-1)
    triangles = np.concatenate(
        (
            corner[:, None] + (0, 1, SIDE + 1),
            corner[:, None] + (0, SIDE + 1, SIDE),
        )
    )
    mesh = SourceMesh(positions, normals, np.empty((0, 2)), triangles)
    drawn = DrawMesh(np.arange(len(positions)), triangles, normals, np.zeros((len(positions), 2)))
    drawing = SkinnedDrawing((whole_pass(len(positions)),), mesh, drawn)
    drawing.update((palette_of(np.eye(4)),))
    return drawing, positions


def test_noise_around_a_threshold_has_only_the_colors_of_its_numbers():
    drawing, positions = grid_drawing(np.zeros((SIDE, SIDE)))
    reference = positions.copy()
    reference[:, 2] = np.random.default_rng(3).uniform(0.18, 0.22, len(positions))
    drawing.set_reference(reference)
    pixels = pixels_of(drawing, "deviation")
    seen = pixels[painted(pixels)][:, :3] / 255
    between = ramp_color(SETTINGS.heat_scale.place(np.linspace(0.18, 0.22, 200)))
    apart = np.abs(seen[:, None] - between).max(axis=2).min(axis=1)
    assert apart.max() < 0.01


@pytest.mark.parametrize("distance", [0.0, 0.15, 0.3])
def test_the_form_of_a_surface_of_one_color_can_be_seen(distance):
    """A dome: what faces the viewer keeps the ramp's color; its flanks are darker, differently on each side."""
    at = np.linspace(-1.9, 1.9, SIDE)
    x, y = np.meshgrid(at, at)
    normals = np.stack((x / 2.8, y / 2.8, np.ones_like(x)), axis=-1).reshape(-1, 3)
    normals[:, 2] = np.sqrt(np.maximum(1 - (normals[:, :2] ** 2).sum(axis=1), 0.05))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    drawing, positions = grid_drawing(np.zeros((SIDE, SIDE)), normals.astype(np.float32))
    drawing.set_reference(positions - np.float32((0, 0, distance)))
    bright = pixels_of(drawing, "deviation")[:, :, :3].astype(float).max(axis=2)
    top = ramp_color(SETTINGS.heat_scale.place(np.array(distance))).max() * 255
    assert bright[32, 32] == pytest.approx(top, abs=3)
    upper_left, lower_right = bright[12, 12], bright[52, 52]
    assert lower_right < 0.78 * upper_left
