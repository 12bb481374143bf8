"""Draws previews into the 3D views: the one place that consumes what the event handlers have marked.

Blender calls these for every region of every 3D view. They write no Blender data and leave the GPU's state as it was.
Nothing that goes wrong here may reach Blender, which would print it again with every redraw: whatever it is, it switches
off what was being drawn, and is told once.
"""

from __future__ import annotations

import bpy

from ..core.errors import SkinscopeError
from ..drawing.gpu_state import preserved_state
from ..scene.matrices import row_vectors
from .failure import told_once
from .live_mesh import View
from .preview import Preview
from .redraw import redraw_panels
from .session import ViewportSession, current_session, layer_key
from .settings import PreviewSettings
from .view_text import free_area, is_for_text

_handles: list[object] = []


def add_draw_handlers() -> None:
    """Have Blender call the draw handlers. Makes no GPU objects."""
    add = bpy.types.SpaceView3D.draw_handler_add
    _handles.append(add(_draw_meshes, (), "WINDOW", "POST_VIEW"))
    _handles.append(add(_draw_text, (), "WINDOW", "POST_PIXEL"))


def remove_draw_handlers() -> None:
    """Undo `add_draw_handlers`."""
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _draw_meshes() -> None:
    session = current_session()
    if not session.running:
        return
    try:
        with preserved_state():
            _draw_previews(session, bpy.context)
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.switch_off_all(told_once())


def _draw_text() -> None:
    session = current_session()
    if not session.running:
        return
    try:
        with preserved_state():
            _draw_figures(session, bpy.context)
    except Exception:  # noqa: BLE001 - see the module's docstring
        session.switch_off_all(told_once())


def _draw_previews(session: ViewportSession, context: bpy.types.Context) -> None:
    space = context.space_data
    if not space.overlay.show_overlays:
        return
    settings = session.settings_of(context.scene)
    region = context.region_data
    view = View(row_vectors(region.view_matrix), row_vectors(region.window_matrix))
    changed = False
    for preview in session.previews:
        if preview.error:
            continue
        before = preview.paused
        try:
            changed |= _draw_preview(session, preview, view, settings, context)
        except SkinscopeError as error:
            preview.switch_off(str(error))
            changed = True
        except Exception:  # noqa: BLE001 - see the module's docstring
            preview.switch_off(told_once())
            changed = True
        changed |= preview.paused != before
    if changed:
        redraw_panels()


def _draw_preview(
    session: ViewportSession,
    preview: Preview,
    view: View,
    settings: PreviewSettings,
    context: bpy.types.Context,
) -> bool:
    """Draw one preview where its object is to be seen; tell whether there is something new for the panel."""
    mesh_object = session.objects.find(preview.uid)
    if mesh_object is None:
        session.stop((preview.uid,))
        return True
    view_layer = context.view_layer
    if not _is_shown(mesh_object, view_layer, context.space_data):
        return False
    layer = layer_key(context.scene, view_layer)
    depsgraph = view_layer.depsgraph
    live = preview.follow(mesh_object, depsgraph, layer)
    measured = False
    if live is not None:
        live.draw(view, settings, mesh_object, depsgraph)
        measured = live.measure(mesh_object, depsgraph)
        if live.figures_due is not None:
            session.redraw_later.at(live.figures_due)
    if preview.wanted_in:
        session.bind_later.at(preview.binding_due)
    return measured


def _draw_figures(session: ViewportSession, context: bpy.types.Context) -> None:
    settings = session.settings_of(context.scene)
    if not settings.show_figures or not context.space_data.overlay.show_overlays or not is_for_text(context):
        return
    measured = session.measured(layer_key(context.scene, context.view_layer))
    if not measured:
        return
    area = free_area(context, context.region)
    bottom = session.view_text.draw_summary(context, measured, area)
    session.view_text.draw_legend(context, settings, area, bottom)


def _is_shown(
    mesh_object: bpy.types.Object, view_layer: bpy.types.ViewLayer, space: bpy.types.SpaceView3D
) -> bool:
    """Tell whether a 3D view shows the object. The first call knows of other view layers, the second of local view."""
    return mesh_object.visible_get(
        view_layer=view_layer, viewport=space
    ) and mesh_object.visible_in_viewport_get(space)
