"""Errors that are Skinscope's own fault, told once."""

from __future__ import annotations

import traceback

from ..core.text.message import Message


def told_once() -> str:
    """Print the error that is being handled to the console, and return the sentence for the panel."""
    traceback.print_exc()
    return Message(
        "Something went wrong inside Skinscope; Blender's console says what. The preview was switched off."
    )
