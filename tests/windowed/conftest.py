"""Window tests run here, in the checkout's environment; Blender runs alongside (`./run test-blender`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest

from tests.windowed.console import no_complaint
from tests.windowed.harness import WindowedBlender, virtual_screen, windowed_blender
from tests.windowed.scenes import BENDING_BAR

FOLDER = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-screen",
        action="store_true",
        help="the hour of work in English and Korean, on two sizes of screen, at two interface scales",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("windowed")


@pytest.fixture(scope="session")
def user_resources() -> Path:
    """A Blender user folder with the built extension installed."""
    if "SKINSCOPE_BLENDER" not in os.environ:
        pytest.skip("SKINSCOPE_BLENDER names no desktop Blender (./run test-blender sets it)")
    return Path(os.environ["SKINSCOPE_USER_RESOURCES"])


@pytest.fixture(scope="session")
def display(user_resources: Path) -> Iterator[str]:  # noqa: ARG001 - no screen where the tests are skipped
    with virtual_screen() as name:
        yield name


@pytest.fixture
def start_blender(
    display: str, user_resources: Path
) -> Callable[..., AbstractContextManager[WindowedBlender]]:
    """Start Blender: `with start_blender(["file.blend"]) as blender:`."""
    return partial(windowed_blender, display, user_resources)


@pytest.fixture(scope="module")
def shared_blender(display: str, user_resources: Path) -> Iterator[WindowedBlender]:
    """One Blender shared by a file's tests, since starting it takes longer than most of them."""
    with windowed_blender(display, user_resources) as running:
        yield running


@pytest.fixture
def blender(
    start_blender: Callable[..., AbstractContextManager[WindowedBlender]],
) -> Iterator[WindowedBlender]:
    """A separate Blender for one test, with the default cube."""
    with start_blender() as running:
        yield running


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """The bending bar, selected, alone in a front view; nothing may be printed to the console meanwhile."""
    shared_blender.run(BENDING_BAR)
    with no_complaint(shared_blender):
        yield shared_blender


@pytest.fixture
def own_bar(blender: WindowedBlender) -> WindowedBlender:
    """The bending bar in the test's own Blender."""
    blender.run(BENDING_BAR)
    blender.screenshot()
    return blender
