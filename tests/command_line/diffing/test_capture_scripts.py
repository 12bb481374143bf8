"""The capture scripts for Unity and Unreal, which can't run here, write what `diff` reads."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.command_line.diffing.engine_positions import SHAPES, read_engine_positions
from tests.installed_package import CHECKOUT

UNITY = CHECKOUT / "docs" / "capture" / "SkinscopeCapture.cs"
UNREAL = CHECKOUT / "docs" / "capture" / "skinscope_unreal_capture.py"


def keys_of(script: Path) -> set[str]:
    """Return the keys of the JSON document that a script writes."""
    text = script.read_text(encoding="utf-8")
    if script is UNITY:
        return set(re.findall(r'\\"(\w+)\\": ', text))
    document = next(
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "document"
    )
    assert isinstance(document, ast.Dict)
    return {key.value for key in document.keys if isinstance(key, ast.Constant)}


@pytest.mark.parametrize("script", [UNITY, UNREAL], ids=["unity", "unreal"])
def test_diff_reads_what_it_writes(tmp_path: Path, script: Path):
    keys = keys_of(script)
    assert {"positions", "frames", "rest_positions"} <= keys <= set(SHAPES)
    vertices = [[0.5, -1.25e-07, 3.0], [1e2, 0.0, -0.25]]
    values = {
        "positions": [vertices, vertices],
        "frames": [1, 2],
        "rest_positions": vertices,
        "rest_normals": vertices,
        "uv": [[0.0, 1.0], [0.5, 0.25]],
    }
    path = tmp_path / "positions.json"
    path.write_text(json.dumps({key: values[key] for key in keys}), encoding="utf-8")
    read = read_engine_positions(str(path))
    assert np.array_equal(read.mesh.positions, [vertices, vertices])
    assert read.frames is not None
    assert read.frames.tolist() == [1, 2]
    assert read.mesh.rest is not None


@pytest.mark.parametrize("script", [UNITY, UNREAL], ids=["unity", "unreal"])
def test_it_says_that_it_is_untested(script: Path):
    assert "UNTESTED by its authors" in script.read_text(encoding="utf-8")
