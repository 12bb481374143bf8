"""The script that draws what `refit --bones` leaves: its scenes, small, and its picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import write_refit_curves as curves
from tests.measurement.refit.moving_scenes import cloth, face, limb

SMALL = {"cloth": lambda: cloth(9, 6), "limb in a lattice": lambda: limb(6), "face of 8 shape keys": face}

BONES = (3, 12)


@pytest.mark.arithmetic
@pytest.mark.parametrize("name", curves.SCENES)
def test_more_bones_leave_less(tmp_path: Path, name: str):
    scene = curves.saved(name, SMALL[name], tmp_path)
    assert (scene.positions != scene.positions[0]).any(), "Blender shows that it moves"
    errors = {(4, bones): curves.error_of(scene, bones, 4) for bones in BONES}
    few, many = errors.values()
    assert 0 < many.root_mean_square < few.root_mean_square
    for one in (few, many):
        assert one.root_mean_square <= one.nearly_all <= one.largest < 0.2
        assert 0 < one.smooth < 90
        assert 0 < one.flat < 90
    head, _, row = curves.table({name: (scene, errors)}, BONES)
    assert "3 bones | 12 bones" in head
    assert row.startswith(f"| {name}, {scene.positions.shape[1]:,} vertices, ")
    assert f"/ {1000 * many.largest:.1f} |" in row
    assert many.smooth < few.smooth
    assert many.flat < few.flat
    head, _, row = curves.table_of_normals({name: (scene, errors)}, BONES)
    assert "3 bones | 12 bones" in head
    assert row.startswith(f"| {name} | {few.smooth:.2f} / {few.flat:.2f} | {many.smooth:.2f} / ")
    heights = re.findall(r'<circle cx="[^"]+" cy="([^"]+)"', curves.drawing({name: (scene, errors)}, BONES))
    assert len(heights) == len(BONES)
    assert float(heights[0]) < float(heights[1]), "less is lower"


def test_the_page_has_the_picture_and_the_scenes_of_the_issue():
    """A cloth of 2,000 vertices over 60 frames, a limb, a face of eight keys."""
    sheet = curves.SCENES["cloth"]()
    assert len(sheet.data.vertices) >= 2000
    assert sheet.modifiers["Cloth"].point_cache.frame_end == 60
    page = (curves.CHECKOUT / "docs" / "refit.md").read_text(encoding="utf-8")
    assert f"images/{curves.PICTURE.name}" in page
    table = page.partition("<!-- error against bones:")[2].partition("<!-- end of error")[0]
    normals = page.partition("<!-- normals against bones:")[2].partition("<!-- end of normals")[0]
    for name in curves.SCENES:
        (row,) = re.findall(rf"^\| {name} \|(.*)\|$", normals, re.MULTILINE)
        assert row.count("|") == len(curves.BONES) - 1
        for influences in curves.PROFILES:
            (row,) = re.findall(rf"^\| {name}, .* frames \| {influences} \|(.*)\|$", table, re.MULTILINE)
            assert row.count("|") == len(curves.BONES) - 1
