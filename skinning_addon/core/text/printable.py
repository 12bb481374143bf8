r"""Names as text that can be printed: what a terminal or a CI system takes for a command is shown instead of obeyed.

Objects, bones and files may be called anything. A terminal obeys control characters, GitHub lines that begin with '::', Azure,
TeamCity and GitHub again '##[', '##vso[' and '##teamcity[' anywhere; text that turns its direction shows something else than it
says. Letters of every script stay as they are. What is escaped is written as in Python: an escape character as \x1b.
"""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
"""Invisible, and part of how words of some scripts are spelt; they join letters and do nothing else."""

_UNPRINTABLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Control characters, formatting (directions among it), halves of surrogate pairs, separators of lines and paragraphs."""

COMMANDS = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)
"""What is a command of a CI system wherever in a line it stands."""

_COMMAND_LINE = re.compile(r"(\s*):(?=:)")


def printable(text: str) -> str:
    """Return a text as one line of print; the very object that it is, a name or a message, if nothing has to be escaped."""
    shown = text
    if not text.isprintable() and any(map(is_unprintable, text)):
        shown = "".join(_escaped(letter) if is_unprintable(letter) else letter for letter in text)
    # One character of a command is enough to make it text again.
    if COMMANDS.search(shown):
        shown = COMMANDS.sub(r"\\x23#", shown)
    return _COMMAND_LINE.sub(r"\1\\x3a", shown, count=1) if _COMMAND_LINE.match(shown) else shown


def printable_lines(text: str) -> str:
    """Return a text of several lines with each as `printable` has it; line feeds stay, whatever else ends lines does not."""
    lines = [line.removesuffix("\r").expandtabs() for line in text.split("\n")]
    return "\n".join(map(printable, lines))


def is_unprintable(letter: str) -> bool:
    """Tell whether a character does something else than to be shown."""
    return unicodedata.category(letter) in _UNPRINTABLE and letter not in JOINERS


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
