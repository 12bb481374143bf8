"""Values in the header of a 3D view while one of our modal operators runs, as Blender's own show theirs."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...viewport.choices.translation import translated

BETWEEN = "   "


class HeaderText:
    """Text in the header of one area at a time. Keeps no area: none outlives a change of the screen."""

    def __init__(self) -> None:
        self._area = 0
        self._text = ""

    def show(self, area: bpy.types.Area | None, *values: str) -> None:
        """Show values in the header of this area, and no longer in that of another. Without an area nothing is
        shown: the screen has changed while the operator runs.
        """
        if area is None:
            self.clear()
            return
        if area.as_pointer() != self._area:
            self.clear()
        self._area = area.as_pointer()
        text = BETWEEN.join(map(translated, values))
        if text != self._text:
            self._text = text
            area.header_text_set(text)

    def clear(self) -> None:
        """Give the header back; call it when the operator ends, however it does."""
        for area in _areas():
            if area.as_pointer() == self._area:
                area.header_text_set(None)
        self._area, self._text = 0, ""


def _areas() -> Iterator[bpy.types.Area]:
    for window in bpy.context.window_manager.windows:
        yield from window.screen.areas
