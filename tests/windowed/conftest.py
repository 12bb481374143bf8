"""Window tests run out here, in the checkout's environment; Blender runs beside them (`./run test-blender`)."""

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker("windowed")


@pytest.fixture(scope="session")
def user_resources() -> Path:
    """A user folder of Blender's with the built extension installed."""
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
    """`with start_blender(["file.blend"]) as blender:`."""
    return partial(windowed_blender, display, user_resources)


@pytest.fixture(scope="module")
def shared_blender(display: str, user_resources: Path) -> Iterator[WindowedBlender]:
    """One Blender for the tests of a file: starting it takes longer than most of them."""
    with windowed_blender(display, user_resources) as running:
        yield running


@pytest.fixture
def blender(
    start_blender: Callable[..., AbstractContextManager[WindowedBlender]],
) -> Iterator[WindowedBlender]:
    """A Blender of the test's own, with the default cube."""
    with start_blender() as running:
        yield running


@pytest.fixture
def bar(shared_blender: WindowedBlender) -> Iterator[WindowedBlender]:
    """The bending bar, selected, alone in a front view; nothing may go to the console meanwhile."""
    shared_blender.run(BENDING_BAR)
    with no_complaint(shared_blender):
        yield shared_blender


@pytest.fixture
def own_bar(blender: WindowedBlender) -> WindowedBlender:
    """The bending bar in a Blender of the test's own."""
    blender.run(BENDING_BAR)
    blender.screenshot()
    return blender
