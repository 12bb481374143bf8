from __future__ import annotations

from skinning_addon.ui.wrapped_label import wrapped


def test_text_breaks_between_words_where_there_is_no_room():
    assert wrapped("one two three four", 9, len) == ["one two", "three", "four"]


def test_a_word_that_is_too_long_has_a_line_of_its_own():
    assert wrapped("a considerable thing", 6, len) == ["a", "considerable", "thing"]


def test_no_text_is_no_line():
    assert wrapped("", 10, len) == []
