"""Names and tooltips are spelled as Blender spells them."""

from __future__ import annotations

import re

from tests.ui.interface_strings import strings_of_interface

BLENDERS = {
    "canceled": "cancelled",
    "center": "centre",
    "color": "colour",
    "crossfade": "cross-fade",
    "normalize": "normalise",
    "viewport": "view port",
}
"""Words as Blender 5.2's interface spells them, and a spelling that it has nowhere."""


def test_words_are_spelled_as_in_blenders_own_interface(session):  # noqa: ARG001 - registers the classes
    said = strings_of_interface()
    others = re.compile("|".join(map(re.escape, BLENDERS.values())), re.IGNORECASE)
    assert {text: where for (_, text), where in said.items() if others.search(text)} == {}
