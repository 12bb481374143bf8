"""A baseline: known problems of some files, so that a check fails only for new ones.

An entry is identified by file, rule, object and its library, and profile, not by vertices or figures: a rig
that is being worked on keeps its entries. One that deviates more than recorded counts as new again. As JSON:
`{"version": 1, "findings": [{"file", "rule",
"object", "library", "profile", "deviation"}]}`, sorted, files relative to the baseline's folder.
"""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...core.text.documents import DocumentError, read_json
from ...core.text.errors import ConfigError
from ...core.text.identity import Identity
from ...core.text.quoted import brief, shown
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules_of_files import TOLERANCE
from ...measurement.check.report import FileReport, MeshReport
from ..program.output_files import write_file

VERSION = 1

WORSE = 1.05
"""How many times the recorded deviation counts as worse. Other drivers round differently, and 5 % isn't
visible.
"""

Key = tuple[str, str, str, str]
"""File, rule, object (its identity) and profile."""

Baseline = dict[Key, list[float]]
"""The deviations, in metres, of each key's entries; infinite for those without one."""


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        ConfigError: it can't be read, or is something else.
    """
    try:
        document = read_json(path)
    except DocumentError as error:
        if error.unopened:
            raise ConfigError(
                f"The baseline '{brief(str(path))}' can't be read ({error}); check the name, or write it "
                f"with --write-baseline."
            ) from error
        raise _no_baseline(path, str(error)) from error
    if not isinstance(document, dict):
        raise _no_baseline(path, "it is not a JSON object")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ConfigError(
            f"The baseline '{path}' has the version {shown(version)}; this program reads {VERSION}. "
            f"Write it again with --write-baseline."
        )
    findings = document.get("findings")
    if not isinstance(findings, list):
        raise _no_baseline(path, f"findings is {shown(findings)}; it must be a list")
    baseline: Baseline = defaultdict(list)
    for index, one in enumerate(findings):
        entry = _entry(one)
        if isinstance(entry, str):
            raise _no_baseline(path, f"entry {index + 1} of findings: {entry}")
        key, deviation = entry
        baseline[key].append(deviation)
    return dict(baseline)


def _no_baseline(path: Path, reason: str) -> ConfigError:
    return ConfigError(f"'{path}' is not a baseline ({reason}); write one with --write-baseline.")


def _entry(one: object) -> tuple[Key, float] | str:
    """Read an entry; say what is wrong if it isn't valid."""
    if not isinstance(one, dict):
        return f"{shown(one)} is not a JSON object"
    texts: list[str] = []
    for name in ("file", "rule", "object", "profile"):
        text = one.get(name)
        if not isinstance(text, str):
            return f"{name} is {shown(text)}; it must be text"
        texts.append(text)
    library = one.get("library")
    if not isinstance(library, str | None):
        return f"library is {shown(library)}; it must be text"
    deviation = one.get("deviation", "")
    file, rule, object_name, profile = texts
    key = file, rule, Identity(object_name, library), profile
    if deviation is None:
        return key, math.inf
    if (
        isinstance(deviation, bool)
        or not isinstance(deviation, (int, float))
        or not 0 <= deviation < math.inf
    ):
        return f"deviation is {shown(deviation)}; it must be a number of meters, or null"
    return key, float(deviation)


def with_known(report: FileReport, baseline: Baseline, folder: Path) -> FileReport:
    """Return a report in which findings that the baseline has are marked as known. folder: the baseline's."""
    file = _relative(report.file, folder)
    left = {key: sorted(deviations) for key, deviations in baseline.items() if key[0] == file}

    def known(rule: str, object_name: str, profile: str, deviation: float | None) -> bool:
        deviations = left.get((file, rule, object_name, profile), [])
        # The smallest entry that covers it, so that larger ones are left for findings that need them.
        for index, allowed in enumerate(deviations):
            # NaN counts as infinitely far off, and was recorded that way.
            if deviation is None or math.isinf(allowed) or deviation <= allowed * WORSE:
                del deviations[index]
                return True
        return False

    return replace(
        report,
        meshes=tuple(
            replace(
                mesh,
                known=not mesh.accepted and known(TOLERANCE, mesh.object, mesh.profile, mesh.worst.max),
            )
            for mesh in report.meshes
        ),
        findings=tuple(
            replace(
                one,
                known=one.suppressed is None and known(one.rule, one.object, one.profile, one.deviation),
            )
            for one in report.findings
        ),
    )


def write_baseline(path: Path, reports: Sequence[FileReport]) -> Baseline:
    """Record the reports' failures and warnings as known, keeping entries of other files. Return the whole
    baseline.

    Raises:
        ConfigError: something else has that name. OutputError: it can't be written.
    """
    # Not `Path.exists`, which raises if the name is too long; writing also fails then, with a proper error
    # message.
    baseline = read_baseline(path) if os.path.exists(path) else {}  # noqa: PTH110
    again = {_relative(report.file, path.parent) for report in reports if report.error is None}
    merged: Baseline = defaultdict(list)
    merged |= {key: deviations for key, deviations in baseline.items() if key[0] not in again}
    for report in reports:
        for rule, object_name, profile, deviation in _entries(report):
            merged[_relative(report.file, path.parent), rule, object_name, profile].append(deviation)
    findings = [
        {
            "file": file,
            "rule": rule,
            "object": Identity.of(object_name).name,
            "library": Identity.of(object_name).library,
            "profile": profile,
            "deviation": deviation if math.isfinite(deviation) else None,
        }
        for (file, rule, object_name, profile), deviations in sorted(merged.items())
        for deviation in sorted(deviations)
    ]
    document = {"version": VERSION, "findings": findings}
    write_file(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    return dict(merged)


def _entries(report: FileReport) -> Iterator[tuple[str, str, str, float]]:
    for mesh in report.meshes:
        if not mesh.passed and mesh.suppressed is None:
            yield TOLERANCE, mesh.object, mesh.profile, _or_infinite(mesh)
    for one in report.findings:
        if one.severity is not Severity.INFO and one.suppressed is None:
            yield one.rule, one.object, one.profile, _or_infinite(one)


def _or_infinite(one: MeshReport | Finding) -> float:
    deviation = one.worst.max if isinstance(one, MeshReport) else one.deviation
    return math.inf if deviation is None or not math.isfinite(deviation) else deviation


def _relative(file: str, folder: Path) -> str:
    """Return a file's path relative to a folder: the same on every machine with the same layout."""
    path = Path(file).absolute()
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        # Another Windows drive.
        return path.as_posix()
