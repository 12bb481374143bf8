"""Record When Idle: another Blender is only started while the user rests, and not twice for the same frames."""

from __future__ import annotations

from dataclasses import replace

import bpy
import pytest

from skinning_addon.ui.playback import idle_recording as module
from skinning_addon.ui.playback.background_recording import recording
from skinning_addon.ui.playback.idle_recording import SECONDS_OF_REST, IdleRecording
from skinning_addon.viewport.choices.preferences import FACTORY
from skinning_addon.viewport.session import ViewportSession
from tests.viewport.cached.recorded import FRAMES, bending_rig


class Rest:
    """A user who rests, with a clock of its own, and what is started meanwhile."""

    def __init__(self) -> None:
        self.now = 0.0
        self.started: list[int] = []
        self.idle = IdleRecording(lambda: self.now)

    def go_by(self, seconds: float) -> None:
        """Listen for some time, in which nothing is touched."""
        if self.idle.is_due(bpy.context):
            self.idle.listens, self.idle._since = True, self.now
        self.now += seconds
        self.idle.note_quiet(bpy.context)


@pytest.fixture
def rest(session: ViewportSession, monkeypatch: pytest.MonkeyPatch) -> Rest:
    rest = Rest()
    monkeypatch.setattr("skinning_addon.viewport.cached.groups.foreign_handlers", lambda _package: [])
    monkeypatch.setattr(module, "read_preferences", lambda: replace(FACTORY, record_when_idle=True))
    monkeypatch.setattr(module, "tell_in_status_bar", lambda *_, **__: None)
    monkeypatch.setattr(recording, "start", lambda context: rest.started.append(context.scene.frame_current))
    bending_rig()
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    return rest


def test_it_starts_after_some_seconds_of_rest(rest):
    rest.go_by(SECONDS_OF_REST - 0.1)
    assert not rest.started
    rest.now += 0.2
    rest.idle.note_quiet(bpy.context)
    assert len(rest.started) == 1


def test_it_is_off_by_default(rest, monkeypatch):
    assert not FACTORY.record_when_idle
    monkeypatch.setattr(module, "read_preferences", lambda: FACTORY)
    rest.go_by(60)
    assert not rest.started


def test_whatever_is_touched_starts_the_rest_again(rest):
    rest.go_by(SECONDS_OF_REST - 0.1)
    rest.idle.note_input()
    rest.now += 60
    rest.idle.note_quiet(bpy.context)
    assert not rest.started
    rest.go_by(SECONDS_OF_REST)
    assert len(rest.started) == 1


@pytest.mark.parametrize("name", ["is_playing_back", "is_scrubbing"])
def test_it_never_starts_while_blender_plays(rest, monkeypatch, name):
    monkeypatch.setattr(module, name, lambda: True)
    rest.go_by(60)
    assert not rest.started
    monkeypatch.setattr(module, name, lambda: False)
    assert rest.idle.is_due(bpy.context)
    rest.idle.listens = True
    monkeypatch.setattr(module, name, lambda: True)
    rest.now += 60
    # It has begun to play while it was listening.
    rest.idle.note_quiet(bpy.context)
    assert not rest.started


def test_it_needs_the_mode_and_frames_that_are_not_known(rest, session):
    bpy.context.scene.skinscope.cached_playback = False
    rest.go_by(60)
    assert not rest.started
    bpy.context.scene.skinscope.cached_playback = True
    session.cached.refresh()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        session.cached.note_frame(bpy.context.scene, bpy.context.evaluated_depsgraph_get())
    assert len(session.cached.cache.known_frames()) == FRAMES
    rest.go_by(60)
    assert not rest.started


def test_what_did_not_come_is_not_tried_again_before_an_edit(rest, session):
    rest.go_by(60)
    rest.go_by(60)
    assert len(rest.started) == 1
    session.cached.cache.forget_all()
    # Until they are found again, nothing starts either.
    rest.go_by(60)
    assert len(rest.started) == 1
    session.cached.refresh()
    rest.go_by(60)
    assert len(rest.started) == 2
