"""What a check says about a file: plain data, for people, for scripts, and to be handed from one process to another."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.skinning.deviation import EXACT_RELATIVE
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import Level
from ..frame.body_parts import PartDeviation


@dataclass(frozen=True)
class NormalDeviation:
    """max, p99, mean: degrees between an engine's normals and Blender's, at the frame where the mean over the surface is
    largest; p99 is what 99% of the vertices do not exceed.

    Blender computes normals anew from the posed faces and engines turn those at rest, so some degrees are usual where a
    surface bends. by_rule: the most, in degrees and over all frames, that the shader's way of turning them makes alone, against
    cofactors of the blended matrix. clip, frame: where.
    """

    max: float
    p99: float
    mean: float
    by_rule: float
    clip: str
    frame: float


@dataclass(frozen=True)
class WorstFrame:
    """The deviation of one mesh at the frame where a vertex lay furthest from where Blender puts it.

    max, rms, p99: metres; p99 is what 99% of the vertices do not exceed.
    relative: see `core.skinning.deviation`; the largest of all frames, which need not be that of this one.
    clip, frame: where it was. frames: how many frames were measured.
    bone: the one that moves the worst vertex most. level: the verdict about that frame (`core.verdicts.verdict`), None if not judged.
    surface: share of the surface, 0 to 1, that lies further off than what counts as good (1 mm at 1.8 m, a fifth of it for
    hands and face). along_normal, tangential: metres, of the worst vertex.
    run: the longest run of measured frames in which some vertex lies further off than good. pop: metres, the most that any
    vertex's deviation changes from one measured frame of a clip to the next. parts: those with anything further off than
    good in any frame, the worst first. normals: under an engine's profile alone.
    """

    max: float
    rms: float
    p99: float
    relative: float
    worst_vertex: int
    clip: str
    frame: float
    frames: int
    bone: str = ""
    surface: float = 0.0
    along_normal: float = 0.0
    tangential: float = 0.0
    run: int = 0
    pop: float = 0.0
    level: Level | None = None
    parts: tuple[PartDeviation, ...] = ()
    normals: NormalDeviation | None = None

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding was measured."""
        return self.relative <= EXACT_RELATIVE


@dataclass(frozen=True)
class MeshReport:
    """One mesh that was measured.

    object, armatures: identities (`core.text.identity`), armatures in the order in which they deform it. joints: in all its palettes together.
    exact: whether our passes reproduce all that Blender does; `reasons` say why not.
    device, technique: what skinned it.
    known: whether a baseline accepts how far it deviates.
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
        """Whether all is within tolerance and nothing was found that is an error, but for what a baseline accepts."""
        return (
            self.error is None
            and all(mesh.passed or mesh.known for mesh in self.meshes)
            and all(finding.known or finding.severity is not Severity.ERROR for finding in self.findings)
        )
