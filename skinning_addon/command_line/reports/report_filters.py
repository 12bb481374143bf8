"""The filters of the page about many files: by state, engine, rule and severity. Of style alone, since scripts
often don't run where such pages are published (Jenkins, a mail).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ...core.verdicts.finding import Finding, Severity
from ...core.verdicts.rules import rule_of
from ...measurement.check.report import FileReport, MeshReport


@dataclass(frozen=True)
class Filters:
    """What can be chosen. Each choice has a class of its own, which all that it shows has too: names are not
    fit for a style sheet.

    states: labels by class. engines, rules: classes by id.
    """

    states: Mapping[str, str]
    engines: Mapping[str, str]
    rules: Mapping[str, str]

    @classmethod
    def of(cls, reports: Sequence[FileReport], states: Mapping[str, str]) -> Filters:
        """Return the filters of a page about these files."""
        engines = sorted({mesh.profile for one in reports for mesh in one.meshes})
        rules = sorted({finding.rule for one in reports for finding in one.findings})
        return cls(
            states,
            {one: f"e{number}" for number, one in enumerate(engines)},
            {one: f"r{number}" for number, one in enumerate(rules)},
        )

    def of_file(self, report: FileReport, state: str) -> str:
        """Return the classes of a file."""
        engines = [self.engines[mesh.profile] for mesh in report.meshes]
        rules = [self.rules[one.rule] for one in report.findings]
        severities = [_class_of(one.severity) for one in report.findings]
        return " ".join(dict.fromkeys(("file", f"is-{state}", *engines, *rules, *severities)))

    def of_mesh(self, mesh: MeshReport) -> str:
        """Return the classes of a mesh's row."""
        return f"mesh {self.engines[mesh.profile]}"

    def of_finding(self, finding: Finding) -> str:
        """Return the classes of a finding. One that is about no engine is shown with each."""
        engines = (
            [self.engines[finding.profile]] if finding.profile in self.engines else [*self.engines.values()]
        )
        return " ".join(("finding", self.rules[finding.rule], _class_of(finding.severity), *engines))

    def controls(self, reports: Sequence[FileReport], states: Sequence[str]) -> str:
        """Return the controls, each choice with how many files it shows. states: of the files."""
        engines = Counter(name for one in reports for name in {mesh.profile for mesh in one.meshes})
        rules = Counter(name for one in reports for name in {finding.rule for finding in one.findings})
        severities = Counter(
            name for one in reports for name in {finding.severity for finding in one.findings}
        )
        choices = (
            ("Files", [(f"is-{one}", label, states.count(one)) for one, label in self.states.items()]),
            ("Engine", [(self.engines[one], one, engines[one]) for one in self.engines]),
            ("Severity", [(_class_of(one), one.value, severities[one]) for one in Severity]),
            ("Rule", [(self.rules[one], str(rule_of(one).name), rules[one]) for one in self.rules]),
        )
        return "".join(_control(name, [one for one in of_it if one[2]]) for name, of_it in choices)

    def style(self) -> str:
        """Return the rules that hide what a choice doesn't show."""
        return "\n".join(self._hiding())

    def _hiding(self) -> Iterator[str]:
        for state in self.states:
            yield _hides(f"is-{state}", ("file",))
        for one in self.engines.values():
            yield _hides(one, ("file", "mesh", "finding"))
        for one in (*self.rules.values(), *map(_class_of, Severity)):
            yield _hides(one, ("file", "finding"))


def _class_of(severity: Severity) -> str:
    return f"s-{severity.value}"


def _control(name: str, choices: Sequence[tuple[str, str, int]]) -> str:
    if len(choices) < 2:
        return ""
    options = "".join(
        f'<option value="{value}">{escape(label)} ({count})</option>' for value, label, count in choices
    )
    return f"<label>{name} <select><option>all</option>{options}</select></label>"


def _hides(chosen: str, kinds: Iterable[str]) -> str:
    condition = f':root:has(option[value="{chosen}"]:checked)'
    return ", ".join(f"{condition} .{kind}:not(.{chosen})" for kind in kinds) + " { display: none; }"
