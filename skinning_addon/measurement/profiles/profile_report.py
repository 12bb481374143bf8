"""A scan's results for meshes under a profile: plain data, kept in the session and shown in panels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.profiles.profile import Profile
from ...core.text.body_part import body_part
from ...core.text.message import Message, Sentence
from ...core.text.sized_length import sized_length
from ...core.verdicts.cause_sentence import largest_cause, with_cause
from ...core.verdicts.deviation_track import JudgedFrame
from ...core.verdicts.finding import Finding
from ...core.verdicts.marked_frames import MarkedFrames, marked_frames
from ...core.verdicts.verdict import Level
from ...scene.clips.playback import ScenePlayback
from ..frame.deciding_mesh import deciding_mesh, level_of
from ..frame.worst_frame import WorstFrame


@dataclass(frozen=True, eq=False)
class MeshProfileReport:
    """One mesh under one profile, compared with our own exact skinning, which is Blender's to within rounding.

    uid: session_uid of the mesh object. mesh: its identity. worst: the same as in `check`, without `relative`
    and `normals`, which are not measured here. distance: (V,) float32, metres, the largest of each vertex
    over all frames. frames: each measured frame with its verdict, in the order they were played.
    """

    uid: int
    mesh: str
    worst: WorstFrame
    distance: NDArray[np.float32]
    frames: tuple[JudgedFrame, ...] = ()


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

    @cached_property
    def frames(self) -> Mapping[str, Mapping[float, Level]]:
        """The worst verdict of every frame over all meshes, by clip."""
        worst: dict[str, dict[float, Level]] = {}
        for one in (judged for mesh in self.meshes for judged in mesh.frames):
            of_clip = worst.setdefault(one.clip, {})
            of_clip[one.frame] = max(one.level, of_clip.get(one.frame, Level.SAME))
        return worst

    @cached_property
    def marked(self) -> Mapping[str, tuple[MarkedFrames, ...]]:
        """The frames that are worth a look or fail, by clip."""
        return {clip: tuple(marked_frames(levels)) for clip, levels in self.frames.items()}

    @property
    def cause(self) -> Finding | None:
        """The largest cause of the deviation that decides the verdict; None if none explains it."""
        mesh = self.worst_mesh
        if mesh is None or mesh.worst.level is Level.SAME:
            return None
        return largest_cause(self.findings, mesh.mesh, self.profile.id)


def profile_sentence(report: ProfileReport) -> Message:
    """Summarise in one sentence: engine, body part, distance, frame, the largest cause, and what to do about
    it.
    """
    mesh = report.worst_mesh
    if mesh is None or mesh.worst.level is Level.SAME:
        return short_profile_sentence(report)
    return with_cause(short_profile_sentence(report), report.findings, mesh.mesh, report.profile.id)


def short_profile_sentence(report: ProfileReport) -> Message:
    """Say where a character is off most in an engine, without the cause."""
    mesh = report.worst_mesh
    if mesh is None:
        return Message("Nothing could be measured under {profile}", profile=report.profile.label)
    worst = mesh.worst
    words = {
        "profile": report.profile.label,
        "distance": sized_length(worst.max, worst.height),
        "frame": worst.frame,
        "clip": worst.clip,
        "frames": worst.frames,
        "part": (body_part(worst.bone) or f"'{worst.bone}'") if worst.bone else f"'{mesh.mesh}'",
    }
    if worst.level is Level.SAME and report.profile.is_blender:
        return Message("Same as Blender's over {frames} frames", **words)
    if worst.level is Level.SAME:
        return Message("Deforms in {profile} as in Blender over {frames} frames", **words)
    if worst.clip == ScenePlayback.name:
        return Sentence("{part} off by {distance} in {profile} at frame {frame:g}", **words)
    return Sentence("{part} off by {distance} in {profile} at frame {frame:g} of '{clip}'", **words)
