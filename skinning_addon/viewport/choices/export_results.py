"""Verdicts about the user's exports, kept while the file is open and never saved with it."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.text.body_part import body_part
from ...core.text.identity import Identity
from ...core.text.length import format_length
from ...core.text.message import Message, Sentence, about
from ...core.verdicts.verdict import Level
from ...measurement.check.report import FileReport, MeshReport
from ...measurement.exported.first_look import FirstLook
from ...measurement.frame.deciding_mesh import deciding_mesh
from ...scene.clips.playback import ScenePlayback
from .dated_results import Dated, DatedResults, ResultKey

EXPORTED = "exported"
"""In keys, where checks under a profile have its id."""


@dataclass(frozen=True, eq=False)
class ExportVerdict(Dated):
    """report: as of a check. exporter: its label. reader: what read the file back. sources: where the
    exporter's settings come from, in words; None if they are the export's own. kept: the exported file, None if
    it is gone.
    """

    report: FileReport
    exporter: str
    reader: str
    sources: tuple[str, ...] | None
    kept: str | None

    @property
    def worst_mesh(self) -> MeshReport | None:
        """The mesh that decides the verdict."""
        return deciding_mesh(self.report.meshes)


class ExportResults(DatedResults[ExportVerdict]):
    """The last verdict about each scene, and what a first look at a later export saw."""

    def __init__(self) -> None:
        super().__init__()
        self._first: dict[int, FirstLook] = {}
        self._exports: dict[int, object] = {}

    @staticmethod
    def key(scene_uid: int) -> ResultKey:
        """Return the key of a scene's verdict."""
        return scene_uid, EXPORTED

    def begin(self, scene_uid: int, export: object) -> None:
        """Note that a scene is exported: checks of its earlier exports are of no more use."""
        self._exports[scene_uid] = export

    def is_latest(self, scene_uid: int, export: object) -> bool:
        """Tell whether no later export of the scene began."""
        return self._exports.get(scene_uid, export) is export

    def keep(self, scene_uid: int, verdict: ExportVerdict) -> None:
        """Keep a verdict, replacing the scene's previous one, and what a first look saw."""
        self.keep_result(self.key(scene_uid), verdict)
        self.drop_first(scene_uid)

    def keep_first(self, scene_uid: int, seen: FirstLook) -> None:
        """Keep what a first look saw until the verdict is there."""
        self._first[scene_uid] = seen

    def drop_first(self, scene_uid: int) -> None:
        """Forget what a first look saw."""
        self._first.pop(scene_uid, None)

    def first(self, scene_uid: int) -> FirstLook | None:
        """Return what was seen of an export whose verdict is not there yet."""
        return self._first.get(scene_uid)

    def worst_moments(self, scene_uid: int) -> list[tuple[str, float]]:
        """Return the clips and frames that were the worst of the last export."""
        verdict = self.of(scene_uid)
        meshes = () if verdict is None else verdict.report.meshes
        return list(dict.fromkeys((one.worst.clip, one.worst.frame) for one in meshes))

    def of(self, scene_uid: int) -> ExportVerdict | None:
        """Return the verdict about a scene, None if its export was not checked."""
        return self.result(self.key(scene_uid))

    def clear(self) -> None:
        """Forget everything: another file was loaded."""
        super().clear()
        self._first.clear()
        self._exports.clear()


def export_sentence(verdict: ExportVerdict) -> Message:
    """Say in one sentence how far the exported file is from Blender, and where; name the mesh if the file has
    several.
    """
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
        sentence = Sentence(
            "{part} off by {distance} in the exported {exporter} file at frame {frame:g}", **words
        )
    else:
        sentence = Sentence(
            "{part} off by {distance} in the exported {exporter} file at frame {frame:g} of '{clip}'", **words
        )
    return about(mesh.object, sentence, of_several=bool(worst.bone) and len(verdict.report.meshes) > 1)


def first_look_sentence(seen: FirstLook) -> Message:
    """Say in one sentence what a first look at an exported file saw; name the mesh if it saw several."""
    name = Identity.of(seen.object).name
    part = body_part(seen.bone) or seen.bone or name
    words = {
        "distance": format_length(seen.distance),
        "frame": seen.frame,
        "clip": seen.clip,
        "frames": seen.frames,
        "part": part if isinstance(part, Message) else f"'{part}'",
    }
    if seen.good:
        return Message(
            "The exported file is within {distance} of Blender at its {frames} worst frames; the full check is "
            "running",
            **words,
        )
    if seen.clip == ScenePlayback.name:
        sentence = Sentence(
            "{part} off by {distance} in the exported file at frame {frame:g}; the full check is running",
            **words,
        )
    else:
        sentence = Sentence(
            "{part} off by {distance} in the exported file at frame {frame:g} of '{clip}'; the full check is "
            "running",
            **words,
        )
    return about(name, sentence, of_several=bool(seen.bone) and seen.meshes > 1)
