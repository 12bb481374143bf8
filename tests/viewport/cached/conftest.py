from __future__ import annotations

from collections.abc import Iterator

import bpy
import pytest

from skinning_addon.viewport.cached import cached_playback as module
from skinning_addon.viewport.cached import scrub
from tests.viewport.cached.recorded import Mode, bending_rig


@pytest.fixture
def mode(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mode]:
    mode = Mode()
    monkeypatch.setattr(module, "is_playing_back", lambda: mode.playing)
    monkeypatch.setattr(scrub, "is_scrubbing", lambda: mode.scrubbing)
    monkeypatch.setattr("skinning_addon.viewport.cached.groups.foreign_handlers", lambda _package: [])
    mode.listen()
    yield mode
    for event, handler in mode.handlers.items():
        getattr(bpy.app.handlers, event).remove(handler)
    mode.cached.stop()


@pytest.fixture
def rig() -> tuple[bpy.types.Object, bpy.types.Object]:
    return bending_rig()
