"""three.js plays bones that were found for meshes without an armature, as near to Blender's mesh as is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.command_line.conftest import Program, skinscope
from tests.engines.engine_table import ENGINES
from tests.engines.exported_rig import from_y_up, seconds
from tests.measurement.refit.played_meshes import PLAYED, played, saved, vertices_of

__all__ = ["skinscope"]

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("threejs")]


@pytest.mark.parametrize("name", ["cloth", "nodes"])
def test_the_file_in_threejs(tmp_path: Path, skinscope: Program, name: str):
    source = saved(name, tmp_path / "scene.blend")
    wanted = played(source)
    output, report = tmp_path / "bones.glb", tmp_path / "report.json"
    result = skinscope(
        "refit", source, "--profile", "threejs", "--bones", 10, "--output", output, "--report", report
    )
    assert result.status == 0, result.complaints
    captured, _ = ENGINES["threejs"].capture(output, [seconds(frame) for frame in PLAYED], tmp_path)
    moved = from_y_up(captured)
    vertices = vertices_of(moved, wanted)
    assert set(vertices.tolist()) == set(range(wanted.shape[1])), "no vertex is missing"
    off = np.linalg.norm(moved - wanted[:, vertices], axis=2)
    (told,) = json.loads(report.read_text(encoding="utf-8"))["meshes"]
    assert off.max() == pytest.approx(told["after"]["largest"], rel=0.02, abs=1e-5)
