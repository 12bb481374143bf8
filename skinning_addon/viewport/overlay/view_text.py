"""Text of previews in the 3D view: how far they lie from Blender's meshes, and the heat map's legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import bpy

from ...core.text.message import Message
from ...drawing.displays import DROPPED_WEIGHT, Display, find_display
from ...drawing.draw_call import DrawCallSize
from ...drawing.draw_group_legend import draw_group_legend
from ...drawing.heat_scale import HeatScale
from ...drawing.labels import Labels, label_size
from ...drawing.legend import Legend, LegendClasses, LegendText, display_legend, legend_size
from ...drawing.rectangle import Rectangle, RectangleBatch
from ..character.comparing import split_column
from ..character.figures import Figures
from ..choices.length_units import length_style
from ..choices.moved_shapes import MovedShape
from ..choices.profile_results import Check
from ..choices.settings import PreviewSettings
from ..choices.translation import language, translated
from .sentences import compared_with, dropped_by, shape_moved, summary, when
from .verdict_text import BAR, BUTTON, VerdictText, verdict_block

MARGIN = 12.0
GAP = 6.0
TEXT_SIZE = 13.0

LINE_WIDTH = 2.0
LINE_COLOR = (1.0, 1.0, 1.0, 0.8)
HANDLE_SIZE = (8.0, 36.0)
"""Width and height of the splitting line's handle."""

BLENDER, SKINSCOPE = Message("Blender"), Message("Skinscope")

NO_ROOM_ASIDE = Message("No room aside: zoom out to see both apart")


@dataclass(frozen=True)
class FreeArea:
    """The part of a region that no tool bar or sidebar covers, in pixels from its lower left corner."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def size(self) -> float:
        """Pixels in it."""
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)


class Font(NamedTuple):
    """What decides how wide text is. scale: of the interface. path: of its font, empty for Blender's own."""

    scale: float = 1.0
    path: str = ""

    @property
    def size(self) -> float:
        """Of letters, in pixels."""
        return TEXT_SIZE * self.scale


class _Summary(NamedTuple):
    """size: width and height in pixels. fine: whether all that it says is."""

    text: str
    size: tuple[float, float]
    fine: bool


class _ToldLegend(NamedTuple):
    """A legend in the user's words. size: width and height in pixels."""

    text: LegendText | LegendClasses
    scale: HeatScale
    size: tuple[float, float]


