"""Translations of the interface. The English text is in the code, where it is used."""

from __future__ import annotations

import bpy

from ...viewport.choices.translation import CONTEXT
from .korean import KOREAN

LANGUAGES = {"ko_KR": KOREAN}

Table = dict[tuple[str, str], str]


def register_translations() -> None:
    """Have Blender use the tables, in its own interface and in `translated`."""
    bpy.app.translations.register(
        __package__, {language: _in_both_contexts(table) for language, table in LANGUAGES.items()}
    )


def unregister_translations() -> None:
    """Undo `register_translations`."""
    bpy.app.translations.unregister(__package__)


def _in_both_contexts(table: Table) -> Table:
    """Return the table with its words also in our own context, which Blender has no words for. Where a sentence
    names an operator, it is called what its button says, unless the word has a meaning of its own.
    """
    ours = {
        (CONTEXT, english): told
        for wanted in ("Operator", "*")
        for (context, english), told in table.items()
        if context == wanted
    }
    return table | ours
