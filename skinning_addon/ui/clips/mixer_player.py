"""The player of an armature's mixer: made from the baked clips, saved with the file, and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...animation.clip import Clip
from ...animation.controller import Controller
from ...animation.plain_state import from_plain, to_plain
from ...core.text.errors import ClipError, SkinscopeError
from ...scene.armatures.armature_reader import read_armature
from ...viewport.players import Player
from ...viewport.session import current_session
from ..settings.animation_settings import animation_settings


def mixer_of(armature: bpy.types.Object) -> Player | None:
    """Return the player of an armature if it plays the mixer's two clips rather than a script."""
    player = current_session().players.of(armature)
    return player if player is not None and player.plan is None else None


def mixed_clips(armature: bpy.types.Object) -> list[str]:
    """Return the names of the clips that the mixer plays, each once.

    Raises:
        ClipError: there are none.
    """
    settings = animation_settings(armature)
    if not settings.first:
        raise ClipError("The list has no clips; refresh it.")
    return list(dict.fromkeys(name for name in (settings.first, settings.second) if name))


def unbaked_clips(armature: bpy.types.Object) -> list[str]:
    """Return the names of those not baked yet."""
    baked = current_session().players.baked_of(armature)
    return [name for name in mixed_clips(armature) if name not in baked]


def up_to_date_player(armature: bpy.types.Object) -> Player | None:
    """Return a player that has the armature's bones and plays the mixer's clips.

    A mixer may name no clips: undo can revert the list, but not the player.
    """
    player = mixer_of(armature)
    if player is None or player.error or len(player.to_root) != len(armature.pose.bones):
        return None
    if not animation_settings(armature).first:
        return player
    baked, names = current_session().players.baked_of(armature), mixed_clips(armature)
    clips = player.controller.clips
    # Clips with looping turned on or off share their keys with the baked ones.
    same = [clip.name for clip in clips] == names and all(
        clip.name in baked
        and clip.rotation is baked[clip.name].clip.rotation
        and clip.looping == _loops(armature, clip.name)
        for clip in clips
    )
    return player if same else None


def new_player(armature: bpy.types.Object) -> Player:
    """Make a player from baked clips. It continues where the last one with the same clips was, or the saved
    one.
    """
    players, settings = current_session().players, animation_settings(armature)
    skeleton, clips = read_armature(armature).skeleton, _clips(armature)
    names = [clip.name for clip in clips]
    for state in (_state_of(mixer_of(armature)), _saved_state(armature)):
        if isinstance(state, dict) and state.get("clips") == names:
            try:
                return players.add(armature, from_plain(state, skeleton, clips))
            except SkinscopeError:
                # Different bones, or edited by hand: start over.
                settings.state = ""
    controller = Controller(skeleton, clips, tracks=2)
    controller.set_track(0, names[0], speed=settings.speed)
    controller.set_track(1, names[-1], speed=settings.speed, enabled=False)
    return players.add(armature, controller)


def renew_player(armature: bpy.types.Object) -> None:
    """Let the running player continue with newly baked clips."""
    player = mixer_of(armature)
    if player is None or not animation_settings(armature).first or unbaked_clips(armature):
        return
    if up_to_date_player(armature) is None:
        current_session().players.play(new_player(armature), playing=player.playing)


@persistent
def save_states(*_: object) -> None:
    """Write the controllers' states into the file that is about to be saved."""
    session = current_session()
    for player in session.players:
        armature = session.objects.find(player.uid)
        if armature is not None and player.plan is None:
            animation_settings(armature).state = json.dumps(to_plain(player.controller))


def add_save_handler() -> None:
    """Have Blender call `save_states` before it saves."""
    bpy.app.handlers.save_pre.append(save_states)


def remove_save_handler() -> None:
    """Undo `add_save_handler`."""
    if save_states in bpy.app.handlers.save_pre:
        bpy.app.handlers.save_pre.remove(save_states)


def _clips(armature: bpy.types.Object) -> list[Clip]:
    """Return the mixer's baked clips, looping as set in the list."""
    baked = current_session().players.baked_of(armature)
    return [replace(baked[name].clip, looping=_loops(armature, name)) for name in mixed_clips(armature)]


def _loops(armature: bpy.types.Object, clip: str) -> bool:
    listed = animation_settings(armature).clips
    return listed[clip].looping if clip in listed else True


def _state_of(player: Player | None) -> dict[str, Any] | None:
    if player is None or player.error:
        return None
    # A clip that stops looping finishes its current cycle.
    player.controller.settle()
    return to_plain(player.controller)


def _saved_state(armature: bpy.types.Object) -> object:
    try:
        return json.loads(animation_settings(armature).state or "null")
    except ValueError:
        return None
