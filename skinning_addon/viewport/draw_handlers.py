"""Draws previews into the 3D views: the only code that consumes the event handlers' marks.

Blender calls these for every region of every 3D view. They write no Blender data and leave the GPU's state as
it was. No error may reach Blender, which would print it again with every redraw: any error switches off what
was being drawn, and is reported once.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import bpy

from ..core.text.errors import SkinscopeError
from ..drawing.display_settings import DisplaySettings
from ..drawing.gpu_state import preserved_state
from ..scene.matrices import row_vectors
from .character.view import View
from .choices.preferences import preferences_once, read_preferences
from .choices.settings import PreviewSettings
from .failure import told_once
from .layers import layer_key
from .overlay.bones_in_front import BonesInFront
from .overlay.cached_marks import CachedMarks
from .overlay.crowd_marks import draw_crowd_marks
from .overlay.frame_marks import FrameMarks
from .overlay.inspection_marks import InspectionMarks
from .overlay.verdict_text import is_old
from .overlay.view_text import BLENDER, NO_ROOM_ASIDE, FreeArea, ViewText, free_area, is_for_text
from .postponed import SECONDS_BETWEEN_LOOKS
from .redraw import is_playing_back, redraw_panels
from .session import ViewportSession, current_session
from .shown_meshes import ShownMesh, placed, shown_mesh

_handles: list[object] = []
_timeline_handles: list[object] = []
_view_text = ViewText()
_inspection_marks = InspectionMarks()
_frame_marks = FrameMarks()
_bones_in_front = BonesInFront()
_cached_marks = CachedMarks()


def add_draw_handlers() -> None:
    """Have Blender call the draw handlers. Creates no GPU objects."""
    add = bpy.types.SpaceView3D.draw_handler_add
    _handles.append(add(_draw_meshes, (), "WINDOW", "POST_VIEW"))
    _handles.append(add(_draw_text, (), "WINDOW", "POST_PIXEL"))
    _timeline_handles.append(
        bpy.types.SpaceDopeSheetEditor.draw_handler_add(_draw_timeline, (), "WINDOW", "POST_PIXEL")
    )


def remove_draw_handlers() -> None:
    """Undo `add_draw_handlers`."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _remove_timeline_handlers()
    _free_text()
    _bones_in_front.free()


def _remove_timeline_handlers() -> None:
    while _timeline_handles:
        bpy.types.SpaceDopeSheetEditor.draw_handler_remove(_timeline_handles.pop(), "WINDOW")
    _frame_marks.free()
    _cached_marks.free()


def _free_text() -> None:
    """Free the GPU memory for text, which is allocated when the first preview is drawn."""
    _view_text.free()
    _inspection_marks.free()


def _draw_meshes() -> None:
    session = current_session()
    session.first_draws.note(layer_key(bpy.context.scene, bpy.context.view_layer))
    if session.cached.shown:
        _draw_cached(session)
    session.crowd.note_scene(bpy.context.scene)
    if session.crowd.player is not None:
        _draw_crowd(session)
    if not session.running:
        return
    try:
        region = bpy.context.region.as_pointer()
        with preserved_state(), session.reader.once(region), preferences_once(session.reader.known):
            _draw_previews(session, bpy.context)
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.switch_off_all(told_once())


def _draw_crowd(session: ViewportSession) -> None:
    try:
        context = bpy.context
        if not context.space_data.overlay.show_overlays:
            return
        with preserved_state():
            session.crowd.draw(context, _view(context), _look())
            draw_crowd_marks(context, session.crowd)
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.crowd.fail(told_once())


def _view(context: bpy.types.Context) -> View:
    region = context.region_data
    world_to_view, view_to_clip = row_vectors(region.view_matrix), row_vectors(region.window_matrix)
    return View(world_to_view, view_to_clip, context.region.width)


def _look() -> DisplaySettings:
    return DisplaySettings(base_color=read_preferences().base_color)


def _draw_cached(session: ViewportSession) -> None:
    try:
        with preserved_state():
            session.cached.draw(bpy.context, _view(bpy.context), _look())
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.cached.fail(told_once())


def _draw_text() -> None:
    session = current_session()
    session.checks.notice_changes()
    if not session.running:
        _bones_in_front.free()
    if not session.running and not session.checks.results.any:
        _free_text()
        return
    try:
        region = bpy.context.region.as_pointer()
        with preserved_state(), session.reader.once_more(region), preferences_once(session.reader.known):
            plays = session.reader.known(is_playing_back, is_playing_back)
            _bones_in_front.draw_if_new(bpy.context, session.in_front, plays=plays)
            _draw_figures(session, bpy.context)
            if session.running:
                _draw_marks(session, bpy.context)
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.switch_off_all(told_once())


def _draw_timeline() -> None:
    session, context = current_session(), bpy.context
    try:
        if session.cached.is_on(context.scene) and (known := session.cached.known_frames(context)):
            with preserved_state():
                _cached_marks.draw(context, known)
        settings = session.settings_of(context.scene)
        check = session.checks.results.check_of(context.scene.session_uid, settings.engine.id)
        if check is None or not settings.shown:
            return
        with preserved_state():
            _frame_marks.draw(context, session.checks.marked_frames(check), old=is_old(settings, check))
    except Exception:  # noqa: BLE001 - see the module's docstring
        told_once()
        _remove_timeline_handlers()


