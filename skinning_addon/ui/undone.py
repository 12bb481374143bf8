"""After undo and redo: brings what Skinscope keeps outside the undo history in line with what came back.

Blender doesn't call the properties' own callbacks for values that undo changes.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..viewport.redraw import Later, redraw_views
from ..viewport.session import current_session
from .clips.animation_operators import bake_settings
from .clips.clip_listing import cancel_listing, relist_after_undo
from .preview.coming_back import write_down_previews
from .preview.new_scenes import adopt_preferences
from .preview.preview_operators import fit_settings
from .settings.clip_lists import forget_clip_lists
from .settings.profile_settings import fill_rows_after_undo


def follow_undo() -> None:
    """Bring everything in line. Called by a timer."""
    session, scene = current_session(), bpy.context.scene
    session.players.bring_back()
    relist_after_undo(scene)
    for uid, baked_with in tuple(session.players.baked_with.items()):
        armature = session.objects.find(uid)
        if armature is not None and baked_with != bake_settings(scene, armature):
            session.players.drop_baked(armature)
    fill_rows_after_undo(bpy.context)
    _fit_again()
    write_down_previews()
    session.update_meshes()
    redraw_views()


def _fit_again() -> None:
    """Give scenes whose previews started after the undo step the settings that the start gave them."""
    session = current_session()
    meshes = [one for one in map(session.objects.find, (each.uid for each in session.previews)) if one]
    for scene in bpy.data.scenes:
        in_scene = [one for one in meshes if one.name in scene.objects]
        if in_scene and scene.library is None:
            adopt_preferences(scene)
            fit_settings(scene, in_scene)


def _stay_at_frame() -> None:
    """Leave a scene at the frame that a jump went to: it is no step, and the step before has another frame.

    Called before Blender draws what undo brought back, which would show that frame for a moment.
    """
    stays_at, _stays[:] = tuple(_stays), ()
    for uid, frame in stays_at:
        for scene in bpy.data.scenes:
            if scene.session_uid == uid and scene.frame_current_final != frame:
                scene.frame_set(int(frame // 1), subframe=frame % 1)


_later = Later(follow_undo)
_stays: list[tuple[int, float]] = []
"""The scene and frame at which undo leaves the user."""


@persistent
def _note_frame(*_: object) -> None:
    """Undo or redo is about to happen."""
    session = current_session()
    if session.jumped_to is None:
        return
    if session.jumped_to in {(one.session_uid, one.frame_current_final) for one in bpy.data.scenes}:
        _stays.append(session.jumped_to)
    else:
        session.jumped_to = None


@persistent
def _mark_undone(*_: object) -> None:
    _stay_at_frame()
    _later.at(0.0)


@persistent
def _forget_lists(*_: object) -> None:
    """Another file was loaded; the window manager may bring the lists of its own session."""
    forget_clip_lists()
    current_session().jumped_to = None
    _stays.clear()


_HANDLERS = (
    ("undo_pre", _note_frame),
    ("redo_pre", _note_frame),
    ("undo_post", _mark_undone),
    ("redo_post", _mark_undone),
    ("load_post", _forget_lists),
)


def add_undo_handlers() -> None:
    """Have Blender call us."""
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).append(handler)


def remove_undo_handlers() -> None:
    """Undo `add_undo_handlers`."""
    _later.cancel()
    cancel_listing()
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).remove(handler)
