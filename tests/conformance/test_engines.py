"""Engines confirm what the conformance skins say: their expected positions, their validity, and what other
engines get wrong.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conformance.findings import wrong_models
from tests.conformance.judge.verdict import Entry, Verdict
from tests.conformance.run_engines import ALL, HERE, WRONG_USE, main, read_manifest, run_engine
from tests.engines.engine_table import ENGINES
from tests.engines.node_engine import NodeEngine

pytestmark = pytest.mark.engines

MODELS = read_manifest()
VALIDATOR = NodeEngine(("gltf-validator",), "validate.mjs")
JUDGES = ("threejs", "vtk")
OTHERS = {
    "babylonjs": wrong_models("babylonjs"),
    "playcanvas": wrong_models("playcanvas"),
    # It needs a screen, which takes seconds to start for each file.
    "raylib": {"SkinNodeScaled", "SkinManyJoints"},
    # Where there is one.
    "godot4": wrong_models("godot4"),
    "blender": {"SkinCubic"},
}


def run(engine: str, entries: Sequence[Entry]) -> dict[str, Verdict]:
    ALL[engine].install()
    return {one.model: one for one in run_engine(ALL[engine], entries)}


@pytest.mark.parametrize("engine", JUDGES)
def test_two_engines_confirm_every_file(engine: str):
    """They share no code with each other, nor with the code that computed the positions."""
    verdicts = run(engine, MODELS)
    assert {name for name, one in verdicts.items() if not one.right} == wrong_models(engine)


@pytest.mark.parametrize("engine", OTHERS)
def test_what_other_engines_get_wrong(engine: str):
    wrong = OTHERS[engine]
    assert wrong <= wrong_models(engine)
    verdicts = run(engine, [one for one in MODELS if one["name"] in wrong | {"SkinPlain"}])
    assert {name for name, one in verdicts.items() if not one.right} == wrong


def test_the_validator_finds_errors_in_undefined_files_alone():
    VALIDATOR.install()
    files = [str(HERE / one["file"]) for one in MODELS]
    process = subprocess.run([*VALIDATOR.command, *files], capture_output=True, text=True, check=True)
    with_errors = {Path(file).stem for file, codes in json.loads(process.stdout).items() if codes}
    assert with_errors == {one["name"] for one in MODELS if one["requirement"] == "undefined"}


def test_the_command_prints_who_is_right(tmp_path: Path):
    ENGINES["threejs"].install()
    said: list[str] = []
    options = ["--engine", "threejs", "--model", "SkinPlain", "--model", "SkinScaledToZero"]
    assert main([*options, "--json", str(tmp_path / "results.json")], said.append) == 1
    lines = "".join(said).splitlines()
    assert lines[1].split() == ["SkinPlain", "required", "right"]
    assert lines[2].split()[:3] == ["SkinScaledToZero", "required", "WRONG"]
    assert "threejs: right in 1 of 2 required" in lines
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [one["outcome"] for one in results["threejs"]] == ["specification", None]


def test_a_program_of_ones_own_is_judged():
    ENGINES["threejs"].install()
    said: list[str] = []
    command = " ".join(f"'{word}'" for word in ENGINES["threejs"].command)
    assert main(["--command", command, "--model", "SkinPlain"], said.append) == 0
    assert "command: right in 1 of 1 required" in "".join(said)


def test_node_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("PATH", str(tmp_path))
    said: list[str] = []
    assert main(["--engine", "threejs", "--model", "SkinPlain"], said.append) == WRONG_USE
    assert said[0].startswith("threejs did not run: Node is missing (apt-get install -y nodejs npm)")


def test_a_model_that_there_is_not_is_named():
    said: list[str] = []
    assert main(["--model", "SkinPlane"], said.append) == WRONG_USE
    assert "SkinPlane" in said[0]


def test_a_program_that_there_is_not_is_named():
    said: list[str] = []
    assert main(["--command", "no-such-engine", "--model", "SkinPlain"], said.append) == WRONG_USE
    assert "'no-such-engine'" in said[0]
