"""The single table of rules is complete: it has everything that the code reports, and everything in it can be
reported, shown and fixed.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import skinning_addon
from skinning_addon.core.profiles.aspects import aspects_of
from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from skinning_addon.core.profiles.exporter_settings import checked
from skinning_addon.core.verdicts.finding import REMAINDER
from skinning_addon.core.verdicts.rule import Rule
from skinning_addon.core.verdicts.rules import RULES
from skinning_addon.core.verdicts.rules_of_engines import CAUSES
from skinning_addon.core.verdicts.rules_of_files import TOLERANCE

PACKAGE = Path(skinning_addon.__file__).parent

NEVER_IN_A_REPORT = {"stale", "other-blend", "partition", "spaces", "technique"}
"""Rules of errors that the viewport reports, or that are caught."""

TOLD_OF_A_CAUSE = {"mesh", "profile", "where", "limit", "bits", "entries"}
"""What a cause's sentence may name (`measurement.profile_findings`)."""


def trees() -> Iterator[ast.Module]:
    """The modules of the package, but for the table itself and translations."""
    for path in PACKAGE.rglob("*.py"):
        if not path.name.startswith("rules_of_") and "translations" not in path.parts:
            yield ast.parse(path.read_text(encoding="utf-8"))


def reported_rules() -> Iterator[str]:
    """Yield the rules in the sources: what RULES is asked for, what is handed to errors and reasons, and the
    causes of profiles.
    """
    for node in (node for tree in trees() for node in ast.walk(tree)):
        given: list[ast.expr] = []
        if isinstance(node, ast.Call):
            given += [one.value for one in node.keywords if one.arg == "rule"]
            if isinstance(node.func, ast.Name) and node.func.id in ("Finding", "Reason", "Aspect"):
                given += node.args[:1]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "RULES":
            given.append(node.slice)
        yield from (
            one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)
        )
    for profile in profile_ids():
        yield from (aspect.rule for aspect in aspects_of(load_profile(profile)))


def test_every_rule_that_is_reported_is_in_the_table():
    found = set(reported_rules()) - NEVER_IN_A_REPORT
    assert {"unweighted-vertices", "edit-mode", "bendy-bones", "index-width", "modifier-between"} <= found
    assert found <= set(RULES)


def test_every_rule_in_the_table_is_reported():
    words = {
        node.value
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        if node.value
    }
    assert set(RULES) - {TOLERANCE} <= words


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_says_all_that_is_shown_of_it(rule: Rule):
    assert rule.name
    assert rule.description
    assert not rule.description.endswith(".")
    assert not rule.details.endswith(".")
    for sentence in (rule.sentence, rule.fix):
        # What an importer printed has a stop of its own, or none.
        assert not sentence or sentence.endswith((".", "{line}"))


def test_a_single_thing_is_told_in_the_singular():
    words = {"mesh": "Body", "group": "hat", "profile": "Engine", "limit": 4}
    for rule in (one for one in RULES.values() if one.singular):
        assert "1" not in rule.told(count=1, **words)
        assert "Body" in rule.told(count=1, **words)
        assert "1,000" in rule.told(count=1000, **words) or "1000" in rule.told(count=1000, **words)
    groups = RULES["groups-without-bone"]
    assert groups.told(count=1, **words).startswith("The vertex group 'hat' of 'Body' doesn't match")


@pytest.mark.parametrize("rule", [*CAUSES, RULES[REMAINDER]], ids=lambda rule: rule.id)
def test_a_cause_has_a_sentence_of_what_is_known(rule: Rule):
    named = {name for _, name, _, _ in string.Formatter().parse(rule.sentence.template) if name}
    assert {"mesh", "profile", "where"} <= named <= TOLD_OF_A_CAUSE
    assert rule.severity is None
    assert bool(rule.cause) == (rule.id != REMAINDER)


def test_whatever_a_profile_does_is_a_cause():
    aspects = {aspect.rule for one in profile_ids() for aspect in aspects_of(load_profile(one))}
    assert aspects <= {rule.id for rule in CAUSES}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_settings_that_avoid_a_finding_exist(rule: Rule):
    assert checked(rule.exported_with) == rule.exported_with
