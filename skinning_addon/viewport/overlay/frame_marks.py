"""Frames that deviate, marked in the timeline and the dope sheet: a strip above the numbers of the frames.

Nothing is written: markers would be the user's data.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...core.verdicts.marked_frames import MarkedFrames
from ...drawing.rectangle import Rectangle, RectangleBatch
from .verdict_text import LEVEL_COLORS, OLD

HEIGHT = 4.0
"""At interface scale 1, above the numbers of the frames: below them, a scroll bar covers a low timeline."""


class FrameMarks:
    """Draws the strip; owns its rectangle, which is created on first use."""

    def __init__(self) -> None:
        self._rectangle: RectangleBatch | None = None

    def draw(self, context: bpy.types.Context, marked: Iterable[MarkedFrames], *, old: bool) -> None:
        """Draw into the context's region. old: whether the check is."""
        if self._rectangle is None:
            self._rectangle = RectangleBatch()
        region, scale = context.region, context.preferences.system.ui_scale
        bottom = region.height - HEIGHT * scale
        for one in marked:
            left, right = (
                float(region.view2d.view_to_region(frame, 0.0, clip=False)[0])
                for frame in (one.first - 0.5, one.last + 0.5)
            )
            place = Rectangle(left, bottom, max(right - left, 2.0 * scale), HEIGHT * scale)
            color = OLD if old else LEVEL_COLORS[one.level]
            self._rectangle.draw_plain((region.width, region.height), place, color)

    def free(self) -> None:
        """Free the GPU memory."""
        if self._rectangle is not None:
            self._rectangle.free()
            self._rectangle = None
