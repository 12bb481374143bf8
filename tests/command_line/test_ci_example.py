"""docs/ci.md's worked example, run as written: its configuration, its commands, its step."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from tests.installed_package import CHECKOUT
from tests.scene.random_rig import RigOptions

from .rig_files import rig_file, without_flaws
from .schemas import valid_sarif

PAGE = CHECKOUT / "docs" / "ci.md"

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="one way to start the program will do"),
]


def written(pattern: str) -> str:
    """Return what the page has between a pattern's brackets, where that is first."""
    found = re.search(pattern, PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.fixture
def studio(tmp_path: Path) -> Path:
    """A repository with a rig that is bad and one that is good, and the program where the example has
    Blender.
    """
    hero, crowd = tmp_path / "characters" / "hero", tmp_path / "characters" / "crowd"
    hero.mkdir(parents=True)
    crowd.mkdir()
    rig_file(hero / "hero.blend", RigOptions(influences=7), without_flaws)
    rig_file(crowd / "a villager.blend", RigOptions(influences=3, scale="none"), without_flaws)
    (tmp_path / "characters" / "skinscope.toml").write_text(written(r"^```toml\n(.*?)^```"), encoding="utf-8")
    (tmp_path / "blender").mkdir()
    for name, dropped in (("blender/blender", 2), ("skinscope", 0)):
        path = tmp_path / name
        program = f"exec '{sys.executable}' -P -m skinning_addon"
        path.write_text(f'#!/bin/sh\nshift {dropped}\n{program} "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    return tmp_path


def in_shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    search_path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT), "PATH": search_path},
        check=False,
    )


def test_what_is_known_passes_and_what_is_new_fails(studio: Path):
    baseline = in_shell(studio, written(r"^    (skinscope check .*? --write-baseline)$"))
    assert baseline.returncode == 0, baseline.stderr
    # What the action does with the inputs of the example; its defaults are those of action.yml.
    inputs = {name: written(rf"^          {name}: (.*?)$") for name in ("files", "arguments")}
    told = {**inputs, "sarif": "skinscope.sarif", "summary": "skinscope.html", "cache": ".skinscope-cache"}
    step = "".join(f"export {name.upper()}='{value}'\n" for name, value in told.items())
    step += f"bash '{CHECKOUT / 'integrations' / 'github-check'}'\n"
    known = in_shell(studio, step)
    assert known.returncode == 0, known.stderr
    (run,) = valid_sarif((studio / "skinscope.sarif").read_text(encoding="utf-8"))["runs"]
    assert run["results"]
    assert all(one["baselineState"] == "unchanged" for one in run["results"] if one["level"] == "error")
    assert "a villager.blend" in (studio / "skinscope.html").read_text(encoding="utf-8")
    assert list((studio / ".skinscope-cache").iterdir())
    new = studio / "characters" / "sidekick"
    new.mkdir()
    rig_file(new / "sidekick.blend", RigOptions(seed=4, influences=7), without_flaws)
    failed = in_shell(studio, step)
    assert failed.returncode == 1, failed.stderr
    (run,) = valid_sarif((studio / "skinscope.sarif").read_text(encoding="utf-8"))["runs"]
    fresh = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for one in run["results"]
        if one["level"] == "error" and "baselineState" not in one
    }
    assert fresh == {"characters/sidekick/sidekick.blend"}
