"""Names as text: readable, and safe for any terminal or CI system."""

from __future__ import annotations

import pytest

from skinning_addon.core.text.printable import printable, printable_lines


@pytest.mark.parametrize(
    "text", ["", "Body.001", "캐릭터 몸", "Élodie's über-rig", "手", "a::b", "C:\\rigs\\a.blend", "## 3", "क्‍ष", "بدن‌ها", "🧍🏽"]
)  # fmt: skip
def test_ordinary_names_stay_as_they_are(text: str):
    assert printable(text) is text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("\x00\x07\x7f\x85\x9b1m", "\\x00\\x07\\x7f\\x85\\x9b1m"),
        ("\u202egnp.\u202c", "\\u202egnp.\\u202c"),
        ("\u2066x\u2069\u200f\u2028\ufeff", "\\u2066x\\u2069\\u200f\\u2028\\ufeff"),
        ("name \udcff.blend", "name \\udcff.blend"),
        ("::error::x", "\\x3a:error::x"),
        ("  ::set-output", "  \\x3a:set-output"),
        ("a ##[error]b ##vso[task.x]c ##TeamCity[d", "a \\x23#[error]b \\x23#vso[task.x]c \\x23#TeamCity[d"),
    ],
)
def test_what_would_be_obeyed_is_escaped(text: str, shown: str):
    assert printable(text) == shown
    assert printable(shown) == shown


def test_lines_stay_lines():
    assert printable_lines("one\n::error::two\r\n\tthree\n") == "one\n\\x3a:error::two\n        three\n"