def _draw_previews(session: ViewportSession, context: bpy.types.Context) -> None:
    space = context.space_data
    settings = session.settings_of(context.scene)
    # With overlays off only Blender's mesh is drawn; but if that is hidden, its stand-in doesn't count as an
    # overlay.
    if not settings.shown or not (space.overlay.show_overlays or settings.hides_blenders_mesh):
        return
    region = context.region_data
    view = View(
        row_vectors(region.view_matrix),
        row_vectors(region.window_matrix),
        context.region.width,
        session.swapped,
    )
    changed = measured = False
    layer = layer_key(context.scene, context.view_layer)
    uids = [one.uid for one in session.previews]
    # Panels tell what the view shows.
    told_otherwise = session.instances.follow(layer, context.view_layer.depsgraph, uids)
    shown = [shown_mesh(session, one, context, layer) for one in session.previews if not one.error]
    session.note_hidden(layer, [one.preview.uid for one in shown if one.is_hidden])
    settings = placed(session, settings, shown, view, context)
    for one in shown:
        preview = one.preview
        before = preview.paused
        try:
            measured |= _draw_preview(session, one, view, settings, context)
        except SkinscopeError as error:
            preview.switch_off(str(error))
            changed = True
        except Exception:  # noqa: BLE001 - see the module's docstring
            preview.switch_off(told_once())
            changed = True
        changed |= preview.paused != before
    # A preview aside may cover bones, too; while Blender plays they are not posed, so it may.
    plays = session.reader.known(is_playing_back, is_playing_back)
    if (settings.is_in_place or not plays) and any(one.instances for one in shown):
        _bones_in_front.draw_below_gizmos(context, session.in_front)
    if session.step_layout.changed:
        # Previews drawn before it changed are still where they were.
        session.step_layout.changed = False
        session.postponed.redraw.at(0.0)
    if changed:
        session.postponed.settle.at(0.0)
    if changed or measured or told_otherwise:
        redraw_panels()


def _draw_preview(
    session: ViewportSession,
    shown: ShownMesh,
    view: View,
    settings: PreviewSettings,
    context: bpy.types.Context,
) -> bool:
    """Draw one preview where its object is visible; return whether there is something new for the panel."""
    preview, mesh_object = shown.preview, shown.mesh_object
    if mesh_object is None:
        preview.lose()
        return False
    if not shown.instances:
        return False
    layer = layer_key(context.scene, context.view_layer)
    depsgraph = context.view_layer.depsgraph
    preview.skin_as(settings.profile)
    preview.held.export_at(session.exported_at(context.scene))
    live = preview.follow(mesh_object, depsgraph, layer, session.players.poses())
    measured = False
    if live is not None:
        matrices = [instance.mesh_to_world for instance in shown.instances]
        live.draw(view, settings, mesh_object, depsgraph, matrices, layout=session.step_layout)
        # A mesh about to be bound again would give outdated figures.
        plays = session.reader.known(is_playing_back, is_playing_back)
        measured = preview.wanted_in is None and live.measure(mesh_object, depsgraph, plays=plays)
        if live.figures_due is not None:
            waits_for = preview.binding_due if preview.wanted_in else 0.0
            session.postponed.redraw.at(max(live.figures_due, waits_for))
        if live.shadow_due is not None:
            session.postponed.shadows.at(live.shadow_due)
        if live.drawing.waiting:
            session.postponed.prepared.at(time.perf_counter() + SECONDS_BETWEEN_LOOKS)
    if preview.wanted_in:
        session.postponed.bind.at(preview.binding_due)
    if preview.held.due is not None:
        session.postponed.bind.at(preview.held.due)
    return measured


def _draw_figures(session: ViewportSession, context: bpy.types.Context) -> None:
    settings = session.settings_of(context.scene)
    if not settings.shown:
        return
    if settings.split is not None:
        _view_text.draw_split(context, settings.split, swapped=session.swapped)
    elif session.swapped:
        _view_text.draw_at_top(context, BLENDER)
    elif settings.beside and session.running and session.places.overlaps(context.region):
        _view_text.draw_at_top(context, NO_ROOM_ASIDE)
    if not settings.show_figures:
        return
    if not context.space_data.overlay.show_overlays or not is_for_text(context):
        return
    layer = layer_key(context.scene, context.view_layer)
    hidden = session.hidden_in(context)
    measured = session.measured(layer, hidden)
    area = session.reader.known(FreeArea, lambda: free_area(context, context.region))
    bottom = area.bottom
    check = session.checks.results.check_of(context.scene.session_uid, settings.engine.id)
    if check is not None:
        # At the very bottom, so that its buttons stay where they are.
        bottom = _view_text.draw_verdict(context, settings, check, area, bottom)
    if measured:
        cut_before, moved = session.cut_before(layer, hidden), session.moved_shapes(layer, hidden)
        above = area if bottom == area.bottom else replace(area, bottom=bottom)
        bottom = _view_text.draw_summary(context, settings, measured, cut_before, above, moved=moved)
        copy = session.places.seen(context.region) if settings.beside else None
        draw_calls = partial(session.draw_calls, layer, hidden)
        _view_text.draw_legend(context, settings, draw_calls, area, bottom, copy=copy)


def _draw_marks(session: ViewportSession, context: bpy.types.Context) -> None:
    layer = layer_key(context.scene, context.view_layer)
    settings = session.settings_in(context.region, context.scene)
    _inspection_marks.draw(
        context, settings, session.inspection, lambda target: session.look_at(target, layer)
    )
