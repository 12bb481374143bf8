"""The crowd of the scene that is shown: made and changed as its settings say, and played with the timeline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import bpy
import numpy as np

from ...animation.crowd.fixed_point import STEPS_PER_SECOND
from ...animation.crowd.footsteps import Footstep
from ...core.text.errors import CrowdError, SkinscopeError
from ...drawing.display_settings import DisplaySettings
from ...scene.crowd.character import Character, read_character
from ...scene.crowd.landscape import Landscape, read_landscape
from ...scene.crowd.variants import Variant
from ...scene.objects.deformed_meshes import deformed_meshes
from ..character.view import View
from ..failure import told_once
from ..objects.object_lookup import ObjectLookup
from ..redraw import Later, is_playing_back, redraw_panels, redraw_views
from .choices import CrowdChoices
from .crowd_player import CrowdPlayer
from .step_sound import StepSound

SECONDS_IN_A_DRAW = 0.03
"""For steps that have to be played to get to the current frame; timers play the rest."""

SECONDS_AT_ONCE = 0.1
"""For steps that a timer plays; in between, Blender follows its user."""

SECONDS_BETWEEN_PICTURES = 0.5
"""While the crowd is on its way."""

STEPS_HEARD = 30
"""More at once are a jump, whose footsteps aren't heard."""

SECONDS_UNTIL_REFRESH = 0.2
"""After the last change of a setting: a value may still be dragged."""


