"""`skinscope-core` drives a desktop Blender that lacks the extension."""

from __future__ import annotations

import json
import os
from pathlib import Path

import bpy
import pytest

from tests.command_line.rig_files import rig_file, without_flaws
from tests.packaging.wheels import bare_environment, built_wheels, outside, uv
from tests.scene.random_rig import RigOptions

pytestmark = pytest.mark.windowed


@pytest.fixture(scope="module")
def programs(user_resources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001 - skips without a desktop Blender
    python = bare_environment(tmp_path_factory.mktemp("core"))
    wheels = built_wheels(tmp_path_factory.mktemp("wheels"))
    uv("pip", "install", "--quiet", "--python", python, "--find-links", wheels, "skinscope-core")
    return python.parent


@pytest.fixture
def rig(tmp_path: Path) -> Path:
    """A rig in a format that older versions of Blender read too."""
    rig_file(tmp_path / "rig.blend", RigOptions(influences=3, scale="none"), without_flaws)
    path = tmp_path / "rig.glb"
    bpy.ops.export_scene.gltf(filepath=str(path))
    return path


def test_it_checks_and_exports_by_the_blender_that_is_named(programs: Path, rig: Path):
    blender = os.environ["SKINSCOPE_BLENDER"]
    told = ("--device=cpu", f"--blender={blender}")
    checked = outside(programs / "skinscope-core", "check", rig, "--format=json", *told, folder=rig.parent)
    assert checked.returncode == 0, checked.stderr
    document = json.loads(checked.stdout)
    assert document["passed"]
    assert document["files"][0]["meshes"][0]["exact"]
    # Only the report is on standard output, though Blender itself prints there before any Python runs.
    exported = outside(
        programs / "skinscope-core",
        *("export", rig, "--output=bundle", "--device=cpu"),
        folder=rig.parent,
        SKINSCOPE_BLENDER=blender,
    )
    assert exported.returncode == 0, exported.stderr
    assert exported.stdout.startswith("bundle: 1 mesh,")
    missing = outside(
        programs / "skinscope-core", "export", "none.glb", "--output=bundle", *told, folder=rig.parent
    )
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "none.glb' does not exist; check the path." in missing.stderr
    assert "Blender 4" not in missing.stderr
