"""What a scan found out about meshes under a profile: plain data, kept in the session and shown in panels."""

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
from ...core.verdicts.verdict import Judgement, Level
from ...scene.clips.playback import ScenePlayback
from ..frame.body_parts import PartDeviation


@dataclass(frozen=True, eq=False)
class MeshProfileReport:
    """One mesh under one profile, compared with our own exact skinning, which is Blender's to within rounding.

    uid: session_uid of the mesh object. judgement: of the worst frame, by share of surface and by the worst vertex.
    max, rms: metres, at the worst frame. clip, frame: where that is. bone: with the most weight on the worst vertex.
    along_normal, tangential: metres, of the worst vertex. frames: how many were scanned. run: the longest run of them with
    a vertex that is not good. pop: metres, the most that a vertex's deviation changes from one frame to the next.
    parts: the worst first. distance: (V,) float32, metres, the largest of each vertex over all frames.
    """

    uid: int
    mesh: str
    judgement: Judgement
    max: float
    rms: float
    worst_vertex: int
    clip: str
    frame: float
    bone: str
    along_normal: float
    tangential: float
    frames: int
    run: int
    pop: float
    parts: tuple[PartDeviation, ...]
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
    def worst(self) -> MeshProfileReport | None:
        """The mesh that decides the verdict."""
        return max(self.meshes, key=lambda one: (one.judgement.level, one.max), default=None)

    @property
    def level(self) -> Level | None:
        """The verdict; None where nothing was measured."""
        worst = self.worst
        return None if worst is None else worst.judgement.level


def profile_sentence(report: ProfileReport) -> Message:
    """Say in one sentence what there is to know: engine, part, distance, frame, the largest cause, and what to do about it."""
    worst = report.worst
    if worst is None:
        return Message("Nothing could be measured under {profile}", profile=report.profile.label)
    words = {
        "profile": report.profile.label,
        "distance": format_length(worst.max),
        "frame": worst.frame,
        "clip": worst.clip,
        "frames": worst.frames,
        "part": (body_part(worst.bone) or f"'{worst.bone}'") if worst.bone else f"'{worst.mesh}'",
    }
    if worst.judgement.level is Level.SAME:
        return Message("Deforms in {profile} as in Blender, over {frames} frames", **words)
    if worst.clip == ScenePlayback.name:
        sentence = Sentence("{part} off by {distance} in {profile} at frame {frame:g}", **words)
    else:
        sentence = Sentence("{part} off by {distance} in {profile} at frame {frame:g} of '{clip}'", **words)
    return with_cause(sentence, report.findings, worst.mesh, report.profile.id)
