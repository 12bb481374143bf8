"""What Blender tells us of: every handler only marks previews, since some run in other threads (while rendering)."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

from ..scene.stack_input import SCENE_NAME as INPUT_SCENE_NAME
from .preview import Stale
from .session import current_session


@persistent
def mark_updated_data(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something was edited: mark what depends on the data-blocks that the depsgraph names.

    A mesh is named, with its geometry, when coordinates, weights or a modifier of its objects change, and not when it is
    merely posed. An armature is named whenever a bone is posed, selected or changed; its objects are named with it.
    """
    session = current_session()
    if not session.running or scene.name.startswith(INPUT_SCENE_NAME):
        return
    for update in depsgraph.updates:
        block = update.id.original
        if isinstance(block, bpy.types.Mesh):
            if update.is_updated_geometry:
                session.mark(block.session_uid, Stale.MESH)
        elif isinstance(block, bpy.types.Object | bpy.types.Armature):
            moved = update.is_updated_geometry or update.is_updated_transform
            session.mark(block.session_uid, Stale.OBJECTS | Stale.POSE if moved else Stale.OBJECTS)


@persistent
def mark_new_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The frame has changed: everything may have moved.

    This is all that Blender reports during playback. What was edited since the last update, by a script that then sets
    the frame, is named here and nowhere else.
    """
    session = current_session()
    if not session.running or scene.name.startswith(INPUT_SCENE_NAME):
        return
    session.mark_all(Stale.POSE)
    if not (depsgraph.id_type_updated("MESH") or depsgraph.id_type_updated("ARMATURE")):
        return
    for update in depsgraph.updates:
        block = update.id.original
        if isinstance(block, bpy.types.Mesh) and update.is_updated_geometry:
            session.mark(block.session_uid, Stale.MESH)
        elif isinstance(block, bpy.types.Armature):
            session.mark(block.session_uid, Stale.OBJECTS)


@persistent
def mark_everything(*_: object) -> None:
    """Undo and redo may bring back any state of the data."""
    current_session().mark_all(Stale.MESH)


@persistent
def end_previews(*_: object) -> None:
    """Another file was loaded: the objects are gone."""
    current_session().stop_all()


_HANDLERS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("depsgraph_update_post", mark_updated_data),
    ("frame_change_post", mark_new_frame),
    ("undo_post", mark_everything),
    ("redo_post", mark_everything),
    ("load_post", end_previews),
)


def add_event_handlers() -> None:
    """Have Blender call the handlers, also after another file was loaded."""
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).append(handler)


def remove_event_handlers() -> None:
    """Undo `add_event_handlers`."""
    for event, handler in _HANDLERS:
        handlers = getattr(bpy.app.handlers, event)
        if handler in handlers:
            handlers.remove(handler)
