from __future__ import annotations

from types import SimpleNamespace

import blf

from skinning_addon.core.text.wrapping import wrapped
from skinning_addon.ui.engine.mesh_fix import REDO_WIDTH, MeshFix


class _Layout:
    """Takes the labels of a panel."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def column(self, *, align: bool) -> _Layout:  # noqa: ARG002
        return self

    def label(self, *, text: str, translate: bool) -> None:  # noqa: ARG002
        self.lines.append(text)


def test_what_a_fix_tells_is_whole_beside_its_options():
    told = (
        "deviation from the authored shape in Weights of 91 vertices of 'Character_Body_LOD0' changed; "
        "Unity, one bone: 5.8 cm before, 5 mm after"
    )
    fix = MeshFix()
    fix.told, fix.layout = told, _Layout()
    # Without a window the interface has no size.
    system, style = SimpleNamespace(ui_scale=1.0), SimpleNamespace(widget=SimpleNamespace(points=11))
    fix.draw(SimpleNamespace(preferences=SimpleNamespace(system=system, ui_styles=[style])))
    assert " ".join(fix.layout.lines) == told.replace(";", "")
    assert len(fix.layout.lines) > 2
    assert max(blf.dimensions(0, line)[0] for line in fix.layout.lines) <= REDO_WIDTH * 20


def test_text_breaks_between_words_where_there_is_no_room():
    assert wrapped("one two three four", 9, len) == ["one two", "three", "four"]


def test_a_word_that_is_too_long_is_broken():
    assert wrapped("a considerable thing", 6, len) == ["a", "consid", "erable", "thing"]


def test_a_name_that_is_too_long_breaks_between_its_parts():
    assert wrapped("air_jump_anticipation_root.001", 12, len) == ["air_jump_", "anticipation", "_root.001"]


def test_where_there_is_no_room_at_all_each_letter_has_a_line():
    assert wrapped("abc", 0, len) == ["a", "b", "c"]


def test_no_text_is_no_line():
    assert wrapped("", 10, len) == []
