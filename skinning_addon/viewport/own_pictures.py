"""Pictures that Blender makes itself show the user's own meshes: viewport renders, and the thumbnails of files.

Blender calls no draw handlers for them, so they lack previews; what previews stand in for is drawn meanwhile.
Renders (F12) have an evaluated state of their own, which is always left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy

from .objects.hidden_meshes import HiddenMeshes
from .redraw import Later, redraw_views

VIEWPORT_RENDER = "RENDER_OT_opengl"


class OwnPictures:
    """Reveals hidden meshes while Blender makes a picture.

    hidden: what is hidden. hide: hides it again in the state that a view layer has evaluated.
    being_made: whether such a picture is being made.
    """

    def __init__(
        self, hidden: HiddenMeshes, hide: Callable[[bpy.types.Scene, bpy.types.Depsgraph], None]
    ) -> None:
        self.being_made = False
        self._hidden = hidden
        self._hide = hide
        self._watch = Later(self.look_for_renders)

    def watch(self) -> None:
        """Notice viewport renders from now on, as long as something is hidden.

        No handler is called before one. But its operator first waits for a timer, and ours are called sooner:
        with no interval, once in each turn of Blender's event loop, which costs a few microseconds.
        """
        if not self.being_made:
            self._watch.at(0.0)

    def cancel(self) -> None:
        """Nothing is hidden any more."""
        self.being_made = False
        self._watch.cancel()

    def look_for_renders(self) -> None:
        """Reveal meshes while a viewport render is under way. Called by a timer."""
        windows = bpy.context.window_manager.windows
        rendering = any(
            one.bl_idname == VIEWPORT_RENDER for window in windows for one in window.modal_operators
        )
        if rendering and not self.being_made:
            self.begin()
        elif self.being_made and not rendering:
            self.end()
        if rendering or self._hidden:
            self._watch.at(0.0)

    def begin(self) -> None:
        """Show the hidden meshes in all windows: Blender is about to make a picture."""
        self.being_made = True
        for _, depsgraph in _evaluated():
            self._hidden.reveal(depsgraph)

    def end(self) -> None:
        """Hide it again: the picture is made."""
        self.being_made = False
        for scene, depsgraph in _evaluated():
            self._hide(scene, depsgraph)
        redraw_views()


def _evaluated() -> Iterator[tuple[bpy.types.Scene, bpy.types.Depsgraph]]:
    """List the scenes that windows show, with the evaluated state that they draw."""
    for window in bpy.context.window_manager.windows:
        depsgraph = window.view_layer.depsgraph
        if depsgraph is not None:
            yield window.scene, depsgraph
