"""Previews that start again with their file, if the scene says so: those that ran when it was saved.

Which they are is written down whenever previews start or end, after each undo, and before saving: Blender's
autosave and its last session, `quit.blend`, are files of the last undo step, and no handler is called for them.
After loading, a scene's previews start once a 3D view shows it, so files that are opened in the background
start nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from bpy.app.handlers import persistent

from ...core.text.message import Message
from ...scene.objects.instanced_meshes import instanced_meshes
from ...viewport.character.preview import LayerKey
from ...viewport.layers import depsgraph_of
from ...viewport.redraw import Later, redraw_views
from ...viewport.session import current_session
from ..settings.properties import scene_settings
from .new_scenes import adopt_preferences
from .preview_operators import fit_settings
from .preview_start import PreviewStart


@persistent
def write_down_previews(*_: object) -> None:
    """Note in the file's scenes which meshes are previewed. What a scene wants back stays until it has been
    shown and they have started.
    """
    session = current_session()
    found = [session.objects.find(preview.uid) for preview in session.previews if not preview.error]
    meshes = [one for one in found if one is not None]
    for scene in bpy.data.scenes:
        uid = scene.session_uid
        if scene.library is None and uid not in session.first_draws and uid not in _coming_back:
            wanted = _shown_in(scene, meshes) if scene_settings(scene).start_with_file else []
            _write_down(scene, [(one.name, _library_of(one)) for one in wanted])


def _write_down(scene: bpy.types.Scene, wanted: list[tuple[str, str]]) -> None:
    noted = scene_settings(scene).previewed
    if [(one.name, one.library) for one in noted] == wanted:
        # Writing makes Blender evaluate the scene again.
        return
    noted.clear()
    for name, library in wanted:
        item = noted.add()
        item.name, item.library = name, library


def _shown_in(scene: bpy.types.Scene, meshes: Sequence[bpy.types.Object]) -> list[bpy.types.Object]:
    """List those of the meshes that a scene has or instances, and those that are in no scene: nodes or
    particles may instance them.
    """
    if len(bpy.data.scenes) == 1:
        return list(meshes)
    own = set(scene.objects)
    elsewhere = {one for other in bpy.data.scenes if other != scene for one in other.objects}
    instanced = {mesh for one in own for mesh in instanced_meshes(one)}
    return [one for one in meshes if one in own or one in instanced or one not in elsewhere]


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
    """Starts previews again, scene by scene and one mesh at a time, so that Blender stays responsive."""

    def __init__(self) -> None:
        self._later = Later(self.bind_next)
        self._starts: list[tuple[LayerKey, PreviewStart]] = []

    def __contains__(self, scene: object) -> bool:
        """Whether previews of a scene, by session_uid, are still to be started."""
        return any(scene == layer[0] for layer, _ in self._starts)

    def begin(self, layer: LayerKey) -> None:
        """Start what a scene wants back that isn't previewed already. Called outside drawing."""
        depsgraph = depsgraph_of(layer)
        scene = depsgraph.scene.original if depsgraph is not None else None
        meshes = previewed_meshes(scene) if isinstance(scene, bpy.types.Scene) else []
        meshes = [one for one in meshes if current_session().preview_of(one) is None]
        if meshes:
            self._starts.append((layer, PreviewStart(current_session(), meshes)))
            self._later.at(0.0)

    def cancel(self) -> None:
        """Another file is loaded, or the extension disabled."""
        self._starts.clear()
        self._later.cancel()

    def bind_next(self) -> None:
        """Bind the next mesh, or show those of a scene. Called by a timer."""
        if not self._starts:
            return
        layer, start = self._starts[0]
        depsgraph = depsgraph_of(layer)
        if depsgraph is None or start.done == start.count:
            self._starts.pop(0)
        if depsgraph is not None and start.done == start.count:
            self._finish(start, depsgraph)
        elif depsgraph is not None:
            start.bind_next(depsgraph)
        if self._starts:
            self._later.at(0.0)

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
_write_later = Later(write_down_previews)


def _note_change() -> None:
    """Previews have started or ended."""
    _write_later.at(0.0)


@persistent
def wait_for_first_draws(*_: object) -> None:
    """A file was loaded: what a scene wants back is started once it is seen."""
    session = current_session()
    _coming_back.cancel()
    session.first_draws.cancel()
    if not bpy.app.background:
        scenes = [one.session_uid for one in bpy.data.scenes if previewed_meshes(one)]
        session.first_draws.wait_for(scenes, _coming_back.begin)


_HANDLERS = (("save_pre", write_down_previews), ("load_post", wait_for_first_draws))


def add_coming_back() -> None:
    """Have Blender call us."""
    current_session().on_change = _note_change
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).append(handler)


def remove_coming_back() -> None:
    """Undo `add_coming_back`."""
    _coming_back.cancel()
    _write_later.cancel()
    current_session().on_change = lambda: None
    for event, handler in _HANDLERS:
        getattr(bpy.app.handlers, event).remove(handler)