class ViewText:
    """Writes into a region of a 3D view; owns its GPU objects, which are created on first use."""

    def __init__(self) -> None:
        self._labels: Labels | None = None
        self._legend: Legend | None = None
        self._line: RectangleBatch | None = None
        self._verdict = VerdictText()
        self._summed_up_of: tuple[object, ...] = ()
        self._summed_up = _Summary("", (0.0, 0.0), True)
        self._told_of: tuple[object, ...] = ()
        self._told: _ToldLegend | None = None

    def draw_summary(
        self,
        context: bpy.types.Context,
        settings: PreviewSettings,
        measured: Sequence[tuple[str, Figures]],
        cut_before: Sequence[str],
        area: FreeArea,
        *,
        moved: Sequence[MovedShape] = (),
    ) -> float:
        """Write how far each mesh is off, in the lower left corner, if it fits; return where the free space
        above begins.

        cut_before: modifiers before which Blender's stacks were cut to compare with. moved: meshes that fixes
        have moved.
        """
        if self._labels is None:
            self._labels = Labels()
        frame = when((one for _, one in measured), context.scene.frame_current_final, settings.alone)
        font = _font(context)
        told = self._summary_of(frame, settings, measured, cut_before, moved, font=font)
        width, height = told.size
        if area.left + width > area.right or area.bottom + height > area.top:
            return area.bottom
        top = area.bottom + height
        color = settings.same_color if told.fine else settings.off_color
        self._labels.draw(told.text, (area.left, top), _size(context), size=font.size, color=color)
        return top + GAP

    def _summary_of(
        self,
        frame: Message,
        settings: PreviewSettings,
        measured: Sequence[tuple[str, Figures]],
        cut_before: Sequence[str],
        moved: Sequence[MovedShape],
        *,
        font: Font,
    ) -> _Summary:
        """Return the summary in the user's words: what was written last as long as nothing in it changes, since
        figures are measured less often than the view is drawn.
        """
        words = length_style(), language(), font
        made_of = frame, settings, (*measured,), (*cut_before,), (*moved,), words
        if self._summed_up_of != made_of:
            lines = [*summary(measured), *map(shape_moved, moved)]
            texts = [frame, *(line.text for line in lines)]
            if cut_before or not settings.profile.is_blender:
                texts.append(compared_with(cut_before, settings.profile))
            told = "\n".join(translated(one) for one in texts)
            fine = all(line.fine for line in lines)
            self._summed_up_of, self._summed_up = made_of, _Summary(told, label_size(told, font.size), fine)
        return self._summed_up

    def draw_verdict(
        self,
        context: bpy.types.Context,
        settings: PreviewSettings,
        check: Check,
        area: FreeArea,
        bottom: float,
    ) -> float:
        """Draw a check's verdict above `bottom`, if it fits; return where the free space above begins."""
        size = TEXT_SIZE * context.preferences.system.ui_scale
        height = self._verdict.draw(context, settings, check, place_in(replace(area, bottom=bottom)), size)
        return bottom + height + GAP if height else bottom

    def draw_legend(
        self,
        context: bpy.types.Context,
        settings: PreviewSettings,
        draw_calls: Callable[[], Sequence[Sequence[DrawCallSize]]],
        area: FreeArea,
        bottom: float,
        *,
        copy: tuple[float, float] | None = None,
    ) -> None:
        """Draw the legend of the display above `bottom`, if it has one and it fits.

        draw_calls: lists those of each mesh. copy: from where to where across the region a copy beside the
        characters is seen, -1 to 1: the legend is on the right if it would cover that on the left alone.
        """
        display, font = find_display(settings.display), _font(context)
        if display.colors_draw_calls:
            groups = draw_group_legend(display, draw_calls())
            told = (
                None
                if groups is None
                else _told_legend(groups.retold(translated), settings.drawing.heat_scale, font)
            )
        else:
            told = self._legend_of(display, settings, context.scene.unit_settings.scale_length, font)
        if told is None:
            return
        if self._legend is None:
            self._legend = Legend()
        width, height = told.size
        if area.left + width <= area.right and bottom + height <= area.top:
            left = _beside_copy(area, width, copy, context.region.width)
            self._legend.draw(told.text, told.scale, (left, bottom), _size(context), font.scale)

    def _legend_of(
        self, display: Display, settings: PreviewSettings, metres_per_unit: float, font: Font
    ) -> _ToldLegend | None:
        """Return a display's legend in the user's words; the same one as long as nothing in it changes, since
        writing its lengths takes longer than drawing it.
        """
        made_of = settings, metres_per_unit, length_style(), language(), font
        if self._told_of != made_of:
            legend, told = display_legend(display, settings.drawing, metres_per_unit), None
            if legend is not None:
                text = legend[0].retold(translated)
                if display.name == DROPPED_WEIGHT and not settings.profile.is_blender:
                    text = replace(text, title=translated(dropped_by(settings.profile)))
                told = _told_legend(text, legend[1], font)
            self._told_of, self._told = made_of, told
        return self._told

    def draw_split(self, context: bpy.types.Context, split: float, *, swapped: bool) -> None:
        """Draw the line that splits a view, with a name on either side."""
        if self._line is None:
            self._line = RectangleBatch()
        size = width, height = _size(context)
        ui_scale = context.preferences.system.ui_scale
        column = split_column(split, width)
        line, (across, up) = LINE_WIDTH * ui_scale, (extent * ui_scale for extent in HANDLE_SIZE)
        self._line.draw_plain(size, Rectangle(column - line / 2, 0.0, line, height), LINE_COLOR)
        handle = Rectangle(column - across / 2, (height - up) / 2, across, up)
        self._line.draw_plain(size, handle, LINE_COLOR, radius=across / 2)
        area = free_area(context, context.region)
        left, right = (translated(one) for one in ((SKINSCOPE, BLENDER) if swapped else (BLENDER, SKINSCOPE)))
        font = TEXT_SIZE * ui_scale
        gap = GAP * ui_scale
        label_width, _ = label_size(left, font)
        if column - gap - label_width > area.left:
            self._draw_label(context, left, (column - gap - label_width, area.top))
        if column + gap + label_size(right, font)[0] < area.right:
            self._draw_label(context, right, (column + gap, area.top))

    def draw_at_top(self, context: bpy.types.Context, sentence: Message) -> None:
        """Write a sentence at the top of the view, if it fits."""
        area = free_area(context, context.region)
        text = translated(sentence)
        width, _ = label_size(text, TEXT_SIZE * context.preferences.system.ui_scale)
        if width <= area.right - area.left:
            self._draw_label(context, text, ((area.left + area.right - width) / 2, area.top))

    def _draw_label(self, context: bpy.types.Context, text: str, upper_left: tuple[float, float]) -> None:
        if self._labels is None:
            self._labels = Labels()
        size = TEXT_SIZE * context.preferences.system.ui_scale
        self._labels.draw(text, upper_left, _size(context), size=size)

    def free(self) -> None:
        """Free the GPU memory."""
        for owner in (self._labels, self._legend, self._line):
            if owner is not None:
                owner.free()
        self._labels = self._legend = self._line = None
        self._verdict.free()


