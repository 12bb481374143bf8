"""The page about a rule: in docs/rules, and as the help that a SARIF log has for it."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from ..text.message import Continuation
from .finding import Severity
from .rule import Rule
from .rules import RULES
from .rules_of_files import TOLERANCE

SHIPPED = Path(__file__).resolve().parents[3] / "docs" / "rules"
"""The pages of this version, which go with the program."""

_SEVERITIES = {
    Severity.ERROR: "an error: it makes a check fail",
    Severity.WARNING: "a warning",
    Severity.INFO: "an info",
    None: "an error, a warning or an info by its size (`[thresholds]` of the configuration)",
}

_PLACEHOLDER = re.compile(r"\{(\w+)[^{}]*\}")


def page_name(rule: str) -> str:
    """Return the name of the page about a rule."""
    return f"{quote(rule)}.md"


def page_uri(rule: str, pages: str = "") -> str | None:
    """Return the address of the page about a rule; None for a rule that has none.

    pages: the address of the folder with the pages; if empty, of those that go with the program.
    """
    if rule not in RULES:
        return None
    if pages:
        return f"{pages.rstrip('/')}/{page_name(rule)}"
    path = SHIPPED / page_name(rule)
    return path.as_uri() if path.is_file() else None


def rule_page(rule: Rule, button: str = "") -> str:
    """Return the page about a rule, in Markdown. button: what the sidebar has for it, if anything."""
    return "\n\n".join(part for part in (f"# {rule.name}", *_parts(rule, button)) if part) + "\n"


def _parts(rule: Rule, button: str) -> list[str]:
    about = Continuation(rule.description)
    details = str(rule.details or "")
    sentences = [one for one in (rule.sentence, rule.singular) if one]
    return [
        f"`{rule.id}` is {_SEVERITIES[rule.severity]}{_strictly(rule)}.",
        f"{_capital(details or about)}.",
        f"A cause of deviation in an engine: {Continuation(rule.cause)}."
        if rule.cause and rule.about
        else "",
        "## What it says" if sentences else "",
        *(f"> {_with_placeholders(one.template)}" for one in sentences),
        "## What to do" if rule.fix or button or rule.exported_with else "",
        str(rule.fix),
        f"In the sidebar: *{button}*." if button else "",
        f"Exporting with `{_settings(rule)}` avoids it." if rule.exported_with else "",
        "## If you accept it",
        "In `skinscope.toml`, for some files and a reason, or by another severity:",
        _accepting(rule),
    ]


def _strictly(rule: Rule) -> str:
    return "; with `--strict` an error" if rule.strict else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _with_placeholders(template: str) -> str:
    return _PLACEHOLDER.sub(lambda match: f"*{match[1].replace('_', ' ')}*", template)


def _settings(rule: Rule) -> str:
    return ", ".join(f"{name}={_as_told(value)}" for name, value in rule.exported_with.items())


def _as_told(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _accepting(rule: Rule) -> str:
    suppression = f'[[suppress]]\nrule = "{rule.id}"\nreason = "..."\nfiles = ["crowd"]'
    # The tolerance itself has no severity.
    severity = "" if rule.id == TOLERANCE else f'\n\n[severity]\n{rule.id} = "off"'
    return f"```toml\n{suppression}{severity}\n```"
