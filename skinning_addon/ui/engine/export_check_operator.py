"""Check My Export: exports a copy of the file in the background with the user's settings, and verifies the
result.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import bpy

from ...command_line.verifying.background import Answer, BackgroundExport
from ...core.text.errors import SkinscopeError
from ...core.text.message import Message
from ...scene.exports.exporters import BlenderExporter, exporter_of
from ...scene.exports.kept_settings import settings_of_last_export
from ...scene.files import save_copy
from ...scene.objects.deformed_meshes import deformed_meshes
from ...viewport.checked_rigs import CheckedRig
from ...viewport.choices.export_results import ExportVerdict, export_sentence
from ...viewport.choices.translation import translated, translated_report
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..settings.export_check_settings import export_check_settings
from ..settings.exporter_settings import own_settings
from ..settings.profile_settings import profile_settings
from ..widgets.stepped_operator import StepProgress, Steps
from .check_operator import CheckOperator
from .finding_operators import show_moment

SECONDS_BETWEEN_LOOKS = 0.05

CHECK_FIRST = Message("Check the export first")


class SKINSCOPE_OT_export_check(CheckOperator, bpy.types.Operator):
    """Export a copy of this file in the background with your own settings, read the exported file back, and compare it with Blender at every frame"""  # noqa: E501 - a tooltip

    bl_idname = "skinscope.export_check"
    bl_label = "Check My Export"
    bl_options: ClassVar = {"REGISTER"}

    _answer: Answer
    _rigs: tuple[CheckedRig, ...]
    _exporter: BlenderExporter

    def begin(self, context: bpy.types.Context) -> Steps | None:
        if not deformed_meshes(context.scene):
            self.report({"ERROR"}, translated_report(Message("The scene has no mesh with an armature")))
            return None
        settings = export_check_settings(context.scene)
        self._exporter = exporter_of(settings.exporter)
        # Reports a missing exporter at once instead of after starting another Blender.
        self._exporter.require()
        arguments = ["--exporter", self._exporter.id]
        if settings.preset:
            arguments += ["--preset", settings.preset]
        if settings.keep:
            arguments += ["--keep", bpy.path.abspath(settings.keep)]
        # A preset replaces both.
        last = own = None
        if not settings.preset:
            last = settings_of_last_export(context.window_manager, self._exporter)
            own = own_settings(profile_settings(context.scene).exporter)
        self._rigs = current_session().checks.exported_rigs(context.scene)
        return self._steps_of(arguments, last or {}, own or {})

    def _steps_of(self, arguments: list[str], last: Mapping[str, Any], own: Mapping[str, object]) -> Steps:
        with tempfile.TemporaryDirectory(prefix="skinscope-export-", ignore_cleanup_errors=True) as name:
            copy = Path(name, f"{Path(bpy.data.filepath).stem or 'untitled'}.blend")
            save_copy(copy)
            background = BackgroundExport(Path(name), ["check-export", str(copy), *arguments], last, own)
            began = time.monotonic()
            with closing(background):
                while not background.is_done:
                    time.sleep(SECONDS_BETWEEN_LOOKS)
                    yield _progress(background.progress, time.monotonic() - began)
                self._answer = background.answer()

    def finish(self, context: bpy.types.Context) -> set[str]:
        one = self._answer
        verdict = ExportVerdict(one.report, self._exporter.label, one.reader, one.sources, one.kept)
        current_session().checks.keep_export(context.scene.session_uid, verdict, self._rigs)
        redraw_views()
        self.report({"INFO"}, translated_report(export_sentence(verdict)))
        return {"FINISHED"}


class SKINSCOPE_OT_export_jump(bpy.types.Operator):
    """Go to the frame where the exported file is furthest from Blender"""

    bl_idname = "skinscope.export_jump"
    bl_label = "Jump to Worst Frame"
    bl_options: ClassVar = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        verdict = current_session().checks.exports.of(context.scene.session_uid)
        if verdict is not None and verdict.worst_mesh is not None:
            return True
        cls.poll_message_set(translated(CHECK_FIRST))
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        verdict = current_session().checks.exports.of(context.scene.session_uid)
        if verdict is None or verdict.worst_mesh is None:
            return {"CANCELLED"}
        worst = verdict.worst_mesh.worst
        try:
            show_moment(context, verdict.worst_mesh.object, worst.clip, worst.frame)
        except SkinscopeError as error:
            self.report({"ERROR"}, translated_report(error.args[0]))
            return {"CANCELLED"}
        return {"FINISHED"}


def _progress(line: str, seconds: float) -> StepProgress:
    """Return what the other Blender is doing, and for how long it has worked. line: '{file}: {doing}', maybe
    with frames: a message, '' before the first one.
    """
    told = getattr(line, "arguments", {})
    done, total = told.get("done", 0), told.get("total", 1)
    doing = getattr(told.get("what", line), "arguments", {}).get("doing") or Message("starting Blender")
    if "what" in told:
        doing = Message("{what}: frame {done} of {total}", what=doing, done=done, total=total)
    told = Message("Checking the export: {said}, {seconds:.0f} s. Esc to cancel", said=doing, seconds=seconds)
    return StepProgress(told, done, total)
