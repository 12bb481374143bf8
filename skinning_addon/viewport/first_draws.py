"""Which scenes have been shown since their file was opened: what a scene starts then waits until it is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .character.preview import LayerKey
from .redraw import Later


class FirstDraws:
    """Scenes, by session_uid, that no 3D view has shown yet, and what to do once one does."""

    def __init__(self) -> None:
        self._waiting: set[int] = set()
        self._drawn: list[LayerKey] = []
        self._action: Callable[[LayerKey], None] | None = None
        self._later = Later(self._act)

    def wait_for(self, scenes: Iterable[int], action: Callable[[LayerKey], None]) -> None:
        """Have `action` called, outside drawing, once each of these scenes is drawn, with the view layer that
        is. Those waited for so far are forgotten.
        """
        self.cancel()
        self._waiting, self._action = set(scenes), action

    def __contains__(self, scene: object) -> bool:
        """Whether a scene, by session_uid, is still waited for."""
        return scene in self._waiting or any(scene == one for one, _ in self._drawn)

    def note(self, layer: LayerKey) -> None:
        """A 3D view shows this view layer. Called while drawing."""
        if layer[0] in self._waiting:
            self._waiting.discard(layer[0])
            self._drawn.append(layer)
            self._later.at(0.0)

    def cancel(self) -> None:
        """Wait for no scene any longer."""
        self._waiting.clear()
        self._drawn.clear()
        self._later.cancel()

    def _act(self) -> None:
        while self._drawn and self._action is not None:
            self._action(self._drawn.pop(0))
