"""A report's one-sentence verdict on a file, and its sentences about how a mesh deviates over time and
over the surface.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.profiles.profile import BLENDER_ID
from ...core.text.body_part import body_part
from ...core.text.length import format_length
from ...core.verdicts.cause_sentence import with_cause
from ...core.verdicts.verdict import Level
from ...measurement.check.report import FILE_PROFILE, FileReport, MeshReport
from ...measurement.frame.deciding_mesh import deciding_mesh
from ...measurement.frame.worst_frame import NormalDeviation, WorstFrame

PARTS_SHOWN = 5

NORMALS_AGREE = 0.1
"""Degrees; less isn't visible, and a character of many rigid meshes would get a line about each."""

TWO_DIGITS = 99.5
"""Degrees; from here on two digits would need an exponent."""

VERDICTS = {
    Level.SAME: "invisible",
    Level.GOOD: "good",
    Level.LOOK: "worth a look",
    Level.FAIL: "far off",
}


def verdict(report: FileReport) -> str:
    """Say in one sentence how a file did: engine, distance, body part, frame, the largest cause, and what to do
    about it.
    """
    if report.error is not None:
        return f"not checked. {report.error}"
    beyond = [mesh for mesh in report.meshes if not mesh.accepted]
    worst = deciding_mesh(beyond or report.meshes)
    if worst is None:
        return "failed: nothing could be measured."
    profile = "" if worst.profile in {BLENDER_ID, FILE_PROFILE} else f" under the profile {worst.profile}"
    told = f"The worst deviation from Blender{profile} is {format_length(worst.worst.max)}, {_place(worst)}"
    sentence = f"{with_cause(told, report.findings, worst.object, worst.profile)}."
    if beyond:
        # A mesh is measured once for each profile.
        objects = {mesh.object for mesh in beyond}
        all_objects = {mesh.object for mesh in report.meshes}
        meshes = "1 mesh is" if len(objects) == 1 else f"{len(objects)} of {len(all_objects)} meshes are"
        return f"failed: {meshes} not within tolerance. {sentence}"
    if not report.passed:
        return f"failed: see below. {sentence}"
    if any(not mesh.passed for mesh in report.meshes):
        return f"nothing new. {sentence}"
    if all(mesh.worst.exact for mesh in report.meshes):
        return f"exact. {sentence}"
    level = report.level
    but = "" if level is None or level <= Level.GOOD else f", but {VERDICTS[level]}"
    return f"within tolerance{but}. {sentence}"


def behaviour(mesh: MeshReport) -> Iterator[str]:
    """For a mesh that deviates visibly under an engine's profile, yield what to know besides the distance."""
    worst = mesh.worst
    if worst.normals is not None and not _normals_agree(worst.normals):
        yield (
            f"'{mesh.object}': 99% of the normals are within {_degrees(worst.normals.p99)} "
            f"of Blender's ({_degrees(worst.normals.mean)} on average) in frame "
            f"{worst.normals.frame:g}; how the shader transforms them accounts for up to "
            f"{_degrees(worst.normals.by_rule)}."
        )
    if mesh.profile == BLENDER_ID or worst.level is None or worst.level is Level.SAME:
        return
    off = "Nothing is off"
    if worst.run:
        off = (
            f"{worst.surface:.1%} of the surface is off in that frame, and some of it "
            f"for {worst.run} frame{'s' * (worst.run != 1)} in a row"
        )
    yield (
        f"'{mesh.object}': {VERDICTS[worst.level]}. {off}; the worst vertex deviates by "
        f"{format_length(worst.along_normal)} along the normal and {format_length(worst.tangential)} "
        f"across it; from one frame to the next, a vertex's deviation changes by up to "
        f"{format_length(worst.pop)}."
    )
    if worst.parts:
        # Several bones make up one body part; the worst of them comes first.
        parts: dict[str, float] = {}
        for one in worst.parts:
            parts.setdefault(in_words(one.bone), one.max)
        shown = [f"{part} {format_length(most)}" for part, most in list(parts.items())[:PARTS_SHOWN]]
        yield f"Largest deviations: {', '.join(shown)}."


def in_words(bone: str) -> str:
    """Name a body part by its bone."""
    return body_part(bone) or f"'{bone}'"


def when(worst: WorstFrame) -> str:
    """Say in which frame it was."""
    clip = "" if worst.clip.startswith("(") else f" of '{worst.clip}'"
    return f"frame {worst.frame:g}{clip}"


def _place(mesh: MeshReport) -> str:
    bone = mesh.worst.bone
    if bone and mesh.profile != BLENDER_ID:
        part = body_part(bone)
        where = f" ({part}, bone '{bone}')" if part else f" (bone '{bone}')"
    else:
        where = ""
    return f"at vertex {mesh.worst.worst_vertex} of '{mesh.object}'{where}, {when(mesh.worst)}"


def _normals_agree(normals: NormalDeviation) -> bool:
    """Whether normals agree with Blender's; False if one is NaN."""
    return normals.p99 < NORMALS_AGREE and normals.by_rule < NORMALS_AGREE


def _degrees(angle: float) -> str:
    """Write an angle with two digits, or as whole degrees."""
    return f"{angle:.0f}\N{DEGREE SIGN}" if angle >= TWO_DIGITS else f"{angle:.2g}\N{DEGREE SIGN}"
