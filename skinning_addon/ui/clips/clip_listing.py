"""Listing an armature's clips: when the user asks, before something needs them, when the panel first shows
them, and after an undo step that changed them.
"""

from __future__ import annotations

import bpy

from ...core.text.errors import ClipError
from ...scene.clips.clips import list_clips
from ...viewport.redraw import Later, redraw_panels
from ...viewport.session import current_session
from ..settings.clip_lists import clip_list, clip_names, list_for, listed_armatures

_asked_for: set[int] = set()
"""The armatures, by session_uid, whose panel waits for a list: nothing can be listed while drawing."""


def refresh_clips(scene: bpy.types.Scene, armature: bpy.types.Object) -> None:
    """List the actions and NLA tracks that move an armature, and drop its baked clips.

    Raises:
        ClipError: there are none.
    """
    clips = list_clips(scene, [armature])
    if not clips:
        raise ClipError(
            "No action or NLA track moves '{armature}'; key its bones first.", armature=armature.name
        )
    list_for(armature, clips)
    clip_list(armature).source = _source(armature)  # pyright: ignore[reportOptionalMemberAccess]
    # Baked clips may have been edited since.
    current_session().players.drop_baked(armature)


def list_if_needed(scene: bpy.types.Scene, armature: bpy.types.Object) -> None:
    """List an armature's clips if that has not been done, or none were found.

    Raises:
        ClipError: there are none.
    """
    if not clip_names(armature):
        refresh_clips(scene, armature)


def ask_for_list(armature: bpy.types.Object) -> None:
    """Have an armature's clips listed as soon as nothing is being drawn."""
    _asked_for.add(armature.session_uid)
    _list_later.at(0.0)


def relist_after_undo(scene: bpy.types.Scene) -> None:
    """List clips again where undo or redo has changed the actions and tracks; their baked clips are dropped."""
    for armature in listed_armatures():
        listed = clip_list(armature)
        if listed is not None and listed.source != _source(armature):
            relist(scene, armature)
            current_session().players.drop_baked(armature)


def cancel_listing() -> None:
    """Forget what was asked for: the extension is being disabled."""
    _asked_for.clear()
    _list_later.cancel()


def _list_asked_for() -> None:
    uids = tuple(_asked_for)
    _asked_for.clear()
    for armature in filter(None, map(current_session().objects.find, uids)):
        relist(bpy.context.scene, armature)
    redraw_panels()


def relist(scene: bpy.types.Scene, armature: bpy.types.Object) -> None:
    """List an armature's clips, and keep those that are baked."""
    list_for(armature, list_clips(scene, [armature]))
    clip_list(armature).source = _source(armature)  # pyright: ignore[reportOptionalMemberAccess]


def _source(armature: bpy.types.Object) -> str:
    """Say what an armature's clips are listed from; cheap, where listing takes 0.1 s with 76 actions."""
    actions = [(one.name, *one.frame_range) for one in bpy.data.actions]
    animation = armature.animation_data
    strips = [
        (
            track.name,
            strip.name,
            strip.frame_start,
            strip.frame_end,
            strip.action.name if strip.action else "",
        )
        for track in (animation.nla_tracks if animation else ())
        for strip in track.strips
    ]
    return repr((actions, strips))


_list_later = Later(_list_asked_for)
