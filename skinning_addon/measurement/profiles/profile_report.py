"""A scan's results for meshes under a profile: plain data, kept in the session and shown in panels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.text.message import Message, Sentence
from ...core.verdicts.cause_sentence import with_cause
from ...core.verdicts.finding import Finding
from ...core.verdicts.verdict import Level
from ...scene.clips.playback import ScenePlayback
from ..frame.deciding_mesh import deciding_mesh, level_of
from ..frame.worst_frame import WorstFrame


@dataclass(frozen=True, eq=False)
class MeshProfileReport:
    """One mesh under one profile, compared with our own exact skinning, which is Blender's to within rounding.

    uid: session_uid of the mesh object. mesh: its identity. worst: the same as in `check`, without `relative`
    and `normals`, which are not measured here. distance: (V,) float32, metres, the largest of each vertex
    over all frames.
    """

    uid: int
    mesh: str
    worst: WorstFrame
    distance: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ProfileReport:
    """All meshes of a scan under one profile.

    findings: the worst first. refused: a sentence for each mesh that could not be skinned.
    """

    profile: Profile
    meshes: tuple[MeshProfileReport, ...]
    findings: tuple[Finding, ...]
    refused: tuple[str, ...] = ()

    @property
    def worst_mesh(self) -> MeshProfileReport | None:
        """The mesh that decides the verdict."""
        return deciding_mesh(self.meshes)

    @property
    def level(self) -> Level | None:
        """The verdict; None if nothing was measured."""
        return level_of(self.meshes)


def profile_sentence(report: ProfileReport) -> Message:
    """Summarise in one sentence: engine, body part, distance, frame, the largest cause, and what to do about
    it.
    """
    mesh = report.worst_mesh
    if mesh is None:
        return Message("Nothing could be measured under {profile}", profile=report.profile.label)
    worst = mesh.worst
    words = {
        "profile": report.profile.label,
        "distance": format_length(worst.max),
        "frame": worst.frame,
        "clip": worst.clip,
        "frames": worst.frames,
        "part": (body_part(worst.bone) or f"'{worst.bone}'") if worst.bone else f"'{mesh.mesh}'",
    }
    if worst.level is Level.SAME:
        return Message("Deforms in {profile} as in Blender over {frames} frames", **words)
    if worst.clip == ScenePlayback.name:
        sentence = Sentence("{part} off by {distance} in {profile} at frame {frame:g}", **words)
    else:
        sentence = Sentence("{part} off by {distance} in {profile} at frame {frame:g} of '{clip}'", **words)
    return with_cause(sentence, report.findings, mesh.mesh, report.profile.id)
