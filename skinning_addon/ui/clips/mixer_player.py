"""The player of an armature's mixer: made from the baked clips, saved with the file, and resumed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...animation.clip import Clip
from ...animation.controller import Controller
from ...animation.events import EventKind
from ...animation.plain_state import from_plain, to_plain
from ...core.text.errors import ClipError, SkinscopeError
from ...viewport.players import Follow, Player
from ...viewport.session import current_session
from ..settings.animation_settings import animation_settings, loops


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

    The mixer names no clips if none are listed, as when the actions are gone.
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
        and clip.looping == loops(armature, clip.name)
        for clip in clips
    )
    return player if same else None


def new_player(armature: bpy.types.Object) -> Player:
    """Make a player from baked clips. It continues where the last one with the same clips was, or the saved
    one.
    """
    players, settings = current_session().players, animation_settings(armature)
    skeleton, clips = players.skeleton_of(armature), _clips(armature)
    names = [clip.name for clip in clips]
    for state in (_state_of(mixer_of(armature)), _saved_state(armature)):
        if isinstance(state, dict) and state.get("clips") == names:
            try:
                return players.add(
                    armature, from_plain(state, skeleton, clips), follow=_following(settings.speed)
                )
            except SkinscopeError:
                # Different bones, or edited by hand.
                players.start_over.add(armature.session_uid)
    controller = Controller(skeleton, clips, tracks=2)
    controller.set_track(0, names[0], speed=settings.speed)
    controller.set_track(1, names[-1], speed=settings.speed, enabled=False)
    return players.add(armature, controller, follow=_following(settings.speed))


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
    for uid in session.players.start_over:
        armature = session.objects.find(uid)
        if armature is not None and mixer_of(armature) is None:
            animation_settings(armature).state = ""


def add_save_handler() -> None:
    """Have Blender call `save_states` before it saves."""
    bpy.app.handlers.save_pre.append(save_states)


def remove_save_handler() -> None:
    """Undo `add_save_handler`."""
    if save_states in bpy.app.handlers.save_pre:
        bpy.app.handlers.save_pre.remove(save_states)


def _following(speed: float) -> Follow:
    """Have a player keep to the speed in the settings, which undo changes, too."""
    told = speed

    def follow(player: Player, armature: bpy.types.Object) -> None:
        nonlocal told
        speed = animation_settings(armature).speed
        if speed != told:
            told = speed
            for track in range(player.controller.track_count):
                player.controller.key(EventKind.SPEED, speed, track=track)

    return follow


def _clips(armature: bpy.types.Object) -> list[Clip]:
    """Return the mixer's baked clips, looping as set in the list."""
    baked = current_session().players.baked_of(armature)
    return [replace(baked[name].clip, looping=loops(armature, name)) for name in mixed_clips(armature)]


def _state_of(player: Player | None) -> dict[str, Any] | None:
    if player is None or player.error:
        return None
    # A clip that stops looping finishes its current cycle.
    player.controller.settle()
    return to_plain(player.controller)


def _saved_state(armature: bpy.types.Object) -> object:
    if armature.session_uid in current_session().players.start_over:
        return None
    try:
        return json.loads(animation_settings(armature).state or "null")
    except ValueError:
        return None
