"""Every rule that the code can report is described, can be given a severity, and stands in the documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import skinning_addon
from skinning_addon.command_line.arguments.rules import RULES, TOLERANCE
from skinning_addon.core.profiles.aspects import aspects_of
from skinning_addon.core.profiles.catalogue import load_profile, profile_ids
from tests.installed_package import CHECKOUT

PACKAGE = Path(skinning_addon.__file__).parent

NEVER_IN_A_REPORT = {"stale", "other-blend", "partition", "spaces", "technique"}
"""Rules of errors that the viewport tells, or that are caught."""


def reported_rules() -> Iterator[str]:
    """Yield the rules in the sources: what is handed to Finding, Reason and errors, and what profiles are taken apart to."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            given = [one.value for one in node.keywords if one.arg == "rule"]
            if name in ("Finding", "Reason") and node.args:
                given.append(node.args[0])
            for one in given:
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    yield one.value
    for profile in profile_ids():
        yield from (aspect.rule for aspect in aspects_of(load_profile(profile)))


def test_every_rule_is_described():
    found = set(reported_rules()) - NEVER_IN_A_REPORT
    assert {"unweighted-vertices", "edit-mode", "bendy-bones", "other-axes"} <= found
    assert found <= set(RULES)


def test_every_rule_is_documented():
    page = (CHECKOUT / "docs" / "check-report.md").read_text(encoding="utf-8")
    table = "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    documented = set(re.findall(r"`([a-z-]+)`", table))
    assert set(RULES) - {TOLERANCE} == documented
