"""The only code that translates words into the user's language and lengths into the user's unit.

Blender itself translates what classes and properties declare: labels, descriptions and items. Text that our
code composes is a `Message`: English wherever it is kept, logged or compared, and translated here when it is
shown.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import bpy
from bpy.app.translations import pgettext_iface, pgettext_rpt, pgettext_tip

from ...core.text.length import Length
from ...core.text.message import Message
from .length_units import length_style

CONTEXT = "Skinscope"
"""Our words are looked up in this context first: in the usual one Blender's own translation of a word wins
over ours, and says "view" for the verdict Look.
"""


def translated(text: str) -> str:
    """Return `text` as the interface shows it: in the user's language, and with lengths in the user's unit.

    Not for names that the user chose: a mesh may be called 'Cube'. Pass the result to a layout with
    `translate=False`, or Blender would look it up again.
    """
    return _retold(text, lambda english: _in_our_words(english, pgettext_iface))


def translated_tip(text: str) -> str:
    """Return `text` as a tooltip shows it; users choose separately whether tooltips are translated."""
    return _retold(text, lambda english: _in_our_words(english, pgettext_tip))


def translated_report(text: str) -> str:
    """Return `text` as an operator reports it; users choose separately whether reports are translated."""
    return _retold(text, lambda english: _in_our_words(english, pgettext_rpt))


def language() -> Hashable:
    """Return what `translated` depends on besides units, for keeping text while it is the same."""
    return bpy.app.translations.locale, bpy.context.preferences.view.use_translate_interface


def _in_our_words(english: str, translate: Callable[..., str]) -> str:
    ours = translate(english, CONTEXT)
    return translate(english) if ours == english else ours


def _retold(text: str, translate: Callable[[str], str]) -> str:
    if isinstance(text, Length):
        return length_style().write(text.metres)
    # Looking up the empty string would return the table's own header.
    return Message(text).retold(translate, _in_users_unit) if text else text


def _in_users_unit(value: object) -> object:
    return length_style().write(value.metres) if isinstance(value, Length) else value
