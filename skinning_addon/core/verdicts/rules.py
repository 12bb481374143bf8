"""The table of all rules, by identifier: every text about findings comes from it."""

from __future__ import annotations

from collections.abc import Mapping

from .finding import Severity
from .rule import Rule
from .rules_of_drawing import RULES_OF_DRAWING
from .rules_of_engines import RULES_OF_ENGINES
from .rules_of_exporter_faults import RULES_OF_EXPORTER_FAULTS
from .rules_of_exports import RULES_OF_EXPORTS
from .rules_of_files import RULES_OF_DIFFS, RULES_OF_FILES
from .rules_of_imports import RULES_OF_IMPORTS
from .rules_of_losses import RULES_OF_LOSSES
from .rules_of_rigs import RULES_OF_BINDINGS, RULES_OF_WEIGHTS

RULES: Mapping[str, Rule] = {
    one.id: one
    for one in (
        *RULES_OF_FILES,
        *RULES_OF_BINDINGS,
        *RULES_OF_WEIGHTS,
        *RULES_OF_ENGINES,
        *RULES_OF_DRAWING,
        *RULES_OF_LOSSES,
        *RULES_OF_EXPORTER_FAULTS,
        *RULES_OF_IMPORTS,
        *RULES_OF_DIFFS,
        *RULES_OF_EXPORTS,
    )
}


def rule_of(identifier: str) -> Rule:
    """Return the rule of that identifier; if unknown, as from another version's report, one named after it."""
    words = identifier.replace("-", " ")
    return RULES.get(identifier) or Rule(
        id=identifier, severity=Severity.WARNING, name=words.title(), about=words.capitalize()
    )
