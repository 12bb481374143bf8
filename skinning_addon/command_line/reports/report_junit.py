"""Reports as JUnit's XML, as Jenkins, GitLab and others read it: a suite per file, a case for each mesh under
each profile.

A case fails if its mesh is not within tolerance or has a finding that is an error; cases that a baseline
accepts are skipped.
Findings that concern no measured mesh are cases of their own. Other findings are in a case's output.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.verdicts.finding import Finding, Severity
from ...measurement.check.report import FileReport
from .printable_report import printable_report, xml_text
from .report_results import in_a_sentence, results_of, standings

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 can't express; names in Blender may contain them."""


@dataclass(frozen=True)
class _Case:
    """findings: those that are errors first."""

    name: str
    findings: tuple[Finding, ...]

    @property
    def failures(self) -> list[Finding]:
        return [one for one in self.findings if one.severity is Severity.ERROR and not one.accepted]

    @property
    def accepted(self) -> list[Finding]:
        return [one for one in self.findings if one.severity is Severity.ERROR and one.accepted]


def write_junit(reports: Sequence[FileReport], skinscope: str, blender: str) -> str:
    """Write reports as one XML document, in the form of Jenkins' junit-10.xsd."""
    root = ET.Element("testsuites", name="skinscope check")
    for report in map(printable_report, reports):
        root.append(_suite(report, skinscope, blender))
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    ET.indent(root)
    return xml_text(f"{ET.tostring(root, encoding='unicode', xml_declaration=True)}\n")


def _suite(report: FileReport, skinscope: str, blender: str) -> ET.Element:
    suite = ET.Element("testsuite", name=_clean(report.file))
    properties = ET.SubElement(suite, "properties")
    told = {f"profile {name}": standing for name, standing in standings(report.meshes).items()}
    for name, value in {"skinscope": skinscope, "blender": blender, **told}.items():
        ET.SubElement(properties, "property", name=name, value=value)
    cases = list(_cases(report))
    for case in cases:
        suite.append(_element(case, report.file))
    if report.error is not None:
        unread = ET.SubElement(suite, "testcase", name="opens", classname=_clean(report.file))
        ET.SubElement(unread, "error", type="unreadable", message=_clean(report.error))
    errors = int(report.error is not None)
    skipped = sum(bool(case.accepted) and not case.failures for case in cases)
    for name, count in (
        ("tests", len(cases) + errors),
        ("failures", sum(bool(case.failures) for case in cases)),
        ("errors", errors),
        ("skipped", skipped),
    ):
        suite.set(name, str(count))
    return suite


def _cases(report: FileReport) -> Iterator[_Case]:
    left = list(results_of(report))
    for mesh in report.meshes:
        # Findings true under every profile are reported once, with the first.
        own = [one for one in left if one.object == mesh.object and one.profile in ("", mesh.profile)]
        left = [one for one in left if one not in own]
        yield _Case(f"{mesh.object} [{mesh.profile}]", tuple(own))
    for one in left:
        yield _Case(f"{one.object} [{one.rule}]" if one.object else one.rule, (one,))


def _element(case: _Case, file: str) -> ET.Element:
    element = ET.Element("testcase", name=_clean(case.name), classname=_clean(file))
    for one in case.failures:
        failure = ET.SubElement(element, "failure", type=one.rule, message=_clean(one.message))
        failure.text = _clean(in_a_sentence(one))
    if case.accepted and not case.failures:
        rules: dict[str, dict[str, None]] = {}
        for one in case.accepted:
            rules.setdefault(str(one.suppressed or "known in the baseline"), {})[one.rule] = None
        kind = "suppressed" if any(one.suppressed for one in case.accepted) else "baseline"
        message = "; ".join(f"{why}: {', '.join(those)}" for why, those in rules.items())
        ET.SubElement(element, "skipped", type=kind, message=_clean(message))
    others = [one for one in case.findings if one not in case.failures]
    if others:
        lines = [f"{one.severity.value}: {in_a_sentence(one)} [{one.rule}]" for one in others]
        ET.SubElement(element, "system-out").text = _clean("\n".join(lines))
    return element


def _clean(text: str) -> str:
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
