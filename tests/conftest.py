"""How tests name the package, plus their shared fixtures.

Every test imports `skinning_addon`. Under Blender's Python module that is the checkout. Inside a desktop
Blender it is the *installed* extension: the same module objects that Blender enabled, under a second name.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

if "BLENDER_USER_RESOURCES" not in os.environ:
    # Set before Blender loads, so that the user's preferences are neither read nor written.
    throw_away = tempfile.TemporaryDirectory(prefix="skinscope-tests-")
    os.environ["BLENDER_USER_RESOURCES"] = throw_away.name

# Imported here because gpu and mathutils can only be imported after bpy.
import bpy

from tests import fast_lane
from tests.context_owner import keep_context_in_the_open_file
from tests.installed_package import CHECKOUT, name_installed_package

# Test folders that don't touch Blender's data.
WITHOUT_BLENDER_DATA = {"core", "animation", "conformance", "drawing", "packaging", "windowed"}

WORTH_TELLING = 30.0
"""If a run takes longer than this many seconds, it reports where the time went."""
MOST_LINES = 10

# The Python module has no executable (`bpy.app.module`, which says the same, is newer than 4.2).
skinning_addon = (
    name_installed_package() if bpy.app.binary_path else importlib.import_module("skinning_addon")
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="what takes less than a minute (tests/fast_lane.py)")


def pytest_report_header() -> list[str]:
    return [
        f"Blender {bpy.app.version_string}, skinning_addon in {Path(skinning_addon.__file__ or '').parent}",
        f"SKINSCOPE_RIGS: {os.environ.get('SKINSCOPE_RIGS', 'unset')}",
    ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tie the gpu and rigs markers to their fixtures, in both directions; drop tests that this Blender can
    never run.
    """
    fixtures = {"gpu": "gpu_device", "rigs": "rigs_folder"}
    for item in items:
        assert isinstance(item, pytest.Function)
        for marker, fixture in fixtures.items():
            if fixture in item.fixturenames:
                item.add_marker(marker)
            elif item.get_closest_marker(marker):
                # Copy the list: parametrized siblings, which may not need the fixture, share it.
                item.fixturenames = [fixture, *item.fixturenames]
    if not can_draw_in_background():
        impossible = [item for item in items if item.get_closest_marker("gpu")]
        items[:] = [item for item in items if not item.get_closest_marker("gpu")]
        config.hook.pytest_deselected(items=impossible)
    if config.getoption("fast"):
        quick = fast_lane.chosen(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in set(quick)])
        items[:] = quick


@pytest.fixture(autouse=True)
def no_processes_in_the_fast_lane(request: pytest.FixtureRequest) -> Iterator[None]:
    with fast_lane.no_processes() if request.config.getoption("fast") else contextlib.nullcontext():
        yield


def can_draw_in_background() -> bool:
    """Whether this Blender version can (5.2 and later), not whether there is a GPU."""
    import gpu

    return hasattr(gpu, "init")


@pytest.fixture(autouse=True)
def empty_file(request: pytest.FixtureRequest) -> None:
    """Start from a file without objects if the test uses Blender's data. The extension stays enabled."""
    layer = request.path.relative_to(CHECKOUT / "tests").parts[0]
    if layer not in WITHOUT_BLENDER_DATA:
        # Not read_factory_settings, which would disable the extension.
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)


bpy.app.handlers.load_post.append(keep_context_in_the_open_file)


@pytest.fixture(autouse=True)
def importers_print_where_this_test_looks() -> None:
    """Drop the glTF add-on's log handlers: it keeps the standard output of each import, which pytest has since
    closed.
    """
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("glTF"):
            logging.getLogger(name).handlers.clear()


@pytest.fixture(scope="session")
def gpu_device() -> str:
    """The name of a GPU that draws without a window. Without one the test is skipped, or fails if
    REQUIRE_GPU=1.
    """
    import gpu

    start = "import bpy, gpu; gpu.init()"
    if bpy.app.binary_path:
        command = [
            bpy.app.binary_path,
            "-b",
            "--factory-startup",
            "--python-exit-code",
            "1",
            "--python-expr",
            start,
        ]
    else:
        command = [sys.executable, "-c", start]
    # Tried in its own process: without a GPU driver gpu.init() doesn't raise, it crashes the process.
    if subprocess.run(command, capture_output=True, check=False).returncode == 0:
        gpu.init()
        return f"{gpu.platform.backend_type_get()} {gpu.platform.renderer_get()}"
    reason = (
        "Blender finds no GPU driver, not even Mesa's software one (apt-get install -y libegl-mesa0 "
        "libgl1-mesa-dri)"
    )
    if os.environ.get("REQUIRE_GPU") == "1":
        pytest.fail(f"{reason}; REQUIRE_GPU=1", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def rigs_folder() -> Path:
    """The folder of rigged characters, SKINSCOPE_RIGS. If unset, skip the test; if set but missing, fail it."""
    if "SKINSCOPE_RIGS" not in os.environ:
        pytest.skip("SKINSCOPE_RIGS names no folder of rigs")
    folder = Path(os.environ["SKINSCOPE_RIGS"])
    if not folder.is_dir():
        pytest.fail(f"SKINSCOPE_RIGS names {folder}, which is no folder", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo character, saved as a file. Built once because Rigify is slow. Objects "Rig" and "Body"."""
    from skinning_addon.scene.characters.demo_character import build_demo_character
    from skinning_addon.scene.files import open_empty_file

    open_empty_file()
    armature, body = build_demo_character()
    assert (armature.name, body.name) == ("Rig", "Body")
    path = tmp_path_factory.mktemp("demo") / "demo.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count skips by reason, since a list of hundreds hides the one that matters, and report where the time
    went.
    """
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("skipped")
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:5}  {reason}")
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    ]
    if sum(report.duration for report in reports) >= WORTH_TELLING:
        seconds = _seconds_by(reports, 1)
        if len(seconds) == 1:
            seconds = _seconds_by(reports, -1)
        terminalreporter.section("seconds, of all processes")
        for name, spent in seconds.most_common(MOST_LINES):
            terminalreporter.write_line(f"{spent:5.0f}  {name}")


def _seconds_by(reports: list[pytest.TestReport], part: int) -> Counter[str]:
    """Sum durations by a part of the test's path: 1 is the folder below tests, -1 the file."""
    seconds: Counter[str] = Counter()
    for report in reports:
        path = report.nodeid.partition("::")[0].split("/")
        seconds[path[min(part, len(path) - 1)]] += report.duration  # pyright: ignore[reportArgumentType]
    return seconds


_exit_status = pytest.StashKey[int]()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_exit_status] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Exit without tearing down Blender 4.2: as a module it frees its panels after Python is gone,
    and crashes.
    """
    if bpy.app.version < (4, 3) and not bpy.app.binary_path and _exit_status in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(config.stash[_exit_status])
