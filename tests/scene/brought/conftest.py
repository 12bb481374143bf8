"""A file with a walk, whose clips the tests bring to other figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scene.walking_figure import (
    add_figure,
    key_walk,
    save,
)


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A file with the figure and its walk."""
    key_walk(add_figure())
    return save(tmp_path / "walk.blend")
