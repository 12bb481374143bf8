"""Telling what we make Blender evaluate again from what the user changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy


class OwnUpdates:
    """Keeps a session from taking for edits what Blender reports because of scenes that the session makes.

    Where a scene is simplified, Blender has every mesh of the file computed anew when another scene is told to simplify too, as one
    for copies is: a preview bound again for that would be bound again for ever.

    going_on: whether what is reported just now is ours.
    """

    def __init__(self) -> None:
        self.going_on = False

    @contextmanager
    def unheard(self) -> Iterator[None]:
        """Within the block scenes are made and removed. What the user has changed before is reported first.

        Not while drawing. Evaluated data that was read before the block, or in it, is not to be used after it.
        """
        if self.going_on or not any(window.scene.render.use_simplify for window in _windows()):
            yield
            return
        _evaluate()
        try:
            yield
        finally:
            self.going_on = True
            try:
                _evaluate()
            finally:
                self.going_on = False


def _windows() -> list[bpy.types.Window]:
    manager = bpy.context.window_manager
    return list(manager.windows) if manager else []


def _evaluate() -> None:
    """Bring all that is shown up to date; costs next to nothing where it is."""
    for window in _windows():
        window.view_layer.update()