class SceneCrowd:
    """Keeps no Blender object.

    player: of the crowd, None if there is none. error: a sentence, why there is none. controlled: the agent
    that is under control, None if none is. behind: whether the crowd is still on its way to the current frame.
    sound: of footsteps.
    """

    def __init__(self, objects: ObjectLookup, choices: Callable[[bpy.types.Scene], CrowdChoices]) -> None:
        self.player: CrowdPlayer | None = None
        self.error = ""
        self.controlled: int | None = None
        self.behind = False
        self.sound = StepSound()
        self._viewer = np.zeros(3)
        self._followed: tuple[int, CrowdChoices] | None = None
        self._drawn_at = 0.0
        self._characters: dict[tuple[object, ...], Character] = {}
        self._objects = objects
        self._choices = choices
        self._refresh = Later(self.refresh)
        self._catch_up = Later(self.catch_up)

    def refresh_soon(self) -> None:
        """Follow the settings from Blender's event loop, once they have been left alone for a moment."""
        self._refresh.only_at(time.perf_counter() + SECONDS_UNTIL_REFRESH)

    def read_again(self) -> None:
        """Read the characters again, after their clips or meshes were edited."""
        self._characters, self._followed = {}, None
        self._drop()
        self.refresh()

    def note_undo(self) -> None:
        """Undo, redo or another file: settings may be others."""
        self.controlled = None
        self.refresh_soon()

    def note_scene(self, scene: bpy.types.Scene) -> None:
        """A scene is about to be drawn: follow it if it is another than before. Not more than a comparison."""
        if self._followed is None or self._followed[0] != scene.session_uid:
            self._refresh.at(0.0)

    def refresh(self) -> None:
        """Make the crowd as the settings say; called by a timer. Reads clips, which takes a while."""
        scene = bpy.context.scene
        choices = self._choices(scene)
        asked = scene.session_uid, choices
        self.sound.choose(choices.sound if choices.is_on else "")
        # What there was no crowd for may be there again, after undo.
        if self._followed == asked and not self.error:
            return
        self._followed = asked
        had, self.error = self.player is not None or bool(self.error), ""
        self._drop()
        if choices.is_on:
            try:
                variants = self._read(scene, choices)
                self.player = CrowdPlayer(variants, choices, self._landscape(scene, choices))
            except SkinscopeError as error:
                self.error = str(error)
            except Exception:  # noqa: BLE001 - in a timer it would be printed, and the timer be gone
                self.error = told_once()
        if had or choices.is_on:
            redraw_views()

    def steering_kept(self, inputs: str) -> None:
        """The scene's settings are about to have what was steered: the crowd is as it says already."""
        if self.player is not None and self._followed is not None:
            self.player.choices = replace(self.player.choices, inputs=inputs)
            self._followed = self._followed[0], self.player.choices

    def _read(self, scene: bpy.types.Scene, choices: CrowdChoices) -> list[Variant]:
        """Read the characters, each once, and keep those that are still in use."""
        known, self._characters = self._characters, {}
        made: list[Variant] = []
        for one in choices.cast:
            if not one.armature:
                raise CrowdError("Choose the armature of a character that walks")
            armature = self._objects.find(one.armature)
            if armature is None or armature.name not in scene.objects:
                raise CrowdError("The character is not in this scene; choose another")
            made_of = scene.session_uid, one.armature, one.roles
            if made_of not in self._characters:
                read = known.get(made_of) or read_character(scene, armature, dict(one.roles))
                self._characters[made_of] = read
            character = self._characters[made_of]
            made.append(Variant(character, one.share, one.scale, frozenset(one.without), one.tint))
        return made

    def _landscape(self, scene: bpy.types.Scene, choices: CrowdChoices) -> Landscape | None:
        """Read what is walked on, as it is now."""
        if not choices.ground:
            return None
        ground = self._objects.find(choices.ground)
        if ground is None or ground.name not in scene.objects:
            raise CrowdError("The ground is not in this scene; choose another")
        collection = next((one for one in bpy.data.collections if one.session_uid == choices.obstacles), None)
        standing = collection.all_objects if collection is not None else ()
        return read_landscape(scene, ground, standing, choices.slope, deformed_meshes(scene))

    def _drop(self) -> None:
        self.controlled = None
        if self.player is not None:
            self.player.free()
            self.player = None

    def stop(self) -> None:
        """Forget all: the extension is disabled, or another file is loaded."""
        self._refresh.cancel()
        self._catch_up.cancel()
        self.sound.stop()
        self._drop()
        self._characters, self._followed = {}, None
        self.error = ""

    def is_of(self, scene: bpy.types.Scene) -> bool:
        """Whether this is a scene's crowd."""
        return (
            self.player is not None and self._followed is not None and self._followed[0] == scene.session_uid
        )

    def fail(self, error: str) -> None:
        """Switch it off after an error while drawing."""
        self.error = error
        self._drop()
        redraw_panels()

    def draw(self, context: bpy.types.Context, view: View, look: DisplaySettings) -> None:
        """Draw everybody as they are at the current frame, or as near to it as time allows."""
        player = self.player
        if player is None or not self.is_of(context.scene):
            return
        self._viewer = np.asarray(np.linalg.inv(view.world_to_view)[3, :3], dtype=np.float64)
        self._go(player, context.scene, SECONDS_IN_A_DRAW)
        self._drawn_at = time.perf_counter()
        player.draw(view, look)

    def catch_up(self) -> None:
        """Go on towards the current frame. Called by a timer."""
        scene, player = bpy.context.scene, self.player
        if player is None or not self.is_of(scene):
            return
        try:
            self._go(player, scene, SECONDS_AT_ONCE)
        except Exception:  # noqa: BLE001 - in a timer it would be printed, and the timer be gone
            self.fail(told_once())
            return
        if not self.behind or time.perf_counter() - self._drawn_at > SECONDS_BETWEEN_PICTURES:
            redraw_views()

    def _go(self, player: CrowdPlayer, scene: bpy.types.Scene, seconds: float) -> None:
        until = time.perf_counter() + seconds
        steps: list[Footstep] = []
        to = step_of(scene)
        heard = is_playing_back() and 0 < to - player.crowd.state.step <= STEPS_HEARD
        behind = not player.follow(to, lambda: time.perf_counter() > until, steps.append)
        if heard:
            self.sound.play(steps, player.places, player.heights, self._viewer)
        if behind:
            self._catch_up.at(0.0)
        if behind != self.behind:
            self.behind = behind
            redraw_panels()


def step_of(scene: bpy.types.Scene) -> int:
    """Return the crowd's step at the current frame: it begins where the scene does."""
    render = scene.render
    seconds = (scene.frame_current_final - scene.frame_start) * render.fps_base / render.fps
    return max(round(seconds * STEPS_PER_SECOND), 0)
