"""Settings of previews as a view places them."""

from __future__ import annotations

from dataclasses import replace

from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.shown_meshes import _placed

HERE = (0.0, 0.0, 0.0)


def test_settings_that_are_placed_as_before_are_the_same_object_and_any_others_are_made_anew():
    settings = PreviewSettings(display="deviation")
    first = _placed(settings, HERE, 0.25)
    assert first == replace(settings, drawing=replace(settings.drawing, toward_viewer=0.25))
    assert _placed(settings, HERE, 0.25) is first
    assert _placed(settings, HERE, 0.5).drawing.toward_viewer == 0.5
    assert _placed(settings, (1.0, 0.0, 0.0), 0.5).offset == (1.0, 0.0, 0.0)
    other = PreviewSettings(display="shaded")
    assert _placed(other, HERE, 0.25).display == "shaded"
    assert _placed(settings, HERE, 0.25) == first
