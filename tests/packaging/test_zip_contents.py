"""The extension ships what it needs and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import bpy
import pytest

from skinning_addon.ui.manual_map import KOREAN_PAGES, PAGES
from tests.packaging.shipping import WHOLE_FOLDERS, files_of, files_to_ship, unfit

pytestmark = pytest.mark.processes


CHECKOUT = Path(__file__).resolve().parents[2]
OPENED_PAGES = {page.partition("#")[0] for _, page in (*PAGES, *KOREAN_PAGES)}


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


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> set[str]:
    return shipped_from(CHECKOUT, tmp_path_factory.mktemp("zip") / "skinscope.zip")


def test_the_zip_holds_all_that_is_tracked_below_the_package_and_its_pages(shipped):
    missing = files_to_ship(CHECKOUT, OPENED_PAGES) - shipped
    assert not missing, "not in the zip (blender_manifest.toml, paths_exclude_pattern):\n" + "\n".join(
        sorted(missing)
    )


def test_the_zip_holds_nothing_else(shipped):
    beside = shipped - files_to_ship(CHECKOUT, OPENED_PAGES)
    assert not beside, "in the zip and not tracked: `git add` or remove:\n" + "\n".join(sorted(beside))


def test_the_zip_holds_nothing_that_users_have_no_use_for(shipped):
    assert {name: unfit(name) for name in shipped if unfit(name)} == {}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("skinning_addon/core/test_skin.py", "a test"),
        ("skinning_addon/core/tests/skin.py", "a test"),
        ("skinning_addon/core/conftest.py", "a test"),
        ("benchmarks/scan.py", "a benchmark"),
        ("skinning_addon/core/__pycache__/skin.cpython-311.pyc", "a cache"),
        ("skinning_addon/core/skinning/skin.py.orig", "a backup"),
        ("skinning_addon/core/skinning/skin.py~", "a backup"),
        ("skinning_addon/rig.blend1", "a backup"),
        ("skinning_addon/rig.blend", "a file that a run leaves"),
        ("skinning_addon/.skin.py.swp", "a backup"),
        ("skinning_addon/core/.cache/a", "hidden"),
        ("skinning_addon/core/skinning/skin.py", None),
        ("skinning_addon/core/tested.py", None),
        ("skinning_addon/command_line/checking/result_cache.py", None),
    ],
)
def test_what_users_have_no_use_for(name, kind):
    assert unfit(name) == kind


def test_a_checkout_without_git_ships_the_same(tmp_path):
    """As a release's archive of sources, and the copy that another machine gets."""
    for name in WHOLE_FOLDERS:
        shutil.copytree(CHECKOUT / name, tmp_path / name)
    (tmp_path / "skinning_addon" / "__pycache__").mkdir(exist_ok=True)
    (tmp_path / "skinning_addon" / "__pycache__" / "a.pyc").touch()
    untracked = files_of(tmp_path) - files_of(CHECKOUT)
    assert not untracked, "not tracked: `git add` or remove:\n" + "\n".join(sorted(untracked))
    assert files_to_ship(tmp_path, OPENED_PAGES) == files_to_ship(CHECKOUT, OPENED_PAGES)


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
