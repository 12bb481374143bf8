"""A few of the lab's files, always the same; `./run fuzz --kind files` goes through thousands.

Run in worker processes, like the lab's: damaged files crash Blender itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.fuzz.files.blender_alone import deformed_meshes, opened, read_frame
from tests.fuzz.files.gltf import CONTAINERS, document_of, random_rig, write
from tests.fuzz.files.gltf_damage import damaged
from tests.fuzz.files.report_schema import wrong_with_report
from tests.fuzz.kinds import KINDS
from tests.fuzz.worker_process import Worker

SEEDS = 60
CHECKOUT = Path(__file__).resolve().parents[3]

# A worker needs its own interpreter.
MODULE = pytest.mark.skipif(bool(bpy.app.binary_path), reason="needs Blender as a Python module")


@pytest.mark.processes
@MODULE
def test_files_are_refused_or_right(tmp_path: Path):
    worker = Worker(KINDS["files"], Path(sys.executable), tmp_path)
    labels: list[str] = []
    try:
        for seed in range(SEEDS):
            outcome, _ = worker.run(seed)
            assert not outcome.wrong, f"seed {seed}: {outcome.wrong}\n{outcome.script}"
            labels.append(outcome.label)
    finally:
        worker.close()
    assert {"passed", "refused"} <= set(labels)


@pytest.mark.parametrize("container", CONTAINERS)
def test_what_is_written_is_what_blender_shows(container: str, tmp_path: Path):
    """Compare the generator's own positions, from the specification, with Blender's: the two share no code."""
    random = np.random.default_rng(7)
    rig = random_rig(random)
    assert opened(write(document_of(rig, random), tmp_path, container))
    meshes = deformed_meshes()
    for frame in range(len(rig.turns)):
        read_frame(meshes, float(frame))
        for mesh in meshes:
            np.testing.assert_allclose(
                mesh.positions[float(frame)][:, [0, 2, 1]] * (1, 1, -1), rig.skinned(frame), atol=2e-5
            )


@pytest.mark.processes
@MODULE
def test_no_report_is_lost_among_damaged_files(tmp_path: Path):
    """Run the real program on intact and damaged files: each is reported, in order, and the intact
    ones pass.
    """
    random = np.random.default_rng(11)
    paths: list[Path] = []
    for number in range(9):
        whole = number % 3 == 0
        document = document_of(random_rig(random), random) if whole else damaged(random)[0]
        folder = tmp_path / str(number)
        folder.mkdir()
        paths.append(write(document, folder, "glb", "whole" if whole else "damaged"))
    program = [sys.executable, "-P", "-m", "skinning_addon", "check", *map(str, paths)]
    ran = subprocess.run(
        [*program, "--device", "cpu", "--format", "json"], capture_output=True, encoding="utf-8", check=False,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
    )  # fmt: skip
    report = json.loads(ran.stdout)
    assert wrong_with_report(report) == ""
    assert [one["file"] for one in report["files"]] == [str(path) for path in paths]
    assert all(
        one["passed"] for one, path in zip(report["files"], paths, strict=True) if path.stem == "whole"
    )
    refused = [one for one in report["files"] if one["error"] is not None]
    assert refused
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr
    for one in refused:
        (line,) = (line for line in ran.stderr.splitlines() if one["file"] in line and "skinscope: " in line)
        assert line.endswith(".")
