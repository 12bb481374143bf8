"""The heat map's legend is written when something in it changes, not in every frame."""

from __future__ import annotations

from dataclasses import replace

import pytest

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.text.length import LengthStyle
from skinning_addon.drawing.displays import DROPPED_WEIGHT, find_display
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.overlay import view_text
from skinning_addon.viewport.overlay.view_text import Font, ViewText

HEAT = PreviewSettings(display="deviation")


@pytest.fixture
def written(monkeypatch) -> list[object]:
    """The legends written since."""
    found = []
    write = view_text.display_legend
    monkeypatch.setattr(view_text, "display_legend", lambda *given: found.append(given) or write(*given))
    return found


def ticks(text: ViewText, settings: PreviewSettings, metres_per_unit: float = 1.0) -> tuple[str, ...]:
    return text._legend_of(find_display(settings.display), settings, metres_per_unit, Font()).text.ticks


def test_frames_that_look_alike_share_one(written):
    text = ViewText()
    assert len({ticks(text, HEAT) for _ in range(3)}) == 1
    assert len(written) == 1


def test_other_steps_units_and_styles_are_written_anew(written, monkeypatch):
    text = ViewText()
    seen = [ticks(text, HEAT)]
    wider = replace(HEAT.drawing, heat_scale=HEAT.drawing.heat_scale.scaled(3.0))
    seen.append(ticks(text, replace(HEAT, drawing=wider)))
    seen.append(ticks(text, HEAT, 0.01))
    inches = LengthStyle("in", 2)
    monkeypatch.setattr(view_text, "length_style", lambda: inches)
    monkeypatch.setattr("skinning_addon.viewport.choices.translation.length_style", lambda: inches)
    seen.append(ticks(text, HEAT))
    assert len(set(seen)) == len(written) == 4
    assert any("in" in one for one in seen[-1])


def test_it_names_the_engine_that_drops_weight():
    text, dropped = ViewText(), PreviewSettings(display=DROPPED_WEIGHT)
    display = find_display(DROPPED_WEIGHT)
    titles = [
        text._legend_of(display, one, 1.0, Font()).text.title
        for one in (dropped, replace(dropped, profile=load_profile("threejs")))
    ]
    assert titles == [display.label, "Dropped by three.js"]
