"""Distinguishes the updates we cause in Blender from the user's own changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy


class OwnUpdates:
    """Keeps a session from mistaking updates for edits that Blender reports because of the session's own
    scenes.

    If a scene is simplified, Blender recomputes every mesh of the file when another scene is set to simplify
    too, as the scene for copies is: a preview bound again for that would be bound again forever.

    going_on: whether current reports are caused by us.
    """

    def __init__(self) -> None:
        self.going_on = False

    @contextmanager
    def unheard(self, *, always: bool = False) -> Iterator[None]:
        """For blocks that make and remove scenes. The user's earlier changes are reported first.

        always: whether no report of such a block may be heard, even if no scene is simplified: a block that is
        run after every edit would be run forever.

        Not while drawing. Don't use evaluated data after the block that was read before or in it.
        """
        simplified = any(window.scene.render.use_simplify for window in _windows())
        if self.going_on or not (always or simplified):
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
    """Bring everything shown up to date; costs next to nothing if it already is."""
    for window in _windows():
        window.view_layer.update()
