"""A check's verdict in the 3D view: a block of text with a bar in the verdict's color."""

from __future__ import annotations

import bpy

from ...core.text.message import Clause, Message
from ...core.text.wrapping import wrapped
from ...core.verdicts.verdict import Level
from ...drawing.labels import Labels, label_size
from ...drawing.rectangle import Color, Rectangle, RectangleBatch
from ...drawing.text import text_width
from ..choices.profile_results import Check
from ..choices.settings import PreviewSettings
from ..choices.translation import translated
from .check_words import cause_sentence, checked_when, standing_word, verdict_sentence

LEVEL_COLORS: dict[Level, Color] = {
    Level.SAME: (0.36, 0.72, 0.28, 1.0),
    Level.GOOD: (0.36, 0.72, 0.28, 1.0),
    Level.LOOK: (0.95, 0.77, 0.1, 1.0),
    Level.FAIL: (0.86, 0.16, 0.12, 1.0),
}
"""sRGB; the words beside them say the same."""

OLD: Color = (0.6, 0.6, 0.6, 1.0)
"""Of text and marks about a check that is old."""

BAR = 5.0
BUTTON = 30.0
"""Height of the row of buttons, and the width of each."""

WIDEST = 420.0
"""Pixels at interface scale 1, as the text is."""


class VerdictText:
    """Owns the GPU objects of the block; they are created on first use."""

    def __init__(self) -> None:
        self._labels: Labels | None = None
        self._bar: RectangleBatch | None = None

    def draw(
        self,
        context: bpy.types.Context,
        settings: PreviewSettings,
        check: Check,
        place: Rectangle,
        size: float,
    ) -> float:
        """Draw the block from the lower left corner of `place`, if it fits, above the row of its buttons;
        return its height. size: of the font, in pixels.
        """
        scale = context.preferences.system.ui_scale
        text, height = verdict_block(context, settings, check, place, size)
        if not height:
            return 0.0
        if self._labels is None or self._bar is None:
            self._labels, self._bar = Labels(), RectangleBatch()
        region = context.region.width, context.region.height
        old, level = is_old(settings, check), check.report.level
        bar = OLD if old or level is None else LEVEL_COLORS[level]
        color = settings.same_color if level is not None and level <= Level.GOOD else settings.off_color
        corner = place.left + BAR * scale, place.bottom + height
        self._labels.draw(text, corner, region, size=size, color=OLD if old else color)
        self._bar.draw_plain(region, Rectangle(place.left, place.bottom, BAR * scale, height), bar)
        return height

    def free(self) -> None:
        """Free the GPU memory."""
        for owner in (self._labels, self._bar):
            if owner is not None:
                owner.free()
        self._labels = self._bar = None


def verdict_block(
    context: bpy.types.Context, settings: PreviewSettings, check: Check, place: Rectangle, size: float
) -> tuple[str, float]:
    """Return the text of the block, and its height with the row of buttons; 0 if there is no room for it."""
    scale = context.preferences.system.ui_scale
    text = verdict_text(settings, check, min(place.width, WIDEST * scale) - BAR * scale, size)
    width, height = label_size(text, size)
    height += BUTTON * scale if has_buttons(context) else 0.0
    fits = width + BAR * scale <= place.width and height <= place.height
    return text, height if fits else 0.0


def has_buttons(context: bpy.types.Context) -> bool:
    """Whether a 3D view shows buttons, which are gizmos."""
    return context.space_data.show_gizmo


def is_old(settings: PreviewSettings, check: Check) -> bool:
    """Whether a rig or the export settings have changed since a check."""
    return check.outdated or check.report.profile != settings.engine


def verdict_text(settings: PreviewSettings, check: Check, room: float, size: float) -> str:
    """Return the lines of the block. room: pixels for them."""
    checked = checked_when(check)
    standing = standing_word(check.report.profile.verified)
    when = Message("Old: {checked}", checked=Clause(checked)) if is_old(settings, check) else checked
    cause = cause_sentence(check.report)
    sentences = [verdict_sentence(check.report), *([cause] if cause is not None else [])]
    last = translated(when)
    if not check.report.profile.is_blender:
        last = f"{last} \N{MIDDLE DOT} {translated(standing)}"
    told = [*(translated(one) for one in sentences), last]
    return "\n".join(
        line for one in told for line in wrapped(one, room - size, lambda part: text_width(part, size))
    )
