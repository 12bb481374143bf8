"""Results for other programs' formats: a file's findings, plus one for each mesh that is not within
tolerance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.profiles.profile import BLENDER_ID
from ...core.text.length import format_length
from ...core.text.message import Message
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules_of_files import TOLERANCE
from ...measurement.check.report import FILE_PROFILE, FileReport, MeshReport


def results_of(report: FileReport) -> Iterator[Finding]:
    """Yield a file's findings, meshes that are not within tolerance first."""
    for mesh in report.meshes:
        if not mesh.passed:
            yield finding_of_mesh(mesh)
    yield from report.findings


def finding_of_mesh(mesh: MeshReport) -> Finding:
    """Return a mesh's deviation as a finding."""
    worst = mesh.worst
    under = "" if mesh.profile in {BLENDER_ID, FILE_PROFILE} else f" under the profile {mesh.profile}"
    reference = (
        f"the prediction of the profile {mesh.profile}"
        if mesh.device == "engine"
        else f"Blender's result{under}"
    )
    bone = f" at the bone '{worst.bone}'" if worst.bone else ""
    return Finding(
        rule=TOLERANCE,
        severity=Severity.ERROR,
        object=mesh.object,
        message=Message(
            f"'{mesh.object}' deviates by up to {format_length(worst.max)} from {reference},{bone} at "
            f"vertex {worst.worst_vertex}, frame {worst.frame:g} of '{worst.clip}'; the tolerance is "
            f"{mesh.tolerance}{' of size and movement' * mesh.tolerance.relative}."
        ),
        vertices=(worst.worst_vertex,) if worst.worst_vertex >= 0 else (),
        count=1,
        deviation=worst.max,
        clip=worst.clip,
        frame=worst.frame,
        profile=mesh.profile,
        known=mesh.known,
        suppressed=mesh.suppressed,
    )


def in_a_sentence(finding: Finding) -> str:
    """Return the problem and its remedy as text."""
    return f"{finding.message} {finding.fix}" if finding.fix else finding.message


def standings(meshes: Iterable[MeshReport]) -> dict[str, str]:
    """Return what may be said of each profile's prediction by its id, such as "verified" or "assumed".

    Blender's own, and what a file itself holds, are no predictions.
    """
    return {
        one.profile: str(one.verified.standing)
        for one in meshes
        if one.profile not in {BLENDER_ID, FILE_PROFILE}
    }
