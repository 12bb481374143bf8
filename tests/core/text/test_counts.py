"""Things that sentences count."""

from __future__ import annotations

import pytest

from skinning_addon.core.text.counts import bones, clips, helper_bones


@pytest.mark.parametrize(
    ("counted", "noun"), [(bones, "bone"), (helper_bones, "helper bone"), (clips, "clip")]
)
def test_one_is_singular_and_all_others_are_plural(counted, noun: str):
    told = [str(counted(count)) for count in (0, 1, 2, 1234)]
    assert told == [f"0 {noun}s", f"1 {noun}", f"2 {noun}s", f"1,234 {noun}s"]
