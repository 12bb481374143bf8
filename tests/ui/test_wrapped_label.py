from __future__ import annotations

from skinning_addon.ui.wrapped_label import wrapped


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
