"""`pip install skinscope`: what the wheels hold, and that they work where there is nothing else."""

from __future__ import annotations

import json
import os
import platform
import sys
import tomllib
import zipfile
from pathlib import Path

import bpy
import pytest

from tests.command_line.rig_files import rig_file, without_flaws
from tests.installed_package import CHECKOUT
from tests.packaging.shipping import WHOLE_FOLDERS
from tests.packaging.wheels import bare_environment, outside, uv
from tests.scene.random_rig import RigOptions

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(bool(bpy.app.binary_path), reason="Blender as a module is what is installed"),
]


@pytest.fixture(scope="module")
def core(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with `skinscope-core` alone."""
    python = bare_environment(tmp_path_factory.mktemp("core"))
    uv("pip", "install", "--quiet", "--python", python, "--find-links", wheels, "skinscope-core")
    return python.parent


def test_the_versions_are_one():
    manifest, whole, core = (
        tomllib.loads((CHECKOUT / one).read_text(encoding="utf-8"))
        for one in ("blender_manifest.toml", "pyproject.toml", "wheels/core/pyproject.toml")
    )
    version = manifest["version"]
    assert whole["project"]["version"] == core["project"]["version"] == version
    assert f"skinscope-core=={version}" in whole["project"]["dependencies"]
    assert whole["build-system"] == core["build-system"]


def test_the_wheel_of_the_code_has_all_that_the_extension_has(wheels: Path):
    (path,) = wheels.glob("skinscope_core-*.whl")
    held = {one for one in zipfile.ZipFile(path).namelist() if "dist-info" not in one}
    expected = {
        f"skinscope/{one.relative_to(CHECKOUT).as_posix()}"
        for folder in WHOLE_FOLDERS
        for one in (CHECKOUT / folder).rglob("*")
        if one.is_file() and "__pycache__" not in one.parts
    }
    own = {"__init__.py", "__main__.py", "cli.py", "py.typed", "LICENSE", "blender_manifest.toml"}
    assert held == expected | {f"skinscope/{one}" for one in own}


def test_the_wheel_with_blender_has_no_code(wheels: Path):
    (path,) = wheels.glob("skinscope-*.whl")
    assert all("dist-info" in one for one in zipfile.ZipFile(path).namelist())


@pytest.fixture
def rig(tmp_path: Path) -> Path:
    path = tmp_path / "rig.blend"
    rig_file(path, RigOptions(influences=3, scale="none"), without_flaws)
    return path


def test_a_bare_environment_checks_a_rig(installed: Path, rig: Path):
    result = outside(
        installed / "skinscope", "check", rig.name, "--format=json", "--device=cpu", folder=rig.parent
    )
    assert (result.returncode, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert document["passed"]
    assert document["blender"] == ".".join(map(str, bpy.app.version))
    assert document["files"][0]["meshes"][0]["exact"]


def test_as_a_module_it_is_the_same_program(installed: Path, rig: Path):
    result = outside(installed / "python", "-m", "skinscope", "export", rig, "--output=bundle", "--device=cpu", folder=rig.parent)  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")
    assert (rig.parent / "bundle").is_dir()


SCRIPT = """
import json, sys
import skinscope

checked, missing = skinscope.check(sys.argv[1], "none.glb", profiles=["threejs"], device="cpu", jobs=2)
bundle = skinscope.export(sys.argv[1], "bundle", profile="threejs", device="cpu")
copy = skinscope.refit(sys.argv[1], "copy.glb", profile="threejs")
refused = []
for call in (
    lambda: skinscope.check(profiles=["threejs"]),
    lambda: skinscope.check(sys.argv[1], profiles=["unty"]),
    lambda: skinscope.export("none.glb", "nothing"),
    lambda: skinscope.diff("bundle", "none.npz"),
):
    try:
        call()
    except skinscope.SkinscopeError as error:
        refused.append(str(error))
assert "bpy" not in sys.modules
print(json.dumps({
    "passed": checked.passed,
    "profile": checked.meshes[0].profile,
    "worst": checked.meshes[0].worst.max,
    "missing": missing.error,
    "complete": bundle.complete,
    "copy": [copy.characters[0].before, copy.characters[0].after, copy.file.name],
    "refused": refused,
    "version": skinscope.__version__,
}))
"""


def test_a_script_checks_exports_and_refits(installed: Path, rig: Path):
    script = rig.with_name("script.py")
    script.write_text(SCRIPT, encoding="utf-8")
    result = outside(installed / "python", script, rig, folder=rig.parent)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["passed"]
    assert told["profile"] == "threejs"
    assert 0 <= told["worst"] < 0.001
    assert told["missing"].endswith("none.glb' does not exist; check the path.")
    assert told["complete"]
    assert told["copy"][2] == "copy.glb"
    assert told["copy"][1] < 0.001
    assert (rig.parent / "copy.glb").stat().st_size > 1000
    unnamed, unknown, missing, unread = told["refused"]
    assert unnamed.startswith("No files are named; name files or folders")
    assert unknown.startswith("'unty' is not a profile; did you mean")
    assert missing.endswith("none.glb' does not exist; check the path.")
    assert "none.npz" in unread
    assert told["version"] == tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text())["version"]


def test_the_script_reads_an_engines_positions(installed: Path, rig: Path):
    code = (
        "import numpy as np, skinscope\n"
        f"skinscope.export({str(rig)!r}, 'bundle', device='cpu')\n"
        "import json, pathlib\n"
        "mesh = json.loads(pathlib.Path('bundle/bundle.json').read_text(encoding='utf-8'))['meshes'][0]\n"
        "positions = np.load(f\"bundle/{mesh['folder']}/frames.npz\")['skinned_positions']\n"
        "positions[1, 2, 0] += 0.25\n"
        "np.savez('engine.npz', positions=positions)\n"
        "result = skinscope.diff('bundle', 'engine.npz')\n"
        "assert not result.passed\n"
        "assert (result.predicted.worst_vertex, round(result.predicted.max, 4)) == (2, 0.25), result\n"
    )
    result = outside(installed / "python", "-c", code, folder=rig.parent)
    assert result.returncode == 0, result.stderr


def test_help_and_merging_need_no_blender(core: Path, tmp_path: Path):
    assert outside(core / "skinscope-core", "--help", folder=tmp_path).stdout.startswith("usage: skinscope")
    result = outside(core / "skinscope-core", "report", "none.json", folder=tmp_path)
    assert "none.json' can't be read" in result.stderr


def refusal(core: Path, folder: Path, *arguments: str, **variables: str) -> str:
    result = outside(core / "skinscope-core", *arguments, folder=folder, **variables)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    return line.removeprefix("skinscope: ")


def test_without_blender_a_sentence_says_what_to_do(core: Path, tmp_path: Path):
    told = refusal(core, tmp_path, "check", "a.glb")
    assert told.startswith(
        "There is no Blender here; install it with 'pip install skinscope', which brings Blender"
    )
    assert told.endswith("or name a desktop Blender 4.2 or newer with --blender PATH or SKINSCOPE_BLENDER.")
    for arguments, variables in (
        (["check", "a.glb", "--blender", "nowhere"], {}),
        (["check", "--blender=nowhere", "a.glb"], {}),
        (["check", "a.glb"], {"SKINSCOPE_BLENDER": "nowhere"}),
    ):
        assert refusal(core, tmp_path, *arguments, **variables).startswith(
            "'nowhere' is no program that can be run;"
        )
    assert refusal(core, tmp_path, "check", "--blender") == "--blender needs the path of a Blender."


def stood_in(core: Path, folder: Path, code: str) -> str:
    """Return the refusal of the command in a Python that has been changed."""
    script = folder / "changed.py"
    script.write_text(
        f"import sys\nfrom skinscope.cli import main\n{code}\nsys.exit(main(['check', 'a.glb']))\n"
    )
    result = outside(core / "python", script, folder=folder)
    assert result.returncode == 2, result.stderr
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.skipif(platform.system() != "Linux", reason="a machine as Linux names it")
def test_each_lack_of_the_module_is_told(core: Path, tmp_path: Path):
    other = stood_in(core, tmp_path, "import sys\nsys.version_info = (3, 12, 0, 'final', 0)")
    assert "There is no Blender as a module for Python 3.12; use Python 3.11 or 3.13, or name" in other
    machine = stood_in(core, tmp_path, "import platform\nplatform.machine = lambda: 'aarch64'")
    assert (
        "There is no Blender as a module for Linux on aarch64, only for x86-64; use such a machine" in machine
    )
    (tmp_path / "bpy.py").write_text(
        "raise ImportError('libEGL.so.1: cannot open shared object file: No such file or directory')"
    )
    where = os.fspath(tmp_path)
    lacking = stood_in(
        core, tmp_path, f"import os, sys\nos.environ['PYTHONPATH'] = {where!r}\nsys.path.append({where!r})"
    )
    assert "does not load (ImportError: libEGL.so.1: cannot open shared object file" in lacking
    assert "'apt-get install libegl1 " in lacking


def test_the_interpreters_that_the_package_takes_are_those_that_blender_has():
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,!=3.12.*,<3.14"
    assert sys.version_info[:2] in {(3, 11), (3, 13)}
