"""Reports as JSON, version 1 (docs/check-report.md), and back: also how one process hands them to another."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ...core.profiles.verification import Verification, evidence_entry, read_verification
from ...core.text.identity import Identity
from ...core.verdicts.finding import Finding, Severity, Suppressed
from ...core.verdicts.suppression import Suppression, read_day
from ...core.verdicts.tolerance import Tolerance
from ...core.verdicts.verdict import Level
from ...measurement.check.report import FileReport, MeshReport
from ...measurement.frame.body_parts import PartDeviation
from ...measurement.frame.worst_frame import NormalDeviation, WorstFrame
from .printable_report import json_text
from .run import Run

VERSION = 1
"""Keys may be added; renaming or removing one needs a new version."""

VERTICES_AT_MOST = 100
"""Vertices listed per finding; `count` says how many there are."""

PARTS_AT_MOST = 20
"""Parts listed per mesh, the worst first."""

_DEGREES = ("max", "p99", "mean", "by_rule")
"""Keys of the normals' deviation."""


def write_json(reports: Sequence[FileReport], skinscope: str, blender: str, run: Run | None = None) -> str:
    """Write reports as one JSON document. Non-finite numbers, which JSON can't express, become null."""
    document = {
        "version": VERSION,
        "skinscope": skinscope,
        "blender": blender,
        **({"run": run.entry()} if run is not None else {}),
        "files": [file_entry(report) for report in reports],
        "passed": all(report.passed for report in reports),
    }
    return written(document)


def written(document: Mapping[str, object]) -> str:
    """Write a document; non-finite numbers at any depth become null."""
    return json_text(finite(document))


def finite(value: object) -> object:
    """Return a document's data with None for every non-finite number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: finite(one) for name, one in value.items()}
    return [finite(one) for one in value] if isinstance(value, list | tuple) else value


def read_json(text: str) -> tuple[list[FileReport], str, str, Run | None]:
    """Read what `write_json` wrote: the reports, the versions of Skinscope and Blender, and the run.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it is something else.
    """
    document = json.loads(text)
    if document["version"] != VERSION:
        raise ValueError("version")
    run = Run.read(document["run"]) if "run" in document else None
    reports = [read_file_entry(file) for file in document["files"]]
    return reports, document["skinscope"], document["blender"], run


def file_entry(report: FileReport) -> dict[str, object]:
    """Return one file's part of the document; non-finite numbers are None already."""
    entry = {
        "file": report.file,
        "error": report.error,
        "passed": report.passed,
        "verdict": _verdict(report.level),
        "meshes": [_mesh(mesh) for mesh in report.meshes],
        "findings": [_finding(finding) for finding in report.findings],
        "suppressions": [_suppression(one) for one in report.suppressions],
        "picture": report.picture or None,
        "fixed": list(report.fixed),
    }
    return {name: finite(value) for name, value in entry.items()}


def _mesh(mesh: MeshReport) -> dict[str, object]:
    worst = mesh.worst
    armatures = [Identity.of(one) for one in mesh.armatures]
    return {
        **_named(mesh.object),
        "armature": armatures[0].name if armatures else None,
        "armatures": [one.name for one in armatures],
        "armature_libraries": [one.library for one in armatures],
        "vertices": mesh.vertices,
        "joints": mesh.joints,
        "exact": mesh.exact,
        "reasons": list(mesh.reasons),
        "device": mesh.device,
        "technique": mesh.technique,
        "profile": mesh.profile,
        "exporter_settings": dict(mesh.exporter_settings),
        "verified": _verified(mesh.verified),
        "deviation": worst_entry(worst)
        | {
            "tolerance": mesh.tolerance.value,
            "tolerance_unit": "relative" if mesh.tolerance.relative else "m",
            "passed": mesh.passed,
            "known": mesh.known,
            "suppressed": suppressed_entry(mesh.suppressed),
        },
    }


def _verified(verified: Verification) -> dict[str, object]:
    stages = {name: evidence_entry(one) for name, one in verified.stages.items()}
    return {**stages, "beyond": list(verified.beyond)}


def _read_verified(entry: Mapping[str, object]) -> Verification:
    verified = read_verification({name: one for name, one in entry.items() if one is not None})
    if verified is None:
        raise ValueError("verified")
    return verified


def _verdict(level: Level | None) -> str | None:
    return None if level is None else level.name.lower()


def worst_entry(worst: WorstFrame) -> dict[str, object]:
    """Return a document's entry for a worst frame."""
    return {
        "max": worst.max,
        "rms": worst.rms,
        "p99": worst.p99,
        "relative": worst.relative,
        "unit": "m",
        "worst_vertex": worst.worst_vertex,
        "clip": worst.clip,
        "frame": worst.frame,
        "frames": worst.frames,
        "bone": worst.bone,
        "surface": worst.surface,
        "along_normal": worst.along_normal,
        "tangential": worst.tangential,
        "run": worst.run,
        "pop": worst.pop,
        "verdict": _verdict(worst.level),
        "normals": None if worst.normals is None else asdict(worst.normals),
        "parts": [
            {"bone": one.bone, "max": one.max, "share": one.share} for one in worst.parts[:PARTS_AT_MOST]
        ],
    }


