"""The summary in the view is written when something in it changes, not in every frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skinning_addon.core.profiles.catalogue import load_profile
from skinning_addon.core.skinning.deviation import Deviation
from skinning_addon.core.text.length import LengthStyle
from skinning_addon.core.verdicts.verdict import Level
from skinning_addon.drawing.labels import label_size
from skinning_addon.viewport.character.figures import Figures
from skinning_addon.viewport.choices.moved_shapes import MovedShape
from skinning_addon.viewport.choices.settings import PreviewSettings
from skinning_addon.viewport.overlay import view_text
from skinning_addon.viewport.overlay.sentences import when
from skinning_addon.viewport.overlay.view_text import TEXT_SIZE, Font, ViewText

SHADED = PreviewSettings()


def off_by(distance: float) -> Figures:
    return Figures(
        Deviation(np.array([0.0, distance]), np.array([0.5, 0.5]), 0.1), "", 3.0, find_bone=lambda: "hand.L"
    )


BODY = off_by(0.0041)

FONT = Font()


def told(
    text: ViewText,
    frame: float = 3.0,
    settings: PreviewSettings = SHADED,
    *,
    font: Font = FONT,
    **changed,
):
    given = {"measured": [("Body", BODY)], "cut_before": [], "moved": [], **changed}
    at = when((one for _, one in given["measured"]), frame, settings.alone)
    return text._summary_of(at, settings, *given.values(), font=font)


def written(text: ViewText, frame: float = 3.0, settings: PreviewSettings = SHADED, **changed) -> str:
    return told(text, frame, settings, **changed).text


def test_what_does_not_change_is_written_once(monkeypatch) -> None:
    found, write = [], view_text.summary
    monkeypatch.setattr(view_text, "summary", lambda measured: found.append(1) or write(measured))
    text = ViewText()
    assert {written(text) for _ in range(3)} == {"At this frame\nBody: left hand off by 4.1 mm"}
    # The frames that follow until figures are measured again.
    assert {written(text, frame) for frame in (4.0, 5.0, 6.0)} == {
        "At frame 3\nBody: left hand off by 4.1 mm"
    }
    assert len(found) == 2


def test_whatever_changes_is_told_at_once(monkeypatch) -> None:
    text, threejs = ViewText(), load_profile("threejs")
    assert written(text).endswith("off by 4.1 mm")
    assert written(text, measured=[("Body", off_by(0.02))]).endswith("off by 2 cm")
    assert written(text, measured=[("Hat", BODY)]).endswith("Hat: left hand off by 4.1 mm")
    assert written(text, cut_before=["Subdivision"]).endswith("before 'Subdivision'")
    assert written(text, settings=replace(SHADED, profile=threejs)).splitlines()[-1].startswith("three.js: ")
    fixed = MovedShape("Body", 0.003, Level.LOOK, 1, "Limit")
    assert "authored shape" in written(text, moved=[fixed])
    assert written(text).endswith("off by 4.1 mm")
    inches = LengthStyle("in", 2)
    monkeypatch.setattr(view_text, "length_style", lambda: inches)
    monkeypatch.setattr("skinning_addon.viewport.choices.translation.length_style", lambda: inches)
    assert written(text).endswith("in")
    monkeypatch.setattr(view_text, "language", lambda: "in capitals")
    monkeypatch.setattr(view_text, "translated", str.upper)
    assert written(text).startswith("AT THIS FRAME")


def test_its_color_follows_the_figures() -> None:
    text = ViewText()
    for one, fine in ((BODY, False), (replace(BODY, level=Level.GOOD), True), (BODY, False)):
        assert told(text, measured=[("Body", one)]).fine is fine


def test_it_is_as_large_as_its_font() -> None:
    text = ViewText()
    small, large = (told(text, font=Font(scale)).size for scale in (1.0, 2.0))
    np.testing.assert_allclose(large, 2 * np.array(small), rtol=0.05)
    assert small == label_size(written(text), TEXT_SIZE)
