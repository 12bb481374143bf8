"""The extension's run-time state, whether or not the extension is enabled around the tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from skinning_addon.viewport import session as session_module
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.event_handlers import add_event_handlers, remove_event_handlers
from skinning_addon.viewport.session import ViewportSession, close_session, current_session, open_session


@pytest.fixture
def session() -> Iterator[ViewportSession]:
    """The session, with Blender calling the event handlers and no preview on."""
    enabled = session_module._session is not None
    if not enabled:
        open_session(lambda _scene: PreviewSettings())
        add_event_handlers()
    yield current_session()
    current_session().stop_all()
    if not enabled:
        remove_event_handlers()
        close_session()
