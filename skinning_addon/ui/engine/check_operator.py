"""The basis of operators that check a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import bpy

from ...core.text.message import Message
from ...viewport.choices.translation import translated
from ..widgets.stepped_operator import SteppedOperator

MODES = frozenset({"OBJECT", "POSE", "PAINT_WEIGHT"})
"""Modes in which a scene's data is up to date, and may be changed."""

WRONG_MODE = Message("Switch to Object Mode")


class CheckOperator(SteppedOperator):
    """An operator that checks a scene, in modes that allow it."""

    poll_message_set: ClassVar[Callable[[str], None]]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode in MODES:
            return True
        cls.poll_message_set(translated(WRONG_MODE))
        return False
