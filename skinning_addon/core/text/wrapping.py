"""Sentences over several lines, where nothing else breaks them: Blender's labels do not."""

from __future__ import annotations

from collections.abc import Callable

JOINTS = "_-.|:/"
"""Characters that join the parts of names."""


def wrapped(text: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break `text` into lines no wider than `room`: between words, and within words that are too wide, such
    as long names.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}") <= room:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines += _broken(word, room, width_of)
    return lines


def _broken(word: str, room: float, width_of: Callable[[str], float]) -> list[str]:
    """Break a word that is wider than `room`, after a character that joins parts of names if it has one."""
    pieces: list[str] = []
    while len(word) > 1 and width_of(word) > room:
        fitting = next((end for end in range(len(word) - 1, 1, -1) if width_of(word[:end]) <= room), 1)
        joint = max(word.rfind(sign, 0, fitting) for sign in JOINTS) + 1
        end = joint or fitting
        pieces.append(word[:end])
        word = word[end:]
    return [*pieces, word]
