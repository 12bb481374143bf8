"""Legends: the meaning of colours, on a ramp or by classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..core.text.length import format_length
from ..core.text.message import Message
from .count_classes import count_classes
from .display_settings import DisplaySettings
from .displays import HEAT_MAP, Display
from .gpu_state import preserved_state
from .heat_scale import ROWS, HeatScale
from .labels import BACKGROUND, WHITE
from .rectangle import Color, Rectangle, RectangleBatch, Size
from .shader_library import ShaderVariant, compiled_shader
from .text import draw_text, pixel_space, text_width, widest
from .uniform_block import UniformBlock

_RAMP = ShaderVariant("rectangle.vert.glsl", "legend.frag.glsl")

FONT_SIZE = 12.0
TITLE_SIZE = 13.0
BAR = (16.0, 190.0)
CLASS_HEIGHT = 20.0
MARGIN = 10.0
GAP = 8.0


@dataclass(frozen=True)
class LegendText:
    """The text beside the bar: a title, and ticks at equal distances from the bottom to the top."""

    title: str
    ticks: tuple[str, ...]

    @property
    def bar_height(self) -> float:
        return BAR[1]

    def retold(self, translate: Callable[[str], str]) -> LegendText:
        """Return the same in another language."""
        return replace(self, title=translate(self.title), ticks=tuple(map(translate, self.ticks)))


@dataclass(frozen=True)
class LegendClasses:
    """A title, and from the bottom up a swatch and label for each class; colours are sRGB."""

    title: str
    ticks: tuple[str, ...]
    colors: tuple[Color, ...]

    @property
    def bar_height(self) -> float:
        return CLASS_HEIGHT * len(self.ticks)

    def retold(self, translate: Callable[[str], str]) -> LegendClasses:
        """Return the same in another language."""
        return replace(self, title=translate(self.title), ticks=tuple(map(translate, self.ticks)))


def legend_text(title: str, scale: HeatScale, metres_per_unit: float = 1.0) -> LegendText:
    """Write the ticks of `scale`, whose distances are scene units, as lengths."""
    lengths = [format_length(limit * metres_per_unit) for limit in scale.limits]
    return LegendText(title, ("0", *lengths[:-1], Message("≥ {length}", length=lengths[-1])))


def display_legend(
    display: Display, settings: DisplaySettings, metres_per_unit: float = 1.0
) -> tuple[LegendText | LegendClasses, HeatScale] | None:
    """Return what `Legend.draw` needs for a display, None for one that explains itself."""
    if display.fragment == HEAT_MAP:
        scale = display.scale
        if scale is None:
            return legend_text(display.label, settings.heat_scale, metres_per_unit), settings.heat_scale
        ticks = ("0", *(display.tick.format(limit) for limit in scale.limits))
        top = ticks[-1] if scale.top == display.largest else f"≥ {ticks[-1]}"
        return LegendText(display.label, (*ticks[:-1], top)), scale
    if display.counts_influences:
        classes = count_classes(settings.influence_limit)
        labels, colors = (one.label for one in classes), ((*one.color, 1.0) for one in classes)
        return LegendClasses(display.label, tuple(labels), tuple(colors)), settings.heat_scale
    return None


class Legend:
    """Draws a legend; owns its buffers."""

    def __init__(self) -> None:
        self._rectangle = RectangleBatch()
        self._heat_block = UniformBlock("heatScale", ROWS)

    def draw(
        self,
        text: LegendText | LegendClasses,
        scale: HeatScale,
        lower_left: tuple[float, float],
        viewport: Size,
        ui_scale: float = 1.0,
    ) -> None:
        """Draw with the lower left corner at a pixel; `legend_size` gives its size.

        The GPU's state is left as it was.
        """
        panel = Rectangle(*lower_left, *legend_size(text, ui_scale))
        bar = Rectangle(
            panel.left + MARGIN * ui_scale,
            panel.bottom + (MARGIN + FONT_SIZE / 2) * ui_scale,
            BAR[0] * ui_scale,
            text.bar_height * ui_scale,
        )
        self._rectangle.draw_plain(viewport, panel, BACKGROUND, radius=5 * ui_scale)
        if isinstance(text, LegendClasses):
            places = self._draw_swatches(text, bar, viewport)
        else:
            places = self._draw_ramp(text, scale, bar, viewport)
        size = FONT_SIZE * ui_scale
        beside = bar.left + bar.width + GAP * ui_scale
        with preserved_state(), pixel_space(viewport):
            for tick, middle in zip(text.ticks, places, strict=True):
                draw_text(tick, (beside, middle - 0.36 * size), size, WHITE)
            title_baseline = panel.bottom + panel.height - (MARGIN + 0.75 * TITLE_SIZE) * ui_scale
            draw_text(text.title, (bar.left, title_baseline), TITLE_SIZE * ui_scale, WHITE)

    def _draw_ramp(
        self, text: LegendText, scale: HeatScale, bar: Rectangle, viewport: Size
    ) -> Sequence[float]:
        """Draw the ramp; return the heights of its ticks."""
        self._heat_block.update(scale.packed())
        shader = compiled_shader(_RAMP)
        shader.bind()
        self._heat_block.bind(shader)
        self._rectangle.draw(shader, viewport, bar)
        steps = len(text.ticks) - 1
        return [bar.bottom + bar.height * number / steps for number in range(steps + 1)]

    def _draw_swatches(self, text: LegendClasses, bar: Rectangle, viewport: Size) -> Sequence[float]:
        """Draw a swatch for each class; return the heights of their centres."""
        height = bar.height / len(text.colors)
        for number, color in enumerate(text.colors):
            bottom = bar.bottom + (number + 0.1) * height
            swatch = Rectangle(bar.left, bottom, bar.width, 0.8 * height)
            self._rectangle.draw_plain(viewport, swatch, color, radius=0.1 * height)
        return [bar.bottom + (number + 0.5) * height for number in range(len(text.colors))]

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._rectangle.free()
        self._heat_block.free()


def legend_size(text: LegendText | LegendClasses, ui_scale: float = 1.0) -> tuple[float, float]:
    """Return width and height of the legend in pixels."""
    ticks = widest(text.ticks, FONT_SIZE * ui_scale)
    title = text_width(text.title, TITLE_SIZE * ui_scale)
    width = max(title, (BAR[0] + GAP) * ui_scale + ticks) + 2 * MARGIN * ui_scale
    return width, (2 * MARGIN + text.bar_height + FONT_SIZE + TITLE_SIZE + GAP) * ui_scale