def _named(which: str) -> dict[str, object]:
    identity = Identity.of(which)
    return {"object": identity.name, "library": identity.library}


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        **_named(finding.object),
        "count": finding.count,
        "deviation": finding.deviation,
        "at_worst": finding.at_worst,
        "message": finding.message,
        "fix": finding.fix,
        "vertices": list(finding.vertices[:VERTICES_AT_MOST]),
        "clip": finding.clip,
        "frame": finding.frame,
        "profile": finding.profile or None,
        "known": finding.known,
        "suppressed": suppressed_entry(finding.suppressed),
    }


def suppressed_entry(one: Suppressed | None) -> dict[str, object] | None:
    return None if one is None else {"reason": one.reason, "until": one.until or None}


def _read_suppressed(entry: Mapping[str, Any] | None) -> Suppressed | None:
    return None if entry is None else Suppressed(entry["reason"], entry["until"] or "")


def _suppression(one: Suppression) -> dict[str, object]:
    until = None if one.until is None else one.until.isoformat()
    return {"rule": one.rule, **_named(one.object), "reason": one.reason, "until": until}


def _read_suppression(entry: Mapping[str, Any]) -> Suppression:
    until = None if entry["until"] is None else read_day(entry["until"])
    return Suppression(entry["rule"], entry["reason"], until, Identity(entry["object"], entry["library"]))


def read_file_entry(file: Mapping[str, Any]) -> FileReport:
    """Read one file's part of a document.

    Raises:
        ValueError, KeyError: it is something else.
    """
    return FileReport(
        file=file["file"],
        meshes=tuple(_read_mesh(mesh) for mesh in file["meshes"]),
        findings=tuple(_read_finding(finding) for finding in file["findings"]),
        error=file["error"],
        suppressions=tuple(_read_suppression(one) for one in file.get("suppressions", ())),
        picture=file.get("picture") or "",
        fixed=tuple(file.get("fixed", ())),
    )


def _read_mesh(mesh: Mapping[str, Any]) -> MeshReport:
    deviation = mesh["deviation"]
    return MeshReport(
        object=Identity(mesh["object"], mesh["library"]),
        armatures=tuple(map(Identity, mesh["armatures"], mesh["armature_libraries"])),
        vertices=mesh["vertices"],
        joints=mesh["joints"],
        exact=mesh["exact"],
        reasons=tuple(mesh["reasons"]),
        device=mesh["device"],
        technique=mesh["technique"],
        profile=mesh["profile"],
        worst=WorstFrame(
            max=_number(deviation["max"]),
            rms=_number(deviation["rms"]),
            p99=_number(deviation["p99"]),
            relative=_number(deviation["relative"]),
            worst_vertex=deviation["worst_vertex"],
            clip=deviation["clip"],
            frame=deviation["frame"],
            frames=deviation["frames"],
            bone=deviation["bone"],
            surface=_number(deviation["surface"]),
            along_normal=_number(deviation["along_normal"]),
            tangential=_number(deviation["tangential"]),
            run=deviation["run"],
            pop=_number(deviation["pop"]),
            level=Level[verdict.upper()] if (verdict := deviation["verdict"]) else None,
            normals=_read_normals(normals) if (normals := deviation["normals"]) else None,
            parts=tuple(
                PartDeviation(one["bone"], _number(one["max"]), one["share"]) for one in deviation["parts"]
            ),
        ),
        tolerance=Tolerance(deviation["tolerance"], relative=deviation["tolerance_unit"] == "relative"),
        known=deviation["known"],
        # Reports of former versions lack it.
        suppressed=_read_suppressed(deviation.get("suppressed")),
        exporter_settings=tuple(mesh["exporter_settings"].items()),
        verified=_read_verified(mesh["verified"]),
    )


def _read_normals(normals: Mapping[str, Any]) -> NormalDeviation:
    return NormalDeviation(**{**normals, **{name: _number(normals[name]) for name in _DEGREES}})


def _read_finding(finding: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=finding["rule"],
        severity=Severity(finding["severity"]),
        object=Identity(finding["object"], finding["library"]),
        message=finding["message"],
        fix=finding["fix"],
        vertices=tuple(finding["vertices"]),
        count=finding["count"],
        deviation=finding["deviation"],
        at_worst=finding["at_worst"],
        clip=finding["clip"],
        frame=finding["frame"],
        profile=finding["profile"] or "",
        known=finding["known"],
        suppressed=_read_suppressed(finding.get("suppressed")),
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value
