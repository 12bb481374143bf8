"""What is found in pictures of the sidebar."""

from __future__ import annotations

import numpy as np

from tests.windowed.hour.panel_picture import rows_of_largest


def test_a_button_is_found_apart_from_figures_below_it():
    button = np.zeros((60, 120), bool)
    button[10:31, 5:113] = True
    with_figures = button.copy()
    with_figures[40:48, 90:94] = with_figures[44:49, 100] = True
    np.testing.assert_array_equal(rows_of_largest(with_figures), button)


def test_the_letters_of_a_choice_without_a_frame_are_found_together():
    letters = np.zeros((20, 60), bool)
    letters[5:15, 3:9] = letters[5:15, 12:17] = letters[8:15, 20:25] = True
    np.testing.assert_array_equal(rows_of_largest(letters), letters)


def test_nothing_is_found_where_nothing_changes():
    assert not rows_of_largest(np.zeros((4, 4), bool)).any()
