"""Blender's events that Cached Playback follows. Each handler only passes on what happened."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.app.handlers import persistent

from ..scene.copies.isolated_scene import SCENE_NAME as ISOLATED_SCENE_NAME
from .cached.cached_playback import CachedPlayback
from .session import current_session

DECIDING_TYPES = ("ACTION", "OBJECT", "ARMATURE", "MESH", "KEY", "LATTICE", "CURVE", "NODETREE", "COLLECTION")
"""Types of data-blocks that may decide how a character looks."""


def _cached(scene: bpy.types.Scene) -> CachedPlayback | None:
    """Return the mode, None if a scene of our own is meant, or the reports are of our own doing."""
    session = current_session()
    if session.own_updates.going_on or scene.name.startswith(ISOLATED_SCENE_NAME):
        return None
    return session.cached


@persistent
def note_playing(scene: bpy.types.Scene, *_: object) -> None:
    """Blender is about to play."""
    if (cached := _cached(scene)) is not None:
        cached.note_playing(scene)


@persistent
def note_stopped(*_: object) -> None:
    """Blender has stopped."""
    current_session().cached.note_stopped()


@persistent
def note_pending_edits(scene: bpy.types.Scene, *_: object) -> None:
    """The frame is about to change."""
    cached = _cached(scene)
    if cached is None or not cached.cache.groups:
        return
    cached.costs.begin()
    graphs = [layer.depsgraph for layer in scene.view_layers if layer.depsgraph is not None]
    if any(graph.id_type_updated(one) for graph in graphs for one in DECIDING_TYPES):
        cached.note_pending_edits()


@persistent
def note_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The frame has changed."""
    if (cached := _cached(scene)) is not None:
        cached.costs.end(from_memory=bool(cached.shown), counts=cached.plays and depsgraph.mode == "VIEWPORT")
        cached.note_frame(scene, depsgraph)


@persistent
def note_updates(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something was edited."""
    if (cached := _cached(scene)) is not None:
        cached.note_updates(depsgraph)


@persistent
def bring_back(*_: object) -> None:
    """What is about to happen keeps, or copies, the user's data: it must be the user's own."""
    current_session().cached.bring_back()


@persistent
def leave(*_: object) -> None:
    """Blender exits. As a Python module it does so after ours are gone."""
    if current_session is not None:
        bring_back()


@persistent
def note_undo(*_: object) -> None:
    """Undo, redo or a file has brought back other data."""
    current_session().cached.note_undo()


_HANDLERS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("animation_playback_pre", note_playing),
    ("animation_playback_post", note_stopped),
    ("frame_change_pre", note_pending_edits),
    ("frame_change_post", note_frame),
    ("depsgraph_update_post", note_updates),
    ("save_pre", bring_back),
    ("undo_pre", bring_back),
    ("redo_pre", bring_back),
    ("render_init", bring_back),
    ("load_pre", bring_back),
    ("exit_pre", leave),
    ("undo_post", note_undo),
    ("redo_post", note_undo),
    ("load_post", note_undo),
)
"""`exit_pre` is new in Blender 5.1."""


def add_cached_events() -> None:
    """Have Blender call the handlers, also after another file was loaded."""
    for event, handler in _HANDLERS:
        if hasattr(bpy.app.handlers, event):
            getattr(bpy.app.handlers, event).append(handler)


def remove_cached_events() -> None:
    """Undo `add_cached_events`."""
    for event, handler in _HANDLERS:
        handlers = getattr(bpy.app.handlers, event, ())
        if handler in handlers:
            handlers.remove(handler)  # pyright: ignore[reportAttributeAccessIssue]
