"""What a check says about a file: plain data, for people, for scripts, and to be handed from one process to another."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.deviation import EXACT_RELATIVE
from ..core.finding import Finding, Severity
from ..core.length import Tolerance


@dataclass(frozen=True)
class WorstFrame:
    """The deviation of one mesh at the frame where a vertex lay furthest from where Blender puts it.

    max, rms, p99: metres; p99 is what 99% of the vertices do not exceed.
    relative: see `core.deviation`; the largest of all frames, which need not be that of this one.
    clip, frame: where it was. frames: how many frames were measured.
    """

    max: float
    rms: float
    p99: float
    relative: float
    worst_vertex: int
    clip: str
    frame: float
    frames: int

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding was measured."""
        return self.relative <= EXACT_RELATIVE


@dataclass(frozen=True)
class MeshReport:
    """One mesh that was measured.

    armatures: names, in the order in which they deform it. joints: in all its palettes together.
    exact: whether our passes reproduce all that Blender does; `reasons` say why not.
    device, technique: what skinned it.
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

    @property
    def passed(self) -> bool:
        """Whether the mesh stays within the tolerance; NaN never does."""
        worst = self.worst
        return (worst.relative if self.tolerance.relative else worst.max) <= self.tolerance.value


@dataclass(frozen=True)
class FileReport:
    """One file: its meshes and findings, or `error`, a sentence that says why it can't be checked."""

    file: str
    meshes: tuple[MeshReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    error: str | None = None

    @property
    def passed(self) -> bool:
        """Whether all is within tolerance and nothing was found that is an error."""
        return (
            self.error is None
            and all(mesh.passed for mesh in self.meshes)
            and all(finding.severity is not Severity.ERROR for finding in self.findings)
        )
