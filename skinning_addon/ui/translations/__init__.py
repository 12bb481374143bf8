"""What the interface says in other languages. English is in the code, where it is said."""

from __future__ import annotations

import bpy

from .korean import KOREAN

LANGUAGES = {"ko_KR": KOREAN}


def register_translations() -> None:
    """Have Blender translate what the tables hold, in its own interface and in `translated`."""
    bpy.app.translations.register(__package__, LANGUAGES)


def unregister_translations() -> None:
    """Undo `register_translations`."""
    bpy.app.translations.unregister(__package__)
