"""The extension ships what it needs and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import bpy

CHECKOUT = Path(__file__).resolve().parents[2]
EXPECTED = Path(__file__).with_name("zip_contents.txt")


def shipped_from(source: Path, zip_path: Path) -> set[str]:
    """Build the extension as `./run build` does; the files in it."""
    builder = Path(bpy.utils.resource_path("LOCAL"), "scripts/addons_core/bl_pkg/cli/blender_ext.py")
    subprocess.run(
        [sys.executable, builder, "build", "--source-dir", source, "--output-filepath", zip_path],
        check=True,
        capture_output=True,
    )
    with zipfile.ZipFile(zip_path) as built:
        return {name for name in built.namelist() if not name.endswith("/")}


def test_zip_contents(tmp_path):
    shipped = shipped_from(CHECKOUT, tmp_path / "skinscope.zip")
    expected = EXPECTED.read_text(encoding="utf-8").splitlines()
    assert expected == sorted(set(expected)), f"{EXPECTED.name} is not sorted, or has a line twice"
    unlisted, missing = sorted(shipped - set(expected)), sorted(set(expected) - shipped)
    assert not unlisted, "shipped, and not listed in {}:\n{}".format(EXPECTED.name, "\n".join(unlisted))
    assert not missing, "listed in {}, and not shipped:\n{}".format(EXPECTED.name, "\n".join(missing))


def test_what_gathers_in_a_checkout_is_not_shipped(tmp_path):
    source = tmp_path / "checkout"
    shipped = {
        "LICENSE",
        "__init__.py",
        "blender_manifest.toml",
        "gpu_shaders/lib/a.glsl",
        "skinning_addon/core/a.py",
    }
    litter = {
        ".venv/lib/a.py",
        "__pycache__/a.pyc",
        "benchmarks/a.py",
        "dist/a.zip",
        "pyproject.toml",
        "run",
        "skinning_addon/__pycache__/a.pyc",
        "skinning_addon/core/.cache/a",
        "skinning_addon/core/__pycache__/a.pyc",
        "skinning_addon/core/a.blend1",
        "tests/gpu_shaders/a.glsl",
    }
    for name in shipped | litter:
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    shutil.copy(CHECKOUT / "blender_manifest.toml", source)
    assert shipped_from(source, tmp_path / "skinscope.zip") == shipped
