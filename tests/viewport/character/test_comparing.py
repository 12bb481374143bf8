from __future__ import annotations

import math

import pytest

from skinning_addon.viewport.character.comparing import (
    GHOST_OPACITY,
    Comparison,
    Extent,
    comparison,
    split_column,
)
from skinning_addon.viewport.choices.settings import BlenderMesh, PreviewSettings

WHOLE = Extent()
GHOST = Extent(opacity=GHOST_OPACITY)


@pytest.mark.parametrize(
    ("mesh", "swapped", "ours", "blenders"),
    [
        (BlenderMesh.SHOWN, False, WHOLE, None),
        (BlenderMesh.HIDDEN, False, WHOLE, None),
        (BlenderMesh.GHOST, False, WHOLE, GHOST),
        (BlenderMesh.SHOWN, True, None, WHOLE),
        (BlenderMesh.HIDDEN, True, None, WHOLE),
        (BlenderMesh.GHOST, True, GHOST, WHOLE),
    ],
)
def test_each_is_drawn_where_it_is_asked_for(mesh, swapped, ours, blenders):
    settings = PreviewSettings(blender_mesh=mesh)
    assert comparison(settings, 640, swapped) == Comparison(ours, blenders)
    assert settings.hides_blenders_mesh == (mesh is not BlenderMesh.SHOWN)


@pytest.mark.parametrize("mesh", list(BlenderMesh))
def test_a_line_gives_each_its_side_without_a_gap(mesh):
    settings = PreviewSettings(blender_mesh=mesh, split=0.3)
    assert settings.hides_blenders_mesh
    left, right = Extent(0.0, 192.0), Extent(192.0, math.inf)
    assert comparison(settings, 640, swapped=False) == Comparison(ours=right, blenders=left)
    assert comparison(settings, 640, swapped=True) == Comparison(ours=left, blenders=right)


def test_the_line_lies_between_two_pixels():
    assert split_column(0.5, 641) == round(0.5 * 641)
    assert split_column(0.0, 641) == 0
    assert split_column(1.0, 641) == 641


@pytest.mark.parametrize("mesh", list(BlenderMesh))
@pytest.mark.parametrize("swapped", [False, True])
def test_a_mesh_that_is_painted_is_not_covered(mesh, swapped):
    in_place = PreviewSettings(blender_mesh=mesh)
    assert comparison(in_place, 640, swapped, painted=True) == Comparison(None, None)
    for aside in (PreviewSettings(offset=(1, 0, 0)), PreviewSettings(beside=True)):
        assert comparison(aside, 640, swapped, painted=True) == Comparison(WHOLE, None)
    split = PreviewSettings(split=0.25)
    assert comparison(split, 640, swapped, painted=True) == Comparison(Extent(160.0, math.inf), None)
