"""Previews that start again with their file, if the scene says so: those that ran when it was saved.

Saving writes down which they are. After loading, the first 3D view that is drawn has them started, so files
that are opened in the background start nothing.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ...core.text.message import Message
from ...viewport.redraw import Later, redraw_views
from ...viewport.session import current_session, depsgraph_of, layer_key
from ..settings.properties import scene_settings
from .new_scenes import adopt_preferences
from .preview_operators import fit_settings
from .preview_start import PreviewStart


@persistent
def write_down_previews(*_: object) -> None:
    """The file is about to be saved: note in its scenes which meshes are previewed."""
    session = current_session()
    found = [session.objects.find(preview.uid) for preview in session.previews if not preview.error]
    for scene in bpy.data.scenes:
        noted = scene_settings(scene).previewed
        if scene.library is not None or not (scene_settings(scene).start_with_file or noted):
            continue
        noted.clear()
        for mesh_object in found if scene_settings(scene).start_with_file else ():
            if mesh_object is not None:
                item = noted.add()
                item.name, item.library = mesh_object.name, _library_of(mesh_object)


def previewed_meshes(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """List the meshes whose previews a scene wants back. Not those of a linked scene: it is not this file that
    asks for them.
    """
    settings = scene_settings(scene)
    if scene.library is not None or not settings.start_with_file:
        return []
    wanted = {(one.name, one.library) for one in settings.previewed}
    return [one for one in bpy.data.objects if one.type == "MESH" and (one.name, _library_of(one)) in wanted]


def _library_of(mesh_object: bpy.types.Object) -> str:
    # Its name is unique in the file; its path changes when the file is saved elsewhere.
    return mesh_object.library.name if mesh_object.library is not None else ""


class ComingBack:
    """Starts previews again, one mesh at a time, so that Blender stays responsive."""

    def __init__(self) -> None:
        self._later = Later(self._bind_next)
        self._start: PreviewStart | None = None
        self._layer = (0, "")

    def begin(self) -> None:
        """Start what the scene in the first window wants back. Called outside drawing."""
        window = next(iter(bpy.context.window_manager.windows), None)
        if window is not None:
            self.begin_in(window.scene, window.view_layer)

    def begin_in(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        """Start what a scene wants back, unless the user was faster."""
        meshes = previewed_meshes(scene)
        if meshes and not current_session().previews:
            self._layer = layer_key(scene, view_layer)
            self._start = PreviewStart(current_session(), meshes)
            self._later.at(0.0)

    def cancel(self) -> None:
        """Another file is loaded, or the extension disabled."""
        self._start = None
        self._later.cancel()

    def _bind_next(self) -> None:
        start, depsgraph = self._start, depsgraph_of(self._layer)
        if start is None or depsgraph is None:
            self.cancel()
            return
        if start.done < start.count:
            start.bind_next(depsgraph)
            self._later.at(0.0)
            return
        self._start = None
        self._finish(start, depsgraph)

    def _finish(self, start: PreviewStart, depsgraph: bpy.types.Depsgraph) -> None:
        session, scene = current_session(), depsgraph.scene.original
        started = start.finish()
        if started and isinstance(scene, bpy.types.Scene):
            adopt_preferences(scene)
            fit_settings(scene, started)
        if start.refused:
            # Nothing else reports it: no operator has been called.
            session.error = Message(
                "Of the previews in this file, {count} could not start again: {reason}",
                count=len(start.refused),
                reason=start.refused[0],
            )
        redraw_views()


_coming_back = ComingBack()


@persistent
def wait_for_first_draw(*_: object) -> None:
    """A file was loaded: what it wants back is started once it is seen."""
    _coming_back.cancel()
    current_session().on_first_draw = None if bpy.app.background else _coming_back.begin


_HANDLERS = (("save_pre", write_down_previews), ("load_post", wait_for_first_draw))


def add_coming_back() -> None:
    """Have Blender call us."""
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).append(handler)


def remove_coming_back() -> None:
    """Undo `add_coming_back`."""
    _coming_back.cancel()
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).remove(handler)
