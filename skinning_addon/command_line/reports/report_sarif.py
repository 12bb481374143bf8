"""Reports as SARIF 2.1.0 (OASIS), which GitHub, GitLab, Azure DevOps and editors show beside the files.

One result per finding, and one for each mesh that is not within tolerance. Files that can't be read are
notifications of the
invocation. Findings that a baseline accepts are included: unchanged, and suppressed.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from ...core.text.identity import Identity
from ...core.text.printable import printable
from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rule_page import page_uri, rule_page
from ...core.verdicts.rules import rule_of
from ...measurement.check.report import FileReport
from .printable_report import json_text
from .report_results import in_a_sentence, results_of, standings

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

MOST_VERTICES = 100

Entry = dict[str, object]


def write_sarif(reports: Sequence[FileReport], skinscope: str, blender: str, rule_pages: str = "") -> str:
    """Write reports as one SARIF log with one run. rule_pages: see `page_uri`."""
    results = [(report.file, one) for report in reports for one in results_of(report)]
    rules = sorted({one.rule for _, one in results})
    unread = [report for report in reports if report.error is not None]
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Skinscope",
                        "version": skinscope or "0",
                        "rules": [_rule(rule, rule_pages) for rule in rules],
                        "properties": {
                            "blender": blender,
                            "profiles": standings(mesh for report in reports for mesh in report.meshes),
                        },
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not unread,
                        "toolExecutionNotifications": [_notification(report) for report in unread],
                    }
                ],
                "artifacts": [{"location": {"uri": uri_of(report.file)}} for report in reports],
                "results": list(_results(results, rules)),
            }
        ],
    }
    return json_text(document)


def uri_of(file: str) -> str:
    """Return a file's URI as viewers look for it: relative to the current folder, in CI the repository's
    root, or absolute.
    """
    path = Path(file).absolute()
    try:
        return quote(path.relative_to(Path.cwd()).as_posix())
    except ValueError:
        return path.as_uri()


def _rule(identifier: str, rule_pages: str) -> Entry:
    rule = rule_of(identifier)
    fix = f" {rule.fix}" if rule.fix else ""
    about: Entry = {
        "id": identifier,
        "name": str(rule.name),
        "shortDescription": {"text": f"{rule.description}."},
        # Viewers show either; the page has all of it.
        "help": {"text": f"{rule.description}.{fix}", "markdown": rule_page(rule)},
    }
    uri = page_uri(identifier, rule_pages)
    return about if uri is None else about | {"helpUri": uri}


def _notification(report: FileReport) -> Entry:
    return {
        "level": "error",
        "message": {"text": printable(report.error or "")},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri_of(report.file)}}}],
    }


def _results(found: Sequence[tuple[str, Finding]], rules: Sequence[str]) -> Iterator[Entry]:
    seen: Counter[str] = Counter()
    for file, one in found:
        identity = f"{uri_of(file)}\n{one.rule}\n{one.object}\n{one.profile}"
        # A mesh can have several of one kind, such as the scale of its own object and of its armature's.
        again = f"\n{seen[identity]}" if seen[identity] else ""
        seen[identity] += 1
        yield _result(file, one, rules.index(one.rule), _digest(identity + again))


def _result(file: str, finding: Finding, rule_index: int, fingerprint: str) -> Entry:
    uri = uri_of(file)
    # Viewers require a line number, and these files have none.
    physical = {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}
    location: Entry = {"physicalLocation": physical}
    if finding.object:
        location["logicalLocations"] = [_logical(Identity.of(finding.object))]
    result: Entry = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": {"text": printable(in_a_sentence(finding))},
        "locations": [location],
        "partialFingerprints": {"skinscope/v1": fingerprint},
        "properties": _figures(finding),
    }
    if finding.known:
        accepted = {"kind": "external", "justification": "Known in the baseline."}
        result |= {"baselineState": "unchanged", "suppressions": [accepted]}
    if finding.suppressed is not None:
        result["suppressions"] = [
            {"kind": "external", "justification": printable(finding.suppressed.sentence)}
        ]
    return result


def _logical(which: Identity) -> Entry:
    logical: Entry = {"name": which.name, "kind": "object"}
    # The text includes the library.
    return logical | {"fullyQualifiedName": str(which)} if which.library is not None else logical


def _figures(finding: Finding) -> Entry:
    figures: Entry = {
        "profile": finding.profile,
        "deviationInMetres": finding.deviation,
        "clip": finding.clip,
        "frame": finding.frame,
        "vertexCount": finding.count,
        "vertices": list(finding.vertices[:MOST_VERTICES]),
    }
    return {
        name: value
        for name, value in figures.items()
        if value not in ("", None, []) and not (isinstance(value, float) and not math.isfinite(value))
    }


def _digest(text: str) -> str:
    # A name need not be Unicode.
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()
