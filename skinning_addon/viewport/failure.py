"""Errors that are Skinscope's own fault, reported once."""

from __future__ import annotations

import traceback

from ..core.text.message import Message


def told_once() -> str:
    """Print the error being handled to the console, and return the sentence for the panel."""
    traceback.print_exc()
    return Message(
        "Skinscope ran into an internal error, and the preview was switched off; see Blender's console for "
        "details."
    )
