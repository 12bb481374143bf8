"""The inspector's marks in 3D views: a dot on the vertex, and a few words beside it."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ...drawing.labels import Labels, label_size
from ...drawing.rectangle import Color, Rectangle, RectangleBatch
from ..choices.settings import PreviewSettings
from ..choices.translation import translated
from .inspection import InspectedVertex, Inspection, Target, position_in_region
from .inspection_words import mark_lines
from .view_text import TEXT_SIZE, free_area

DOT = 9.0
RIM = 2.0
RIM_COLOR: Color = (0.0, 0.0, 0.0, 0.9)
HOVERED_COLOR: Color = (1.0, 1.0, 1.0, 1.0)
PINNED_COLOR: Color = (1.0, 0.62, 0.1, 1.0)
BESIDE = 12.0
"""Pixels between a dot and its text."""


class InspectionMarks:
    """Draws the marks; owns its GPU objects, which are created on first use."""

    def __init__(self) -> None:
        self._labels: Labels | None = None
        self._rectangle: RectangleBatch | None = None

    def draw(
        self,
        context: bpy.types.Context,
        settings: PreviewSettings,
        inspection: Inspection,
        look_at: Callable[[Target | None], InspectedVertex | None],
    ) -> None:
        """Mark the inspected vertices in the context's region. look_at: returns a target as the context's
        view layer shows it.
        """
        if inspection.shown is None or not settings.shown or not context.space_data.overlay.show_overlays:
            return
        marks: tuple[tuple[Target | None, Color], ...] = (
            (inspection.pinned, PINNED_COLOR),
            (inspection.hovered, HOVERED_COLOR),
        )
        for target, color in marks:
            seen = look_at(target)
            if seen is None:
                continue
            size = context.region.width, context.region.height
            position = position_in_region(seen.drawn, context.region_data, size, settings)
            if position is not None:
                self._draw_mark(context, seen, position, color, with_words=target == inspection.shown)

    def _draw_mark(
        self,
        context: bpy.types.Context,
        seen: InspectedVertex,
        position: tuple[float, float],
        color: Color,
        *,
        with_words: bool,
    ) -> None:
        if self._labels is None or self._rectangle is None:
            self._labels, self._rectangle = Labels(), RectangleBatch()
        viewport = context.region.width, context.region.height
        ui_scale = context.preferences.system.ui_scale
        for diameter, fill in (((DOT + 2 * RIM) * ui_scale, RIM_COLOR), (DOT * ui_scale, color)):
            corner = position[0] - diameter / 2, position[1] - diameter / 2
            self._rectangle.draw_plain(
                viewport, Rectangle(*corner, diameter, diameter), fill, radius=diameter / 2
            )
        if not with_words:
            return
        text = "\n".join(
            translated(line) for line in mark_lines(seen, context.scene.unit_settings.scale_length)
        )
        size = TEXT_SIZE * ui_scale
        width, height = label_size(text, size)
        area = free_area(context, context.region)
        left = position[0] + BESIDE * ui_scale
        if left + width > area.right:
            left = position[0] - BESIDE * ui_scale - width
        top = min(max(position[1] + height / 2, area.bottom + height), area.top)
        self._labels.draw(text, (left, top), viewport, size=size)

    def free(self) -> None:
        """Free the GPU memory."""
        for owner in (self._labels, self._rectangle):
            if owner is not None:
                owner.free()
        self._labels = self._rectangle = None
