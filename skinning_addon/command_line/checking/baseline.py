"""A baseline: known problems of some files, so that a check fails only for new ones.

An entry is identified by file, rule, object and its library, and profile, not by vertices or figures: a rig
that is being worked on keeps its entries. One that deviates more than recorded counts as new again. A file that
was moved or renamed keeps its entries by its content. As JSON: `{"version": 1, "files": {file: content},
"findings": [{"file", "rule", "object", "library", "profile", "deviation"}]}`, sorted, files relative to the
baseline's folder, contents as SHA-256.
"""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ...core.text.documents import DocumentError, read_json
from ...core.text.errors import ConfigError
from ...core.text.identity import Identity
from ...core.text.quoted import brief, shown
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules_of_files import TOLERANCE
from ...measurement.check.report import FileReport, MeshReport
from ..program.output_files import write_file
from .result_cache import content_digest

VERSION = 1

WORSE = 1.05
"""How many times the recorded deviation counts as worse. Other drivers round differently, and 5 % isn't
visible.
"""

Key = tuple[str, str, str, str]
"""File, rule, object (its identity) and profile."""


@dataclass(frozen=True)
class Baseline:
    """What is known. folder: the baseline's, which its files are relative to.

    entries: by key the deviations, in metres, of its entries; infinite for those without one. contents: the
    digest of each file when it was recorded, as far as that is known.
    """

    entries: Mapping[Key, Sequence[float]] = field(default_factory=dict[Key, Sequence[float]])
    contents: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path = field(default_factory=Path)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that it has entries for."""
        return frozenset(key[0] for key in self.entries)

    @cached_property
    def gone(self) -> Sequence[str]:
        """The files that it knows the content of and that are no longer there."""
        return sorted(one for one in self.contents if not (self.folder / one).exists())

    def file_of(self, path: str) -> str:
        """Return what the baseline calls a file: its path relative to the baseline's folder. A file that it has
        no entries for, and whose content is that of one that is gone, has been moved.
        """
        own = _relative(path, self.folder)
        if own in self.files or not self.gone:
            return own
        content = content_digest(Path(path))
        return next((file for file in self.gone if self.contents[file] == content), own)


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
    entries: dict[Key, list[float]] = defaultdict(list)
    for index, one in enumerate(findings):
        entry = _entry(one)
        if isinstance(entry, str):
            raise _no_baseline(path, f"entry {index + 1} of findings: {entry}")
        key, deviation = entry
        entries[key].append(deviation)
    # Former versions wrote none.
    contents = document.get("files", {})
    if not isinstance(contents, dict) or not all(isinstance(one, str) for one in contents.values()):
        raise _no_baseline(path, f"files is {shown(contents)}; it must be an object of texts")
    return Baseline(dict(entries), contents, path.parent)


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


def with_known(report: FileReport, baseline: Baseline) -> FileReport:
    """Return a report in which findings that the baseline has are marked as known."""
    return _with_used(report, baseline)[0]


def _with_used(report: FileReport, baseline: Baseline) -> tuple[FileReport, list[tuple[Key, float]]]:
    """Return the same with the entries that were needed, under what the file is called now."""
    file, own = baseline.file_of(report.file), _relative(report.file, baseline.folder)
    left = {key: sorted(deviations) for key, deviations in baseline.entries.items() if key[0] == file}
    used: list[tuple[Key, float]] = []

    def known(rule: str, object_name: str, profile: str, deviation: float | None) -> bool:
        deviations = left.get((file, rule, object_name, profile), [])
        # The smallest entry that covers it, so that larger ones are left for findings that need them.
        for index, allowed in enumerate(deviations):
            # NaN counts as infinitely far off, and was recorded that way.
            if deviation is None or math.isinf(allowed) or deviation <= allowed * WORSE:
                del deviations[index]
                used.append(((own, rule, object_name, profile), allowed))
                return True
        return False

    marked = replace(
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
    return marked, used


def write_baseline(path: Path, reports: Sequence[FileReport]) -> Baseline:
    """Record the reports' failures and warnings as known, keeping entries of other files. Return the whole
    baseline.

    Raises:
        ConfigError: something else has that name. OutputError: it can't be written.
    """
    # Not `Path.exists`, which raises if the name is too long; writing also fails then, with a proper error
    # message.
    baseline = read_baseline(path) if os.path.exists(path) else Baseline(folder=path.parent)  # noqa: PTH110
    checked = [report for report in reports if report.error is None]
    found = [
        ((_relative(report.file, path.parent), rule, object_name, profile), deviation)
        for report in checked
        for rule, object_name, profile, deviation in _entries(report)
    ]
    return _written(path, baseline, checked, found)


def prune_baseline(path: Path, reports: Sequence[FileReport]) -> Baseline:
    """Forget entries that the reports no longer need, and those of files that are gone; add none. Return the
    whole baseline.

    Raises:
        ConfigError, OutputError: as `write_baseline`, or there is none.
    """
    baseline = read_baseline(path)
    checked = [report for report in reports if report.error is None]
    used = [one for report in checked for one in _with_used(report, baseline)[1]]
    used += [one for report in checked for one in _of_other_profiles(report, baseline)]
    followed = {baseline.file_of(report.file) for report in checked}
    gone = {one for one in baseline.files if not (path.parent / one).exists()} - followed
    entries = {key: one for key, one in baseline.entries.items() if key[0] not in gone}
    return _written(path, replace(baseline, entries=entries), checked, used)


def _of_other_profiles(report: FileReport, baseline: Baseline) -> Iterator[tuple[Key, float]]:
    """Yield a file's entries under profiles that it was not checked with: nothing is known about them."""
    was, profiles = baseline.file_of(report.file), {"", *(mesh.profile for mesh in report.meshes)}
    for (file, *rest, profile), deviations in baseline.entries.items():
        if file == was and profile not in profiles:
            rule, object_name = rest
            key = _relative(report.file, baseline.folder), rule, object_name, profile
            yield from ((key, one) for one in deviations)


def _written(
    path: Path, baseline: Baseline, checked: Sequence[FileReport], found: Sequence[tuple[Key, float]]
) -> Baseline:
    """Write a baseline with these entries instead of those that the checked files had."""
    again = {baseline.file_of(report.file) for report in checked}
    entries: dict[Key, list[float]] = defaultdict(list)
    for key, deviations in baseline.entries.items():
        if key[0] not in again:
            entries[key] = list(deviations)
    for key, deviation in found:
        entries[key].append(deviation)
    digests = {_relative(one.file, path.parent): content_digest(Path(one.file)) for one in checked}
    contents = {**baseline.contents, **{file: one for file, one in digests.items() if one is not None}}
    files = {key[0] for key in entries}
    contents = {file: one for file, one in sorted(contents.items()) if file in files}
    findings = [
        {
            "file": file,
            "rule": rule,
            "object": Identity.of(object_name).name,
            "library": Identity.of(object_name).library,
            "profile": profile,
            "deviation": deviation if math.isfinite(deviation) else None,
        }
        for (file, rule, object_name, profile), deviations in sorted(entries.items())
        for deviation in sorted(deviations)
    ]
    document = {"version": VERSION, "files": contents, "findings": findings}
    write_file(path, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    return Baseline(dict(entries), contents, path.parent)


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
