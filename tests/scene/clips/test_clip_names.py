"""Lists of clips that are separated by commas, where names of clips have commas."""

from __future__ import annotations

import pytest

from skinning_addon.scene.clips.clip_names import joined_names

KNOWN = ("Walk", "Run", "Walk, Run", "Twist", "Twist, left", "Twist, left, fast", "a,b")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Walk", ["Walk"]),
        ("Walk,Run", ["Walk", "Run"]),
        ("Twist, left", ["Twist, left"]),
        ("Run,Twist, left,Twist", ["Run", "Twist, left", "Twist"]),
        ("Twist, left, fast,Twist,left", ["Twist, left, fast", "Twist, left"]),
        ("a, b", ["a,b"]),
        ("left,Twist", ["left", "Twist"]),
        ("", [""]),
    ],
)
def test_names_are_joined_where_that_is_a_clip(text: str, found: list[str]):
    names = tuple(one.strip() for one in text.split(","))
    assert joined_names(names, KNOWN) == found


def test_whole_names_stay():
    assert joined_names(("Walk, Run", "Twist, left"), KNOWN) == ["Walk, Run", "Twist, left"]
