"""Enables the extension, as the preferences do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import skinning_addon
from skinning_addon.viewport import session as session_module
from skinning_addon.viewport.session import ViewportSession, current_session
from tests.command_line.conftest import skinscope  # noqa: F401 - a fixture


@pytest.fixture
def session() -> Iterator[ViewportSession]:
    """The enabled extension's session; inside a desktop Blender it is already enabled."""
    enabled = session_module._session is not None
    if not enabled:
        skinning_addon.register()
    yield current_session()
    if not enabled:
        skinning_addon.unregister()
    else:
        current_session().stop_all()
