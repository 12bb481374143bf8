"""`demo`: what a newcomer gets from the only command that needs no file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.command_line.showing.comparison import PANEL
from skinning_addon.command_line.showing.demo import millimetres
from tests.command_line.conftest import Program, Result
from tests.command_line.pictures import figure, read_picture

BELOW_TITLES = np.s_[110:]
LEGEND_LEFT = 460


@dataclass(frozen=True)
class Demo:
    result: Result
    folder: Path

    def panels(self) -> list[np.ndarray]:
        """The three panels without titles and legend."""
        pixels = read_picture(self.folder / "comparison.png")[: PANEL[1]]
        return [panel[BELOW_TITLES, 4:LEGEND_LEFT] for panel in np.split(pixels, 3, axis=1)]


@pytest.fixture
def demo(tmp_path: Path, skinscope: Program) -> Demo:
    folder = tmp_path / "새 폴더" / "demo"
    return Demo(skinscope("demo", "--output", folder), folder)


@pytest.mark.gpu
def test_the_demo(demo: Demo):
    """One test for all, since building the human takes seconds."""
    assert (demo.result.status, demo.result.complaints) == (0, ())
    assert {one.name for one in demo.folder.iterdir()} == {"comparison.png", "report.json", "character.blend"}
    report = json.loads((demo.folder / "report.json").read_text(encoding="utf-8"))
    assert report["passed"] is True
    (mesh,) = report["files"][0]["meshes"]
    assert 7000 < mesh["vertices"] < 8200
    assert (mesh["exact"], mesh["device"], mesh["object"]) == (True, "gpu", "Body")
    assert mesh["deviation"]["frames"] == 40
    assert 0 < mesh["deviation"]["max"] < 1e-4
    assert mesh["deviation"]["relative"] < 1e-5
    assert "exact. The worst deviation from Blender is" in demo.result.output
    assert str(demo.folder) in demo.result.output

    blender, skinscope, heat = demo.panels()
    shapes = [figure(panel) for panel in (blender, skinscope, heat)]
    assert 0.08 < shapes[0].mean() < 0.5
    for shape in shapes[1:]:
        assert (shape ^ shapes[0]).sum() < 0.05 * shapes[0].sum()
    inside = np.logical_and.reduce(shapes)
    blue = [np.median((panel[..., 2] - panel[..., 0])[inside]) for panel in (blender, skinscope, heat)]
    assert abs(blue[0]) < 0.02
    assert 0.05 < blue[1] < blue[2]
    assert blue[2] > 0.2, "nothing is too much"


def test_a_folder_that_cannot_be_written_to_is_told_at_once(tmp_path: Path, skinscope: Program):
    (tmp_path / "file").touch()
    result = skinscope("demo", "--output", tmp_path / "file")
    assert (result.status, result.output) == (2, "")
    assert result.complaints[0].startswith(f"The folder '{tmp_path}/file' can't be written to (")


def test_lengths_are_rounded_up():
    lengths = {
        7.21e-6: "0.008 mm",
        9.5e-6: "0.01 mm",
        3e-7: "0.0003 mm",
        2e-6: "0.002 mm",
        0.0049: "5 mm",
        0.0123: "20 mm",
        0.0: "0 mm",
    }
    assert {metres: millimetres(metres) for metres in lengths} == lengths
