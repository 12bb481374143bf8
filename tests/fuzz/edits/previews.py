"""Drives previews as Blender's window does: evaluates, draws and runs timers until everything has
come to rest.
"""

from __future__ import annotations

import subprocess
import sys
import traceback
from functools import cache
from typing import Any

import bpy

from skinning_addon.viewport import draw_handlers
from skinning_addon.viewport import session as session_module
from skinning_addon.viewport.choices.settings import BlenderMesh, PreviewSettings
from skinning_addon.viewport.event_handlers import add_event_handlers, remove_event_handlers
from skinning_addon.viewport.layers import layer_key
from skinning_addon.viewport.session import ViewportSession, close_session, current_session, open_session

MOST_TURNS = 12
"""Binding, then the shadow, then the figures, each in its own turn, take five."""


class Window:
    """Blender's first window, drawn into a texture if there is a GPU; otherwise everything except the drawing
    itself.

    Owns the session and the event handlers: close it after use.
    """

    def __init__(self) -> None:
        self.settings = PreviewSettings()
        self.draws = draws_in_background()
        self.handled: set[str] = set()
        self._opened = session_module._session is None
        if self._opened:
            open_session(lambda _scene: self.settings)
            add_event_handlers()
        self._notes = {
            name: self._noting(name) for name in ("depsgraph_update_post", "frame_change_post", "undo_post")
        }
        for name, note in self._notes.items():
            getattr(bpy.app.handlers, name).append(note)
        self._target = self._texture()

    def _noting(self, name: str) -> Any:
        @bpy.app.handlers.persistent
        def note(*_: object) -> None:
            self.handled.add(name)

        return note

    def _texture(self) -> Any:
        if not self.draws:
            return None
        import gpu

        return gpu.types.GPUOffScreen(32, 32, format="RGBA8")

    @property
    def session(self) -> ViewportSession:
        return current_session()

    def hide_blenders_mesh(self, *, hidden: bool) -> None:
        self.settings = PreviewSettings(blender_mesh=BlenderMesh.HIDDEN if hidden else BlenderMesh.SHOWN)

    def start_previews(self) -> list[tuple[bpy.types.Object, str]]:
        """Preview all visible meshes that aren't yet, as the operator does; list the refusals by object."""
        from skinning_addon.core.text.errors import SkinscopeError

        told = []
        bpy.context.view_layer.update()
        for one in list(bpy.context.view_layer.objects):
            if one.type == "MESH" and one.visible_get() and self.session.preview_of(one) is None:
                try:
                    self.session.start(one, bpy.context.evaluated_depsgraph_get())
                except SkinscopeError as refusal:
                    told.append((one, str(refusal)))
                except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for; the operator would raise it
                    told.append((one, traceback.format_exc()))
        return told

    def come_to_rest(self) -> str:
        """Draw and run timers until nothing is waiting. Return '' if that happens, otherwise what is still
        waiting.
        """
        waiting: list[str] = []
        for _ in range(MOST_TURNS):
            # Evaluated before each redraw, as in Blender's event loop.
            bpy.context.view_layer.update()
            self._let_time_pass()
            self._draw()
            waiting = self._run_timers()
            if not waiting:
                return ""
        wanted = [one.name for one in self.session.previews if one.wanted_in is not None]
        return f"{', '.join(waiting)} of {', '.join(wanted) or 'no preview to be bound'}"

    def _let_time_pass(self) -> None:
        for preview in self.session.previews:
            preview._binding_pace.due = 0.0
            for live in preview.meshes_in_layers:
                live._measured._pace.due = live._reading_shadows.due = 0.0

    def _draw(self) -> None:
        window = bpy.context.window_manager.windows[0]
        area = next(one for one in window.screen.areas if one.type == "VIEW_3D")
        region = next(one for one in area.regions if one.type == "WINDOW")
        # Pictures are rendered without overlays; a view keeps that setting from file to file.
        area.spaces.active.overlay.show_overlays = True
        with bpy.context.temp_override(window=window, area=area, region=region):
            if self._target is None:
                self._follow()
                return
            with self._target.bind():
                draw_handlers._draw_meshes()

    def _follow(self) -> None:
        """Do what the draw handler does, without drawing."""
        view = _WithoutDrawing.of(self.session)
        for preview in self.session.previews:
            if not preview.error:
                view.follow(preview, self.settings)

    def _run_timers(self) -> list[str]:
        """Fire each waiting timer once; name those that fired."""
        session = self.session
        fired = []
        for name in ("settle", "bind", "shadows", "prepared", "redraw"):
            later = getattr(session.postponed, name)
            if bpy.app.timers.is_registered(later._timer):
                bpy.app.timers.unregister(later._timer)
                self._let_time_pass()
                again = later._fire()
                fired.append(name)
                if again is not None:
                    bpy.app.timers.register(later._timer, first_interval=again, persistent=True)
        return fired

    def close(self) -> None:
        for name, note in self._notes.items():
            getattr(bpy.app.handlers, name).remove(note)
        self.session.stop_all()
        if self._target is not None:
            self._target.free()
        if self._opened:
            remove_event_handlers()
            close_session()


class _WithoutDrawing:
    """The part of the draw handler that needs no GPU."""

    def __init__(self, session: ViewportSession) -> None:
        self.session = session

    @classmethod
    def of(cls, session: ViewportSession) -> _WithoutDrawing:
        return cls(session)

    def follow(self, preview: Any, settings: PreviewSettings) -> None:
        session = self.session
        mesh_object = session.objects.find(preview.uid)
        if mesh_object is None:
            preview.lose()
            return
        view_layer = bpy.context.view_layer
        if not mesh_object.visible_get(view_layer=view_layer):
            return
        layer = layer_key(bpy.context.scene, view_layer)
        before = preview.paused
        preview.skin_as(settings.profile)
        preview.follow(mesh_object, view_layer.depsgraph, layer)
        if preview.wanted_in:
            session.postponed.bind.at(preview.binding_due)
        if preview.paused != before:
            session.postponed.settle.at(0.0)


@cache
def draws_in_background() -> bool:
    """Tell whether this Blender can draw here without a window (5.2 and later, with a driver)."""
    import gpu

    if not hasattr(gpu, "init"):
        return False
    # In its own process: without a driver gpu.init() crashes the process.
    code = "import bpy, gpu; gpu.init()"
    start = [sys.executable, "-c", code]
    if bpy.app.binary_path:
        start = [
            bpy.app.binary_path,
            "-b",
            "--factory-startup",
            "--python-exit-code",
            "1",
            "--python-expr",
            code,
        ]
    if subprocess.run(start, capture_output=True, check=False).returncode:
        return False
    gpu.init()
    return True
