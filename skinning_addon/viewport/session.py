"""All previews of this Blender session: the one place where run-time state is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import bpy

from ..core.deviation import Deviation
from .failure import told_once
from .object_lookup import ObjectLookup
from .preview import LayerKey, Preview, Stale
from .redraw import Later, redraw_views
from .settings import PreviewSettings
from .view_text import ViewText


class ViewportSession:
    """Owns the previews, one for each mesh object, under the session_uid of the original object.

    settings_of: reads a scene's settings.
    objects: finds the previews' objects.
    bind_later, redraw_later: call back for what a draw callback had to put off.
    error: a sentence, where an error that is no single preview's has switched all of them off.
    """

    def __init__(self, settings_of: Callable[[bpy.types.Scene], PreviewSettings]) -> None:
        self.settings_of = settings_of
        self.objects = ObjectLookup()
        self.bind_later = Later(self.bind_previews)
        self.redraw_later = Later(redraw_views)
        self.view_text = ViewText()
        self.error = ""
        self._previews: dict[int, Preview] = {}

    @property
    def previews(self) -> tuple[Preview, ...]:
        """All previews in the order in which they were started, switched-off ones too."""
        return tuple(self._previews.values())

    @property
    def running(self) -> bool:
        """Whether any preview is on."""
        return any(not preview.error for preview in self._previews.values())

    def preview_of(self, mesh_object: bpy.types.Object) -> Preview | None:
        """Return the preview of an original object, None where it has none."""
        return self._previews.get(mesh_object.session_uid)

    def measured(self, layer: LayerKey) -> list[tuple[str, Deviation]]:
        """List the name and the last deviation of all that is drawn in a view layer."""
        return [
            (preview.name, live.figures.deviation)
            for preview in self.previews
            if not preview.paused
            and (live := preview.live_mesh(layer))
            and live.figures
            and live.figures.deviation
        ]

    def start(self, mesh_object: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Preview:
        """Start the preview of an original mesh object, in place of one that it has.

        Raises:
            BindingError: the object can't be skinned; see `read_binding`.
        """
        preview = Preview(mesh_object, depsgraph)
        self.stop((preview.uid,))
        self._previews[preview.uid] = preview
        self.error = ""
        redraw_views()
        return preview

    def stop(self, uids: Iterable[int]) -> None:
        """End the previews of these objects; others are left alone."""
        ended = [self._previews.pop(uid) for uid in uids if uid in self._previews]
        for preview in ended:
            preview.free()
        if not self.running:
            self.bind_later.cancel()
            self.redraw_later.cancel()
            self.view_text.free()
        if ended:
            redraw_views()

    def stop_all(self) -> None:
        """End all previews."""
        self.error = ""
        self.stop(tuple(self._previews))

    def mark_all(self, stale: Stale) -> None:
        """Note that something may have changed for every preview."""
        for preview in self.previews:
            preview.mark(stale)

    def mark(self, uid: int, stale: Stale) -> None:
        """Note that the data-block with this session_uid has changed."""
        for preview in self.previews:
            if preview.watches(uid):
                preview.mark(stale)

    def bind_previews(self) -> None:
        """Bind anew what `wanted` it while drawing, where that may not be done. Called by a timer."""
        changed = False
        for preview in self.previews:
            layer = preview.wanted_in
            mesh_object = self.objects.find(preview.uid) if layer else None
            depsgraph = depsgraph_of(layer) if layer else None
            if mesh_object is None or depsgraph is None:
                continue
            try:
                changed |= preview.bind_if_needed(mesh_object, depsgraph)
            except Exception:  # noqa: BLE001 - one preview's trouble must not end the others
                preview.switch_off(told_once())
                changed = True
            if preview.wanted_in:
                self.bind_later.at(preview.binding_due)
        if changed:
            redraw_views()

    def switch_off_all(self, error: str) -> None:
        """End all previews after an error that is no single preview's, and keep the sentence that says why."""
        for preview in self.previews:
            preview.switch_off(error)
        self.error = error


_session: ViewportSession | None = None


def open_session(settings_of: Callable[[bpy.types.Scene], PreviewSettings]) -> None:
    """Make the session; called when the extension is enabled. Makes no GPU objects."""
    global _session  # noqa: PLW0603 - the one root of run-time state
    _session = ViewportSession(settings_of)


def close_session() -> None:
    """End all previews and drop the session; called when the extension is disabled."""
    global _session  # noqa: PLW0603
    if _session is not None:
        _session.stop_all()
    _session = None


def current_session() -> ViewportSession:
    """Return the session of the enabled extension."""
    if _session is None:
        raise RuntimeError("Skinscope is not enabled.")
    return _session


def depsgraph_of(layer: LayerKey) -> bpy.types.Depsgraph | None:
    """Return the evaluated state of a view layer, None where it is gone."""
    uid, name = layer
    scene = next((one for one in bpy.data.scenes if one.session_uid == uid), None)
    view_layer = scene.view_layers.get(name) if scene else None
    return view_layer.depsgraph if view_layer else None


def layer_key(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> LayerKey:
    """Name a view layer so that the name survives undo."""
    return scene.session_uid, view_layer.name
