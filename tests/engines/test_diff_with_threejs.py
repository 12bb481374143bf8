"""`skinscope diff` on three.js's actual output: a program that knows nothing about our vertices,
axes or files.
"""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import numpy as np
import pytest

from skinning_addon.command_line.diffing.bundle_files import read_bundle
from skinning_addon.command_line.diffing.diff import compared
from skinning_addon.command_line.diffing.engine_positions import read_engine_positions
from skinning_addon.core.verdicts.tolerance import EXACT
from skinning_addon.scene.files import open_file
from tests.command_line.conftest import Program, skinscope
from tests.engines.capture import Engine
from tests.engines.exported_rig import export_animated, number_vertices, seconds, start_clip

__all__ = ["skinscope"]

pytestmark = [pytest.mark.engines, pytest.mark.rigs]


@pytest.mark.parametrize("rig", ["Fox.glb", "m2m_bird.blend", "CesiumMan.glb"])
def test_threejs_computes_what_the_bundle_predicts(
    rig: str, rigs_folder: Path, tmp_path: Path, skinscope: Program, threejs: Engine
):
    open_file(str(rigs_folder / rig))
    meshes, playback, frames = start_clip()
    number_vertices(meshes)
    export_animated(tmp_path / "rig.glb", meshes, frames)
    (captured,) = threejs.capture_meshes(tmp_path / "rig.glb", [seconds(frame) for frame in frames], tmp_path)
    clips = () if playback.name.startswith("(") else ("--clips", playback.name)
    steps = f"{frames[0]}:{frames[-1]}:{frames[1] - frames[0]}"
    bundle = tmp_path / "bundle"
    result = skinscope("export", rigs_folder / rig, "--output", bundle, "--device", "cpu", "--profile", "threejs", "--frames", steps, *clips)  # fmt: skip
    assert result.status == 0
    path = tmp_path / "threejs.npz"
    arrays = {
        "positions": captured.positions,
        "frames": np.array(frames, dtype=float),
        "rest_positions": captured.rest["position"],
        "rest_normals": captured.rest["normal"],
    }
    if "uv" in captured.rest:
        arrays["uv"] = captured.rest["uv"]
    np.savez(path, **arrays)
    result = skinscope("diff", bundle, path, "--format", "json")
    report = result.json
    print(
        json.dumps(
            {name: report[name] for name in ("vertices", "found", "ambiguous", "axes", "space", "deviation")}
        )
    )
    assert result.status == 0
    assert report["axes"] == {"x": "X", "y": "Z", "z": "-Y", "handedness": "right"}
    assert (report["unit"], report["unmatched_count"]) == ("m", 0)
    assert report["deviation"]["relative"] < 5e-6
    # The exporter recorded which vertex each of them was; the engine didn't tell us.
    comparison = compared(
        read_bundle(str(bundle)), read_engine_positions(str(path)), "", str(path), EXACT
    ).comparison
    agree = comparison.source == captured.source
    positions = np.load(bundle / read_bundle(str(bundle)).find_mesh("")["folder"] / "frames.npz")[
        "skinned_positions"
    ]
    # Two vertices that look alike and move alike can't be told apart.
    twins = np.abs(positions[:, comparison.source] - positions[:, captured.source]).max(axis=(0, 2)) == 0
    assert (agree | twins).mean() > 0.999
    # Under Blender's own profile the engine differs if it drops influences.
    blender = tmp_path / "blender"
    skinscope("export", rigs_folder / rig, "--output", blender, "--device", "cpu", "--frames", steps, *clips)
    differs = skinscope("diff", blender, path, "--format", "json")
    assert differs.status == (1 if rig == "m2m_bird.blend" else 0)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
