"""Handlers for Blender's events. They only mark previews, since some run in other threads (while rendering).

The one that does more uses only the evaluated state it is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ..scene.copies.isolated_scene import SCENE_NAME as ISOLATED_SCENE_NAME
from .character.stale import Stale
from .checked_rigs import CheckedRigs
from .session import current_session

MOVING_TYPES = frozenset({"ACTION", "OBJECT", "ARMATURE"})
"""Types of data-blocks that decide where objects are."""

INSTANCING_TYPES = frozenset({"COLLECTION", "NODETREE", "OBJECT", "PARTICLE"})
"""Types of data-blocks that decide what nodes and particles show."""

EDITED_TYPES = MOVING_TYPES | {"MESH", "KEY"}
"""All that a rig is made of."""

WATCHED_TYPES = EDITED_TYPES | INSTANCING_TYPES


@persistent
def mark_updated_data(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Something was edited: mark what depends on the data-blocks that the depsgraph names.

    A mesh is named, with its geometry, when coordinates, weights or a modifier of its objects change, but not
    when it is merely posed. Shape keys with drivers name it whenever those are computed. An armature is named
    whenever a bone is posed, selected or changed; its objects are named with it.
    """
    session = current_session()
    if session.own_updates.going_on or scene.name.startswith(ISOLATED_SCENE_NAME):
        return
    rigs, running = session.checks.rigs, session.running
    # Selecting and hiding only tag the scene; which objects use which stays the same.
    edited = False
    for update in depsgraph.updates:
        block = update.id.original
        _mark_checked(rigs, update, block)
        if not running:
            continue
        edited |= not isinstance(block, bpy.types.Scene)
        if isinstance(block, bpy.types.Mesh):
            if update.is_updated_geometry:
                session.mark(block.session_uid, Stale.SHAPE if _only_plays(update, block) else Stale.MESH)
        elif isinstance(block, bpy.types.Object | bpy.types.Armature):
            session.in_front.mark()
            moved = update.is_updated_geometry or update.is_updated_transform
            session.mark(block.session_uid, Stale.OBJECTS | Stale.POSE if moved else Stale.OBJECTS)
    if running:
        session.instances.mark(edited=edited)


def _mark_checked(rigs: CheckedRigs, update: bpy.types.DepsgraphUpdate, block: bpy.types.ID | None) -> None:
    if isinstance(block, bpy.types.Action):
        rigs.mark_keys(block.session_uid)
    elif isinstance(block, bpy.types.Mesh):
        if update.is_updated_geometry and not _only_plays(update, block):
            rigs.mark(block.session_uid)
    elif isinstance(block, bpy.types.Object | bpy.types.Armature | bpy.types.Key):
        rigs.mark(block.session_uid)


@persistent
def mark_pending_edits(scene: bpy.types.Scene, *_: object) -> None:
    """The frame is about to change: mark what edits may have changed that Blender has not evaluated yet.

    A script that keys something and then sets the frame makes one. Afterwards they can't be told from what
    plays: keys and moving objects are reported at every frame. Which data-blocks are edited isn't asked: some
    of them may be gone.
    """
    session = current_session()
    if session.own_updates.going_on or scene.name.startswith(ISOLATED_SCENE_NAME):
        return
    edited: set[str] = set()
    for layer in scene.view_layers:
        graph: Any = layer.depsgraph
        if graph is not None:
            edited.update(filter(graph.id_type_updated, WATCHED_TYPES))
    if not edited:
        return
    if edited & EDITED_TYPES:
        session.checks.rigs.mark_types(edited & EDITED_TYPES)
    if edited & INSTANCING_TYPES:
        session.instances.mark()
    if edited & MOVING_TYPES:
        for preview in session.previews:
            preview.held.mark()


@persistent
def mark_new_frame(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The frame has changed: everything may have moved.

    This is all that Blender reports during playback. Edits since the last update, by a script that then sets
    the frame, are reported only here, and by `mark_pending_edits`.
    """
    session = current_session()
    if not session.running or scene.name.startswith(ISOLATED_SCENE_NAME):
        return
    session.players.note_frame(scene.frame_current_final, scene.render.fps / scene.render.fps_base)
    session.mark_all(Stale.POSE)
    if not (depsgraph.id_type_updated("MESH") or depsgraph.id_type_updated("ARMATURE")):
        return
    for update in depsgraph.updates:
        block = update.id.original
        if isinstance(block, bpy.types.Mesh) and update.is_updated_geometry:
            if not _only_plays(update, block):
                session.mark(block.session_uid, Stale.MESH)
        elif isinstance(block, bpy.types.Armature):
            session.mark(block.session_uid, Stale.OBJECTS)


def _only_plays(update: bpy.types.DepsgraphUpdate, mesh: bpy.types.Mesh) -> bool:
    """Whether the shape keys' own animation or drivers may be all that changed a mesh.

    A change from Python, or in the properties, has everything of the mesh recomputed, including its
    transform.
    """
    keys = mesh.shape_keys
    animation = keys.animation_data if keys else None
    plays = animation and (animation.action or animation.drivers or animation.nla_tracks)
    return bool(plays) and not update.is_updated_transform


@persistent
def hide_meshes(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """The evaluated scene is about to be drawn: the last moment to tell Blender what to leave out.

    While rendering Blender calls from another thread, with the render's own evaluated state, which is left
    alone.
    """
    session = current_session()
    if session.running and depsgraph.mode == "VIEWPORT" and not scene.name.startswith(ISOLATED_SCENE_NAME):
        session.hide_meshes(scene, depsgraph)


@persistent
def prepare_saving(*_: object) -> None:
    """A file is about to be saved, perhaps with a thumbnail of what its camera sees."""
    session = current_session()
    session.pictures.begin()
    session.checks.write_down_copies()


@persistent
def hide_meshes_again(*_: object) -> None:
    """The file has been saved, or could not be."""
    current_session().pictures.end()


@persistent
def mark_everything(*_: object) -> None:
    """Undo and redo may bring back any state of the data."""
    session = current_session()
    session.mark_all(Stale.MESH)
    session.checks.rigs.mark_all()
    session.players.mark()
    session.crowd.note_undo()


@persistent
def end_previews(*_: object) -> None:
    """Another file was loaded: the objects are gone."""
    session = current_session()
    session.stop_all()
    session.checks.clear()
    session.checks.watch_later.at(0.0)
    session.crowd.stop()
    session.crowd.refresh_soon()


_HANDLERS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("depsgraph_update_post", mark_updated_data),
    ("frame_change_pre", mark_pending_edits),
    ("frame_change_post", mark_new_frame),
    ("depsgraph_update_post", hide_meshes),
    ("frame_change_post", hide_meshes),
    ("undo_post", mark_everything),
    ("redo_post", mark_everything),
    ("load_post", end_previews),
    ("save_pre", prepare_saving),
    ("save_post", hide_meshes_again),
    ("save_post_fail", hide_meshes_again),
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
