"""The heat map's legend: which colour is how far."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.length import format_length
from .gpu_state import preserved_state
from .heat_scale import HeatScale
from .labels import BACKGROUND, WHITE
from .rectangle import Rectangle, RectangleBatch, Size
from .shader_library import ShaderVariant, compiled_shader
from .text import draw_text, pixel_space, text_width
from .uniform_block import UniformBlock

_RAMP = ShaderVariant("rectangle.vert.glsl", "legend.frag.glsl")

FONT_SIZE = 12.0
TITLE_SIZE = 13.0
BAR = (16.0, 180.0)
MARGIN = 10.0
GAP = 8.0


@dataclass(frozen=True)
class LegendText:
    """What stands beside the bar: a title, and five ticks from the bottom, a quarter of the bar apart."""

    title: str
    ticks: tuple[str, ...]


def legend_text(title: str, scale: HeatScale, metres_per_unit: float = 1.0) -> LegendText:
    """Write the ticks of `scale`, whose distances are scene units, as lengths."""
    lengths = [format_length(limit * metres_per_unit) for limit in scale.limits]
    return LegendText(title, ("0", *lengths[:-1], f"≥ {lengths[-1]}"))


class Legend:
    """Draws the ramp with its ticks; owns its buffers."""

    def __init__(self) -> None:
        self._rectangle = RectangleBatch()
        self._heat_block = UniformBlock("heatScale", 18)

    def draw(
        self,
        text: LegendText,
        scale: HeatScale,
        lower_left: tuple[float, float],
        viewport: Size,
        ui_scale: float = 1.0,
    ) -> None:
        """Draw with the lower left corner at a pixel; `legend_size` says how much room it takes.

        The GPU's state is left as it was.
        """
        panel = Rectangle(*lower_left, *legend_size(text, ui_scale))
        bar = Rectangle(
            panel.left + MARGIN * ui_scale,
            panel.bottom + (MARGIN + FONT_SIZE / 2) * ui_scale,
            BAR[0] * ui_scale,
            BAR[1] * ui_scale,
        )
        self._rectangle.draw_plain(viewport, panel, BACKGROUND, radius=5 * ui_scale)
        self._heat_block.update(scale.packed())
        shader = compiled_shader(_RAMP)
        shader.bind()
        self._heat_block.bind(shader)
        self._rectangle.draw(shader, viewport, bar)
        size = FONT_SIZE * ui_scale
        beside = bar.left + bar.width + GAP * ui_scale
        with preserved_state(), pixel_space(viewport):
            for number, tick in enumerate(text.ticks):
                middle = bar.bottom + bar.height * number / (len(text.ticks) - 1)
                draw_text(tick, (beside, middle - 0.36 * size), size, WHITE)
            title_baseline = panel.bottom + panel.height - (MARGIN + 0.75 * TITLE_SIZE) * ui_scale
            draw_text(text.title, (bar.left, title_baseline), TITLE_SIZE * ui_scale, WHITE)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._rectangle.free()
        self._heat_block.free()


def legend_size(text: LegendText, ui_scale: float = 1.0) -> tuple[float, float]:
    """Return width and height of the legend in pixels."""
    ticks = max(text_width(tick, FONT_SIZE * ui_scale) for tick in text.ticks)
    title = text_width(text.title, TITLE_SIZE * ui_scale)
    width = max(title, (BAR[0] + GAP) * ui_scale + ticks) + 2 * MARGIN * ui_scale
    return width, (2 * MARGIN + BAR[1] + FONT_SIZE + TITLE_SIZE + GAP) * ui_scale
