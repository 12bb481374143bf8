"""The known frames of Cached Playback, as a line in the timeline and the dope sheet, as simulations have it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import bpy

from ...drawing.rectangle import Rectangle, RectangleBatch

HEIGHT = 3.0
"""At interface scale 1, below the strip of deviating frames."""

FROM_TOP = 8.0

COLOR = (0.36, 0.62, 0.93, 0.9)


class CachedMarks:
    """Draws the line; owns its rectangle, which is created on first use."""

    def __init__(self) -> None:
        self._rectangle: RectangleBatch | None = None

    def draw(self, context: bpy.types.Context, frames: Collection[int]) -> None:
        """Draw into the context's region."""
        if self._rectangle is None:
            self._rectangle = RectangleBatch()
        region, scale = context.region, context.preferences.system.ui_scale
        for first, last in runs(frames):
            left, right = (
                float(region.view2d.view_to_region(frame, 0.0, clip=False)[0])
                for frame in (first - 0.5, last + 0.5)
            )
            place = Rectangle(
                left, region.height - FROM_TOP * scale, max(right - left, scale), HEIGHT * scale
            )
            self._rectangle.draw_plain((region.width, region.height), place, COLOR)

    def free(self) -> None:
        """Free the GPU memory."""
        if self._rectangle is not None:
            self._rectangle.free()
            self._rectangle = None


def runs(frames: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last frame of every unbroken run."""
    first = last = None
    for frame in sorted(frames):
        if first is None or last is None:
            first = last = frame
        elif frame == last + 1:
            last = frame
        else:
            yield first, last
            first = last = frame
    if first is not None and last is not None:
        yield first, last
