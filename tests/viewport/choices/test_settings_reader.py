"""Within a redraw, settings and preferences are read once; outside, they are read as they are."""

from __future__ import annotations

import bpy
import pytest

from skinning_addon.viewport.choices import preferences
from skinning_addon.viewport.choices.preferences import preferences_once, read_preferences
from skinning_addon.viewport.choices.settings import PreviewSettings, SettingsReader


def test_a_redraw_reads_each_scene_once_and_the_next_one_again():
    read = []
    reader = SettingsReader(lambda scene: read.append(scene.name) or PreviewSettings(display=scene.name))
    one, other = bpy.context.scene, bpy.data.scenes.new("Other")
    for _ in range(2):
        with reader.once(1):
            assert [reader(scene).display for scene in (one, other, one)] == [one.name, "Other", one.name]
    assert read == 2 * [one.name, "Other"]
    reader(one)
    reader(one)
    assert len(read) == 6


def test_the_text_over_a_view_takes_what_was_read_for_the_view():
    read = []
    reader = SettingsReader(lambda scene: read.append(scene.name) or PreviewSettings())
    for view, text in ((1, 1), (1, 2), (1, None)):
        with reader.once(view):
            reader(bpy.context.scene)
        if text is not None:
            with reader.once_more(text):
                reader(bpy.context.scene)
    # What was read for a view is not taken for another region's text, nor for the next view.
    assert len(read) == 4
    with reader.once(1):
        reader(bpy.context.scene)
    for _ in range(2):
        with reader.once_more(1):
            reader(bpy.context.scene)
    assert len(read) == 6


def test_the_text_takes_what_else_was_found_and_the_preferences_too(monkeypatch):
    read = []
    monkeypatch.setattr(preferences, "stored_preferences", lambda: read.append("preferences"))
    reader = SettingsReader(lambda _scene: PreviewSettings())

    def drawn() -> None:
        with preferences_once(reader.known):
            read_preferences()
            reader.known("hidden", lambda: read.append("hidden"))

    for view, text in ((1, 1), (1, 2)):
        with reader.once(view):
            drawn()
        with reader.once_more(text):
            drawn()
    assert sorted(read) == 3 * ["hidden"] + 3 * ["preferences"]
    reader.known("hidden", lambda: read.append("hidden"))
    assert len(read) == 7


def test_an_error_while_drawing_does_not_keep_old_settings():
    read = []
    reader = SettingsReader(lambda scene: read.append(scene.name) or PreviewSettings())

    def draws_and_fails():
        with reader.once(1):
            reader(bpy.context.scene)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        draws_and_fails()
    reader(bpy.context.scene)
    assert len(read) == 2


def test_preferences_are_read_once(monkeypatch):
    read = []
    monkeypatch.setattr(preferences, "stored_preferences", lambda: read.append(1))
    with preferences_once():
        assert read_preferences() is read_preferences()
    assert len(read) == 1
    read_preferences()
    assert len(read) == 2
