"""Chooses which of several previews panels and operators are about."""

from __future__ import annotations

import bpy

from ...viewport.character.figures import Figures
from ...viewport.character.mesh_in_layer import MeshInLayer
from ...viewport.character.preview import Preview
from ...viewport.layers import layer_key
from ...viewport.session import current_session


def preview_in_focus(context: bpy.types.Context) -> Preview | None:
    """Return the active object's preview; if it has none, the one that deviates most: of those the active
    armature poses, or else of all.
    """
    session = current_session()
    active = context.active_object
    preview = session.preview_of(active) if active is not None else None
    if preview is not None or not session.previews:
        return preview
    candidates = _posed_by(active) or session.previews
    hidden = hidden_in(context)
    seen = [one for one in candidates if one.uid not in hidden]
    return max(seen or candidates, key=lambda one: _deviation_to_sort(one, context))


def meshes_in_focus(context: bpy.types.Context) -> list[bpy.types.Object]:
    """List the meshes whose vertices operators are about: the active one; else all previewed ones that the
    active armature poses; else the one that panels are about.
    """
    active = context.active_object
    if active is not None and active.type == "MESH":
        return [active]
    preview = preview_in_focus(context)
    previews = _posed_by(active) or ([preview] if preview else [])
    found = [current_session().objects.find(one.uid) for one in previews]
    return [one for one in found if one is not None]


def mesh_in_layer_of(preview: Preview, context: bpy.types.Context) -> MeshInLayer | None:
    """Return the preview as posed in the context's view layer, None before it was drawn there."""
    return preview.mesh_in_layer(layer_key(context.scene, context.view_layer))


def figures_of(preview: Preview, context: bpy.types.Context) -> Figures | None:
    """Return the last measurement in the context's view layer; None if it is under another engine."""
    return current_session().figures_of(preview, layer_key(context.scene, context.view_layer))


def hidden_in(context: bpy.types.Context) -> frozenset[int]:
    """List the previewed objects that the context's 3D view does not show, by session_uid."""
    return current_session().hidden_in(context)


def _posed_by(armature: bpy.types.Object | None) -> list[Preview]:
    """List the previews that depend on an object."""
    if armature is None:
        return []
    return [one for one in current_session().previews if one.watches(armature.session_uid)]


def _deviation_to_sort(preview: Preview, context: bpy.types.Context) -> float:
    figures = figures_of(preview, context)
    return figures.deviation.max if figures and figures.deviation else -1.0
