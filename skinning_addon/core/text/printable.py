r"""Names as text that can be printed: anything that a terminal or CI system takes for a command is shown, not
obeyed.

Objects, bones and files may be called anything. A terminal obeys control characters, GitHub lines that begin
with '::', Azure, TeamCity and GitHub again '##[', '##vso[' and '##teamcity[' anywhere; text with direction
overrides reads differently from what it says. Letters of every script are kept. Escapes are written as in
Python: an escape character as \x1b.
"""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
"""Invisible, and part of the spelling in some scripts; they only join letters."""

_UNPRINTABLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control characters, formatting (including direction), surrogates, line and paragraph separators."""

COMMANDS = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)
"""Commands that a CI system obeys anywhere in a line."""

_COMMAND_LINE = re.compile(r"(\s*):(?=:)")


def printable(text: str) -> str:
    """Return text as one printable line; the same object, name or message, if nothing needs escaping."""
    shown = text
    if not text.isprintable() and any(map(is_unprintable, text)):
        shown = "".join(_escaped(letter) if is_unprintable(letter) else letter for letter in text)
    # Escaping one character of a command is enough to make it text again.
    if COMMANDS.search(shown):
        shown = COMMANDS.sub(r"\\x23#", shown)
    return _COMMAND_LINE.sub(r"\1\\x3a", shown, count=1) if _COMMAND_LINE.match(shown) else shown


def printable_lines(text: str) -> str:
    """Apply `printable` to each line of a text; line feeds are kept, other line endings are escaped."""
    lines = [line.removesuffix("\r").expandtabs() for line in text.split("\n")]
    return "\n".join(map(printable, lines))


def is_unprintable(letter: str) -> bool:
    """Tell whether a character does anything other than show up."""
    return unicodedata.category(letter) in _UNPRINTABLE and letter not in JOINERS


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