def free_area(context: bpy.types.Context, region: bpy.types.Region) -> FreeArea:
    """Find the part of a region of the context's area that is not covered by others, less a margin."""
    left, bottom, right, top = region.x, region.y, region.x + region.width, region.y + region.height
    for other in context.area.regions:
        if other.type == "WINDOW" or other.width <= 1 or other.height <= 1:
            continue
        if other.type == "TOOLS" and other.alignment == "LEFT":
            left = max(left, other.x + other.width)
        elif other.type == "UI" and other.alignment == "RIGHT":
            right = min(right, other.x)
        elif other.type == "HUD":
            bottom = max(bottom, other.y + other.height)
        elif other.alignment == "TOP":
            top = min(top, other.y)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, other.y + other.height)
    margin = MARGIN * context.preferences.system.ui_scale
    return FreeArea(
        left - region.x + margin,
        bottom - region.y + margin,
        right - region.x - margin,
        top - region.y - margin,
    )


def _beside_copy(area: FreeArea, width: float, copy: tuple[float, float] | None, view: int) -> float:
    """Return the left end of something this wide, in pixels: at the right if only there it is off the copy.

    view: the region's width in pixels.
    """
    if copy is None:
        return area.left
    start, end = ((one + 1) / 2 * view for one in copy)
    covered_on_left, covered_on_right = start < area.left + width, end > area.right - width
    return area.right - width if covered_on_left and not covered_on_right else area.left


def place_in(area: FreeArea) -> Rectangle:
    """Return a free area as a rectangle."""
    return Rectangle(area.left, area.bottom, area.right - area.left, area.top - area.bottom)


def verdict_buttons(
    context: bpy.types.Context, settings: PreviewSettings, check: Check, count: int
) -> list[tuple[float, float]]:
    """Return the centers of a verdict's buttons, in pixels of the context's region; none if it isn't shown."""
    area = free_area(context, context.region)
    size = TEXT_SIZE * context.preferences.system.ui_scale
    if not verdict_block(context, settings, check, place_in(area), size)[1]:
        return []
    step = BUTTON * context.preferences.system.ui_scale
    left = area.left + BAR * context.preferences.system.ui_scale
    return [(left + (number + 0.5) * step, area.bottom + step / 2) for number in range(count)]


def is_for_text(context: bpy.types.Context) -> bool:
    """Whether a region is the one in its area to write into: in a quad view, the one with the most room."""
    if not len(context.space_data.region_quadviews):
        return context.region.type == "WINDOW"
    windows = [region for region in context.area.regions if region.type == "WINDOW" and region.width > 1]
    if len(windows) == 1:
        return context.region == windows[0]
    return context.region == max(windows, key=lambda region: free_area(context, region).size, default=None)


def _font(context: bpy.types.Context) -> Font:
    preferences = context.preferences
    return Font(preferences.system.ui_scale, preferences.view.font_path_ui)


def _told_legend(text: LegendText | LegendClasses, scale: HeatScale, font: Font) -> _ToldLegend:
    return _ToldLegend(text, scale, legend_size(text, font.scale))


def _size(context: bpy.types.Context) -> tuple[int, int]:
    return context.region.width, context.region.height
