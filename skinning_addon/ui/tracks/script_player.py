"""The player of an armature's script: rebuilt from the properties whenever they change, at the same moment.

A controller's state depends only on its script and the time, so an edit, an undo or a jump is a new
controller that goes there in one step.
"""

from __future__ import annotations

from fractions import Fraction

import bpy

from ...animation.controller import Controller
from ...animation.script import PlannedScript, Script, check_clips, check_script, controller_of, planned
from ...core.text.errors import ScriptError
from ...core.text.message import Message, Sentence
from ...viewport.players import Player
from ...viewport.session import current_session
from ..settings.clip_lists import clip_list, clip_names
from ..settings.tracks_settings import shown_instance
from .script_properties import script_of, script_settings


def script_player(armature: bpy.types.Object) -> Player | None:
    """Return the player of an armature if it plays a script."""
    player = current_session().players.of(armature)
    return player if player is not None and player.plan is not None else None


def checked_script(armature: bpy.types.Object) -> Script:
    """Return the script in the properties.

    Raises:
        ScriptError: a controller can't do that, or a clip is not in the list.
    """
    script = script_of(armature)
    check_script(script)
    check_clips(script, clip_names(armature))
    return script


def problem_of(armature: bpy.types.Object) -> Message | None:
    """Return why the script can't play, None if it can, or before the armature's clips are listed."""
    if clip_list(armature) is None:
        return None
    try:
        checked_script(armature)
    except ScriptError as error:
        return _sentence(error)
    return None


def unbaked_clips_of_script(armature: bpy.types.Object) -> list[str]:
    """Name the clips on the tracks that are not baked yet.

    Raises:
        ScriptError: as `checked_script`.
    """
    baked = current_session().players.baked_of(armature)
    return [name for name in checked_script(armature).clips if name not in baked]


def new_script_player(armature: bpy.types.Object) -> Player:
    """Make a player of the script, at its start; all its clips must be baked.

    Raises:
        ScriptError: as `checked_script`, or a mask names a bone that doesn't exist.
    """
    controller, plan = _made(armature)
    player = current_session().players.add(armature, controller, plan, follow_script)
    player.instance = shown_instance(script_settings(armature))
    return player


def follow_script(player: Player, armature: bpy.types.Object) -> None:
    """Bring a player up to date with the properties, at its current moment. If they can't be played, it
    continues unchanged.
    """
    settings = script_settings(armature)
    moment, player.moment = player.moment, None
    try:
        if not settings.tracks:
            # Undo has removed the script; the running player continues.
            return
        if unbaked_clips_of_script(armature):
            player.refused = Message("Clips must be baked first; pause and play")
            return
        controller, plan = _made(armature)
    except ScriptError as error:
        player.refused = _sentence(error)
        return
    player.refused = None
    clock = player.controller.timeline.clock if moment is None else moment
    controller.advance(min(clock, Fraction(plan.seconds)))
    player.controller, player.plan = controller, plan
    player.instance = shown_instance(settings)
    player.pose()


def _made(armature: bpy.types.Object) -> tuple[Controller, PlannedScript]:
    script, players = checked_script(armature), current_session().players
    baked, skeleton = players.baked_of(armature), players.skeleton_of(armature)
    clips = [baked[name].clip for name in script.clips]
    return controller_of(script, skeleton, clips), planned(script, skeleton, clips)


def _sentence(error: ScriptError) -> Message:
    message = Message(error.args[0])
    return Sentence(message.template, **message.arguments)
