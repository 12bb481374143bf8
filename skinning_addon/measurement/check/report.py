"""A check's report on a file: plain data, for people, for scripts, and to pass between processes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...core.profiles.profile import BLENDER
from ...core.profiles.verification import ASSUMED, Verification
from ...core.verdicts.finding import Finding, Severity, Suppressed
from ...core.verdicts.suppression import Suppression
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import Level
from ..frame.deciding_mesh import level_of
from ..frame.worst_frame import WorstFrame

FILE_PROFILE = "file"
"""Stands for a profile in reports on an exported file: nothing is predicted there, the file itself is
measured."""


@dataclass(frozen=True)
class MeshReport:
    """One measured mesh.

    object, armatures: identities (`core.text.identity`), armatures in the order in which they deform it.
    joints: in all its palettes together.
    exact: whether our passes reproduce everything Blender does; `reasons` say why not. device, technique:
    used to skin it.
    known: whether a baseline accepts its deviation. suppressed: why a configuration or the object accepts
    it; None if neither does. verified: what of the profile was compared with another
    program. exporter_settings: those that the profile was told of, by the exporter's own names.
    """

    object: str
    armatures: tuple[str, ...]
    vertices: int
    joints: int
    exact: bool
    reasons: tuple[str, ...]
    device: str
    technique: str
    profile: str
    worst: WorstFrame
    tolerance: Tolerance
    known: bool = False
    exporter_settings: tuple[tuple[str, object], ...] = ()
    verified: Verification = ASSUMED
    suppressed: Suppressed | None = None

    @property
    def accepted(self) -> bool:
        """Whether it can't make a check fail."""
        return self.passed or self.known or self.suppressed is not None

    @property
    def passed(self) -> bool:
        """Whether the mesh stays within the tolerance; NaN never does."""
        return self._measured <= self.tolerance.value

    @property
    def times(self) -> float:
        """The deviation as a multiple of the tolerance; infinite for NaN."""
        return math.inf if math.isnan(self._measured) else self._measured / self.tolerance.value

    @property
    def _measured(self) -> float:
        return self.worst.relative if self.tolerance.relative else self.worst.max


@dataclass(frozen=True)
class FileReport:
    """One file: its meshes and findings, or `error`, a sentence that says why it can't be checked.

    suppressions: those that its objects carry, whether or not they have ended. picture: path of a picture at
    its worst frame, "" without one. fixed: sentences about a copy in which something was mended.
    """

    file: str
    meshes: tuple[MeshReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    suppressions: tuple[Suppression, ...] = ()
    picture: str = ""
    fixed: tuple[str, ...] = ()

    @property
    def worst_mesh(self) -> MeshReport | None:
        """The mesh that is furthest off, compared with its tolerance; of engines rather than of Blender. None
        if nothing was measured.
        """
        return max(self.meshes, key=lambda one: (one.profile != BLENDER.id, one.times), default=None)

    @property
    def level(self) -> Level | None:
        """The verdict on all meshes; None if none was measured."""
        return level_of(self.meshes)

    @property
    def passed(self) -> bool:
        """Whether everything is within tolerance and no finding is an error, except what is accepted."""
        return (
            self.error is None
            and all(mesh.accepted for mesh in self.meshes)
            and all(finding.accepted or finding.severity is not Severity.ERROR for finding in self.findings)
        )
