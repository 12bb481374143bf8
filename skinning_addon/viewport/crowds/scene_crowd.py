"""The crowd of the scene that is shown: made and changed as its settings say, and played with the timeline."""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy

from ...animation.crowd.fixed_point import STEPS_PER_SECOND
from ...core.text.errors import CrowdError, SkinscopeError
from ...drawing.display_settings import DisplaySettings
from ...scene.crowd.character import Character, read_character
from ..character.view import View
from ..failure import told_once
from ..objects.object_lookup import ObjectLookup
from ..redraw import Later, redraw_panels, redraw_views
from .choices import CrowdChoices
from .crowd_player import CrowdPlayer

SECONDS_IN_A_DRAW = 0.03
"""For steps that have to be played to get to the current frame; the rest waits for the next draw."""

SECONDS_UNTIL_REFRESH = 0.2
"""After the last change of a setting: a value may still be dragged."""


class SceneCrowd:
    """Keeps no Blender object.

    player: of the crowd, None if there is none. error: a sentence, why there is none. controlled: the agent
    that is under control, None if none is. behind: whether the crowd is still on its way to the current frame.
    """

    def __init__(self, objects: ObjectLookup, choices: Callable[[bpy.types.Scene], CrowdChoices]) -> None:
        self.player: CrowdPlayer | None = None
        self.error = ""
        self.controlled: int | None = None
        self.behind = False
        self._scene = 0
        self._character: tuple[tuple[object, ...], Character] | None = None
        self._objects = objects
        self._choices = choices
        self._refresh = Later(self.refresh)
        self._redraw = Later(redraw_views)

    def refresh_soon(self) -> None:
        """Follow the settings from Blender's event loop, once they have been left alone for a moment."""
        self._refresh.only_at(time.perf_counter() + SECONDS_UNTIL_REFRESH)

    def read_again(self) -> None:
        """Read the character anew: its clips or meshes were edited."""
        self._character = None
        self._drop()
        self.refresh()

    def note_undo(self) -> None:
        """Undo, redo or another file: settings may be others."""
        self.controlled = None
        self.refresh_soon()

    def refresh(self) -> None:
        """Make the crowd as the settings say; called by a timer. Reads clips, which takes a while."""
        scene = bpy.context.scene
        choices = self._choices(scene)
        player = self.player
        if player is not None and self._scene == scene.session_uid and player.choices == choices:
            return
        self.error = ""
        self._drop()
        if choices.is_on:
            try:
                self.player = CrowdPlayer(self._read(scene, choices), choices)
                self._scene = scene.session_uid
            except SkinscopeError as error:
                self.error = str(error)
            except Exception:  # noqa: BLE001 - in a timer it would be printed, and the timer be gone
                self.error = told_once()
        redraw_views()

    def _read(self, scene: bpy.types.Scene, choices: CrowdChoices) -> Character:
        armature = self._objects.find(choices.armature) if choices.armature else None
        if armature is None:
            raise CrowdError("Choose the armature of a character that walks")
        made_of = (scene.session_uid, *choices.character)
        if self._character is None or self._character[0] != made_of:
            self._character = made_of, read_character(scene, armature, dict(choices.roles))
        return self._character[1]

    def _drop(self) -> None:
        self.controlled = None
        if self.player is not None:
            self.player.free()
            self.player = None

    def stop(self) -> None:
        """Forget all: the extension is disabled, or another file is loaded."""
        self._refresh.cancel()
        self._redraw.cancel()
        self._drop()
        self._character = None
        self.error = ""

    def is_of(self, scene: bpy.types.Scene) -> bool:
        """Whether this is a scene's crowd."""
        return self.player is not None and self._scene == scene.session_uid

    def fail(self, error: str) -> None:
        """Switch it off after an error while drawing."""
        self.error = error
        self._drop()
        redraw_panels()

    def draw(self, context: bpy.types.Context, view: View, look: DisplaySettings) -> None:
        """Draw everybody as they are at the current frame, or as near to it as time allows."""
        if self.player is None:
            return
        if not self.is_of(context.scene):
            self._refresh.at(0.0)
            return
        until = time.perf_counter() + SECONDS_IN_A_DRAW
        behind = not self.player.follow(step_of(context.scene), lambda: time.perf_counter() > until)
        if behind:
            self._redraw.at(0.0)
        if behind != self.behind:
            self.behind = behind
            redraw_panels()
        self.player.draw(view, look)


def step_of(scene: bpy.types.Scene) -> int:
    """Return the crowd's step at the current frame: it begins where the scene does."""
    render = scene.render
    seconds = (scene.frame_current_final - scene.frame_start) * render.fps_base / render.fps
    return max(round(seconds * STEPS_PER_SECOND), 0)
