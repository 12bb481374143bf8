"""Check Every Export: once Blender's glTF exporter has written a file, it is read back in the background.

In Blender 4.3, exporters only announce that they are about to write, so a timer looks for the file once the
exporter is done. The timer ends when another file is loaded, and the other Blender ends with it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import bpy

from ...command_line.verifying.background import BackgroundExport
from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...scene.exports.exporters import exporter_of
from ...scene.objects.deformed_meshes import deformed_meshes
from ...viewport.choices.export_results import ExportVerdict, export_sentence
from ...viewport.choices.preferences import read_preferences
from ...viewport.choices.translation import translated
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from .export_check_operator import StoppedAtEnd, save_copy

SECONDS_BETWEEN_LOOKS = 0.5

PATH = "gltf_filepath"
"""The key of the file's path in the exporter's settings."""


def watch_export(export_settings: Any) -> None:
    """Check a file that is about to be written, if the user wants that. export_settings: the exporter's own."""
    if bpy.app.background or not read_preferences().check_exports:
        return
    steps = checked_later(Path(export_settings[PATH]), bpy.context.scene.session_uid)
    bpy.app.timers.register(lambda: next(steps, None), first_interval=SECONDS_BETWEEN_LOOKS)


def checked_later(file: Path, scene_uid: int) -> Generator[float]:
    """Check a file against the open scene; yield the seconds to wait until there may be news."""
    scene = next((one for one in bpy.data.scenes if one.session_uid == scene_uid), None)
    if scene is None or not file.is_file() or not deformed_meshes(scene):
        return
    try:
        with tempfile.TemporaryDirectory(prefix="skinscope-export-", ignore_cleanup_errors=True) as name:
            copy = Path(name, "exported.blend")
            save_copy(copy)
            background = BackgroundExport(Path(name), ["check-file", str(file), "--against", str(copy)], {})
            with closing(StoppedAtEnd(background)):
                while not background.is_done:
                    yield SECONDS_BETWEEN_LOOKS
                answer = background.answer()
    except SkinscopeError as error:
        _tell(error.args[0], "ERROR")
        return
    verdict = ExportVerdict(answer.report, exporter_of("gltf").label, answer.reader, (), str(file))
    current_session().export_results.keep(scene_uid, verdict)
    redraw_views()
    _tell(export_sentence(verdict), "CHECKMARK" if answer.report.passed else "ERROR")


def _tell(message: Message, icon: Any) -> None:
    """Show a message where the user is working."""
    if bpy.app.background:
        # A file's windows are listed in the background, too, but opening a menu there crashes.
        return
    manager = bpy.context.window_manager
    for window in manager.windows[:1]:
        with bpy.context.temp_override(window=window):
            manager.popup_menu(
                lambda menu, _: menu.layout.label(text=translated(message), translate=False),
                title=translated(Message("Export Check")),
                icon=icon,
            )
