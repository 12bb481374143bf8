"""Verdicts about the user's exports, kept while the file is open and never saved with it."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Message, Sentence
from ...core.verdicts.verdict import Level
from ...measurement.check.report import FileReport, MeshReport
from ...measurement.frame.deciding_mesh import deciding_mesh
from ...scene.clips.playback import ScenePlayback


@dataclass(frozen=True, eq=False)
class ExportVerdict:
    """report: as of a check. exporter: its label. reader: what read the file back. sources: where the
    exporter's settings come from, in words. kept: the exported file, None if it is gone.
    """

    report: FileReport
    exporter: str
    reader: str
    sources: tuple[str, ...]
    kept: str | None

    @property
    def worst_mesh(self) -> MeshReport | None:
        """The mesh that decides the verdict."""
        return deciding_mesh(self.report.meshes)


class ExportResults:
    """The last verdict about each scene."""

    def __init__(self) -> None:
        self._verdicts: dict[int, ExportVerdict] = {}

    def keep(self, scene_uid: int, verdict: ExportVerdict) -> None:
        """Keep a verdict, replacing the scene's previous one."""
        self._verdicts[scene_uid] = verdict

    def of(self, scene_uid: int) -> ExportVerdict | None:
        """Return the verdict about a scene, None if its export was not checked."""
        return self._verdicts.get(scene_uid)

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        self._verdicts.clear()


def export_sentence(verdict: ExportVerdict) -> Message:
    """Say in one sentence how far the exported file is from Blender, and where."""
    mesh = verdict.worst_mesh
    if mesh is None:
        return Message("Nothing in the exported file could be compared")
    worst = mesh.worst
    words = {
        "exporter": verdict.exporter,
        "distance": format_length(worst.max),
        "frame": worst.frame,
        "clip": worst.clip,
        "frames": worst.frames,
        "part": (body_part(worst.bone) or f"'{worst.bone}'") if worst.bone else f"'{mesh.object}'",
    }
    if worst.level is Level.SAME:
        return Message("The exported {exporter} file deforms as Blender does over {frames} frames", **words)
    if worst.clip == ScenePlayback.name:
        return Sentence(
            "{part} off by {distance} in the exported {exporter} file at frame {frame:g}", **words
        )
    return Sentence(
        "{part} off by {distance} in the exported {exporter} file at frame {frame:g} of '{clip}'", **words
    )
