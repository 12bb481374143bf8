"""Check Every Export: once Blender's glTF exporter has written a file, its worst frames are compared while the
user waits, and all of it in the background.

In Blender 4.3 and earlier, the exporter only announces that it is about to write, so a timer looks for the file
once it is done. The timer ends when another file is loaded, and the other Blender ends with it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from ...command_line.verifying.background import BackgroundExport
from ...core.text.errors import SkinscopeError
from ...measurement.exported.first_look import FirstLook, first_look
from ...measurement.exported.time_allowance import TimeAllowance
from ...scene.exports.exporters import exporter_of
from ...scene.files import save_copy
from ...scene.objects.deformed_meshes import deformed_meshes
from ...viewport.checked_rigs import CheckedRig
from ...viewport.choices.export_results import ExportVerdict, export_sentence, first_look_sentence
from ...viewport.choices.preferences import read_preferences
from ...viewport.redraw import redraw_views
from ...viewport.session import current_session
from ..widgets.status_message import tell_in_status_bar

SECONDS_UNTIL_LOOK = 0.1
SECONDS_BETWEEN_LOOKS = 0.5

PATH, STARTED = "gltf_filepath", "timestamp"
"""Where the exporter's settings have the file's path, and when the export began."""

OPTIONS = {
    "export_influence_nb": "gltf_vertex_influences_nb",
    "export_all_influences": "gltf_all_vertex_influences",
    "export_def_bones": "gltf_def_bones",
    "export_hierarchy_flatten_bones": "gltf_flatten_bones_hierarchy",
    "export_apply": "gltf_apply",
    "export_animation_mode": "gltf_animation_mode",
    "export_reset_pose_bones": "gltf_export_reset_pose_bones",
    "export_anim_single_armature": "gltf_export_anim_single_armature",
    "export_bake_animation": "gltf_bake_animation",
}
"""What the exporter's settings call its options, as far as they change a deformation."""

SHARE = 0.16
"""Of the export's own time: how long the first look may take. It is over within a fifth: a step that takes
longer than those before, and removing the copies, come on top.
"""

SHORTEST = 0.05
"""Seconds. Less is not enough for any frame; the full check soon follows."""

SAME = 0.1
"""A full check that says the same as the first look, within this share, needs no second message."""


@dataclass
class WatchedExport:
    """An export that is being written. file: its path. before: size and time of the file that was there.
    started: when the export began, seconds of the clock. scene_uid: of the exported scene. options: of the
    exporter. seen: by the first look. refused: why there was none.
    """

    file: Path
    before: tuple[int, int] | None
    started: float
    scene_uid: int
    options: Mapping[str, object] = field(default_factory=dict)
    seen: FirstLook | None = None
    refused: SkinscopeError | None = None
    _looked: bool = field(default=False, init=False)

    @property
    def scene(self) -> bpy.types.Scene | None:
        """The exported scene; None if it is gone."""
        return next((one for one in bpy.data.scenes if one.session_uid == self.scene_uid), None)

    @property
    def is_written(self) -> bool:
        """Whether the exporter has written it: an export that fails leaves the file that was there."""
        return _state_of(self.file) not in (None, self.before)

    def look(self) -> None:
        """Compare the worst frames, once, in a fifth of the time that the export took."""
        scene = self.scene
        if self._looked or scene is None or not self.is_written:
            return
        self._looked = True
        seconds = SHARE * (min(time.time(), self.file.stat().st_mtime + SECONDS_UNTIL_LOOK) - self.started)
        if seconds < SHORTEST:
            return
        allowed = TimeAllowance(seconds)
        results = current_session().checks.exports
        try:
            self.seen = first_look(scene, str(self.file), allowed, results.worst_moments(self.scene_uid))
        except SkinscopeError as error:
            self.refused = error
            return
        if self.seen is not None:
            results.keep_first(self.scene_uid, self.seen)


def watched_export(export_settings: Any) -> WatchedExport | None:
    """Watch a file that is about to be written, if the user wants that. export_settings: the exporter's own."""
    if bpy.app.background or not read_preferences().check_exports:
        return None
    file = Path(export_settings[PATH])
    started = export_settings[STARTED].timestamp()
    options = {name: export_settings[key] for name, key in OPTIONS.items() if key in export_settings}
    watched = WatchedExport(file, _state_of(file), started, bpy.context.scene.session_uid, options)
    current_session().checks.exports.begin(watched.scene_uid, watched)
    steps = checked_later(watched)
    bpy.app.timers.register(lambda: next(steps, None), first_interval=SECONDS_UNTIL_LOOK)
    return watched


def checked_later(watched: WatchedExport) -> Generator[float]:
    """Check a file against the open scene; yield the seconds to wait until there may be news."""
    watched.look()
    scene = watched.scene
    if scene is None or not watched.is_written or not deformed_meshes(scene):
        return
    redraw_views()
    if watched.refused is not None:
        tell_in_status_bar(watched.refused.args[0], good=False)
        return
    if watched.seen is not None:
        tell_in_status_bar(first_look_sentence(watched.seen), good=watched.seen.good)
        # The message is drawn before Blender is busy with saving a copy.
        yield SECONDS_BETWEEN_LOOKS
    results = current_session().checks.exports
    try:
        checked = yield from _checked_fully(watched)
    except SkinscopeError as error:
        results.drop_first(watched.scene_uid)
        redraw_views()
        tell_in_status_bar(error.args[0], good=False)
        return
    if checked is None:
        return
    verdict, rigs = checked
    current_session().checks.keep_export(watched.scene_uid, verdict, rigs)
    redraw_views()
    if watched.seen is None or not _says_the_same(watched.seen, verdict):
        tell_in_status_bar(export_sentence(verdict), good=verdict.report.passed)


def _checked_fully(
    watched: WatchedExport,
) -> Generator[float, None, tuple[ExportVerdict, tuple[CheckedRig, ...]] | None]:
    """Compare the file with a copy of the scene in another Blender; also return the rigs of that copy. None if
    the scene is exported again meanwhile, or gone.
    """
    checks = current_session().checks
    while not checks.rigs.keys_are_read():
        yield 0.0
    scene = watched.scene
    if scene is None:
        return None
    with tempfile.TemporaryDirectory(prefix="skinscope-export-", ignore_cleanup_errors=True) as name:
        copy = Path(name, "exported.blend")
        rigs = checks.exported_rigs(scene)
        save_copy(copy)
        arguments = ["check-file", str(watched.file), "--against", str(copy)]
        background = BackgroundExport(Path(name), arguments, watched.options)
        with closing(background):
            while not background.is_done:
                if not current_session().checks.exports.is_latest(watched.scene_uid, watched):
                    return None
                yield SECONDS_BETWEEN_LOOKS
            answer = background.answer()
    label = exporter_of("gltf").label
    return ExportVerdict(answer.report, label, answer.reader, None, str(watched.file)), rigs


def _says_the_same(seen: FirstLook, verdict: ExportVerdict) -> bool:
    mesh = verdict.worst_mesh
    if mesh is None or seen.good != verdict.report.passed:
        return False
    return seen.good or abs(mesh.worst.max - seen.distance) <= SAME * mesh.worst.max


def _state_of(file: Path) -> tuple[int, int] | None:
    """Return a file's size and when it was written; None if there is none."""
    try:
        state = file.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
