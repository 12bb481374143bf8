"""Annotations on finished pictures: text, labels and the heat map's legend."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from ...drawing.display_settings import USUAL_LIMIT, DisplaySettings
from ...drawing.displays import Display
from ...drawing.draw_call import DrawCallSize
from ...drawing.draw_group_legend import draw_group_legend
from ...drawing.heat_scale import HeatScale
from ...drawing.labels import Labels
from ...drawing.legend import Legend, display_legend, legend_size
from ...drawing.off_screen import Picture
from ...drawing.rectangle import Color
from ...drawing.text import draw_text, pixel_space, text_width

NOTHING: Color = (0.0, 0.0, 0.0, 0.0)


class Annotations:
    """A transparent layer to write on, as large as the picture beneath. Use it as a context manager.

    Positions are pixels from the upper left corner; colours are sRGB.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._layer = Picture(width, height)
        self._layer.fill(NOTHING)
        self._labels = Labels()
        self._legend = Legend()

    def text(self, text: str, left: float, baseline: float, size: float, color: Color) -> None:
        """Write one line without a background."""
        viewport = (self.width, self.height)
        with self._layer.drawing(), pixel_space(viewport):
            draw_text(text, (left, self.height - baseline), size, color)

    def label(self, text: str, left: float, top: float, size: float) -> None:
        """Write lines on a background whose upper left corner is at left, top."""
        with self._layer.drawing():
            self._labels.draw(text, (left, self.height - top), (self.width, self.height), size=size)

    def legend(
        self,
        display: Display,
        scale: HeatScale,
        metres_per_unit: float,
        lower_right: tuple[float, float],
        ui_scale: float = 1.0,
        *,
        draw_calls: Sequence[Sequence[DrawCallSize]] = (),
        limit: int | None = USUAL_LIMIT,
    ) -> None:
        """Draw a display's legend, if it has one; lower_right: the position of that corner.

        scale: of the heat map, in scene units. draw_calls: of each mesh, for the display that colours them.
        limit: see `DisplaySettings.influence_limit`.
        """
        if display.colors_draw_calls:
            groups = draw_group_legend(display, draw_calls)
            legend = None if groups is None else (groups, scale)
        else:
            legend = display_legend(
                display, DisplaySettings(heat_scale=scale, influence_limit=limit), metres_per_unit
            )
        if legend is None:
            return
        text, scale = legend
        width, _ = legend_size(text, ui_scale)
        with self._layer.drawing():
            lower_left = (lower_right[0] - width, self.height - lower_right[1])
            self._legend.draw(text, scale, lower_left, (self.width, self.height), ui_scale)

    def over(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return `pixels`, (height, width, 4) sRGB, with the layer over them."""
        layer = self._layer.pixels().astype(np.uint16)
        # The layer is drawn over transparency, so its colours are premultiplied.
        beneath = pixels.astype(np.uint16) * (255 - layer[:, :, 3:]) // 255
        return np.minimum(layer + beneath, 255).astype(np.uint8)

    def __enter__(self) -> Annotations:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._labels.free()
        self._legend.free()
        self._layer.free()


def fitted_size(text: str, size: float, width: float) -> float:
    """Return the font size, `size` or less, at which one line of `text` is no wider than `width` pixels."""
    return size * min(1.0, width / max(text_width(text, size), 1e-6))
