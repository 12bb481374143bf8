"""Labels: text on a background, at a place in the picture."""

from __future__ import annotations

from .gpu_state import preserved_state
from .rectangle import Color, Rectangle, RectangleBatch, Size
from .text import LINE_HEIGHT, draw_text, pixel_space, widest

WHITE: Color = (1.0, 1.0, 1.0, 1.0)
BACKGROUND: Color = (0.09, 0.09, 0.09, 0.92)
"""Nearly opaque: the 3D view mixes light, so that white behind it shines through more than its share says."""


class Labels:
    """Draws any number of labels; owns the rectangle behind them."""

    def __init__(self) -> None:
        self._rectangle = RectangleBatch()

    def draw(
        self,
        text: str,
        upper_left: tuple[float, float],
        viewport: Size,
        *,
        size: float = 13.0,
        color: Color = WHITE,
        background: Color = BACKGROUND,
    ) -> None:
        """Write `text`, of one or more lines, with the background's upper left corner at a pixel.

        size: of the font, in pixels. Colours are sRGB. The GPU's state is left as it was.
        """
        width, height = label_size(text, size)
        left, top = upper_left
        margin = 0.6 * size
        place = Rectangle(left, top - height, width, height)
        self._rectangle.draw_plain(viewport, place, background, radius=0.4 * size)
        with preserved_state(), pixel_space(viewport):
            for number, line in enumerate(text.split("\n")):
                # The letters' own height is about three quarters of the size.
                baseline = top - margin - 0.75 * size - number * LINE_HEIGHT * size
                draw_text(line, (left + margin, baseline), size, color)

    def free(self) -> None:
        """Give the GPU's memory back."""
        self._rectangle.free()


def label_size(text: str, size: float = 13.0) -> tuple[float, float]:
    """Return width and height of a label in pixels, background included."""
    lines = text.split("\n")
    margin = 0.6 * size
    return widest(lines, size) + 2 * margin, (len(lines) - 1) * LINE_HEIGHT * size + 0.75 * size + 2 * margin
