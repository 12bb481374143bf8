"""Writes the tables of pages that list what the code has in tables: rules of findings, keys of a configuration,
and settings of exporters.

    .venv/bin/python docs/write_tables.py

A test holds the pages to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import bpy  # noqa: F401 - it comes before what needs mathutils

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from docs.marked_tables import with_lines  # noqa: E402
from skinning_addon.command_line.arguments.file_settings import asked_for  # noqa: E402
from skinning_addon.command_line.arguments.parser import build_parser  # noqa: E402
from skinning_addon.core.profiles.exporter_settings import SETTINGS  # noqa: E402
from skinning_addon.core.profiles.profile import FileFormat  # noqa: E402
from skinning_addon.core.text.message import Continuation  # noqa: E402
from skinning_addon.core.verdicts.rule import Rule  # noqa: E402
from skinning_addon.core.verdicts.rule_page import page_name  # noqa: E402
from skinning_addon.core.verdicts.rules_of_drawing import RULES_OF_DRAWING  # noqa: E402
from skinning_addon.core.verdicts.rules_of_engines import RULES_OF_ENGINES  # noqa: E402
from skinning_addon.core.verdicts.rules_of_exporter_faults import RULES_OF_EXPORTER_FAULTS  # noqa: E402
from skinning_addon.core.verdicts.rules_of_exports import RULES_OF_EXPORTS  # noqa: E402
from skinning_addon.core.verdicts.rules_of_files import RULES_OF_DIFFS, RULES_OF_FILES, TOLERANCE  # noqa: E402
from skinning_addon.core.verdicts.rules_of_imports import RULES_OF_IMPORTS  # noqa: E402
from skinning_addon.core.verdicts.rules_of_losses import RULES_OF_LOSSES  # noqa: E402
from skinning_addon.core.verdicts.rules_of_rigs import RULES_OF_BINDINGS, RULES_OF_WEIGHTS  # noqa: E402

BEGIN, END = "<!-- {name}: by docs/write_tables.py -->", "<!-- end of {name} -->"


def of_rules(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield the lines of a table of rules."""
    yield "| rule | severity | means |"
    yield "|---|---|---|"
    for one in rules:
        if one.id == TOLERANCE:
            # Where a report has figures there is no such finding.
            continue
        severity = one.severity.value if one.severity else "by its figures"
        means = one.details or Continuation(one.description)
        yield f"| [`{one.id}`](rules/{page_name(one.id)}) | {severity} | {means} |"


def of_keys() -> Iterator[str]:
    """Yield the lines of the table of what [check] of a configuration may say."""
    _, commands = build_parser()
    options = commands["check"].described()
    yield "| key | says | as the option |"
    yield "|---|---|---|"
    for name, asked in asked_for().items():
        if asked.key is not None:
            option, told = options[name]
            yield f"| `{name}` | {asked.key.allowed} | `{option}`: {told} |"


def of_exporter_settings() -> Iterator[str]:
    """Yield the lines of the table of settings of Blender's exporters that a profile can be told."""
    yield "| exporter | setting | in its panel | values | effect |"
    yield "|---|---|---|---|---|"
    formats = {FileFormat.GLTF: "glTF", FileFormat.FBX: "FBX", FileFormat.USD: "USD"}
    for one in SETTINGS.values():
        yield f"| {formats[one.format]} | `{one.name}` | *{one.label}* | {one.reader.allowed} | {one.effect} |"


TABLES = {
    "check-report.md": {
        "rules of files": lambda: of_rules(RULES_OF_FILES),
        "rules of rigs": lambda: of_rules((*RULES_OF_BINDINGS, *RULES_OF_WEIGHTS)),
        "rules of engines": lambda: of_rules(
            (
                *RULES_OF_ENGINES,
                *RULES_OF_DRAWING,
                *RULES_OF_LOSSES,
                *RULES_OF_EXPORTER_FAULTS,
                *RULES_OF_IMPORTS,
            )
        ),
        "rules of diffs": lambda: of_rules(RULES_OF_DIFFS),
        "rules of exports": lambda: of_rules(RULES_OF_EXPORTS),
    },
    "ci.md": {"keys of check": of_keys},
    "profiles.md": {"settings of exporters": of_exporter_settings},
}


def written(page: str) -> str:
    """Return a page with its tables as they are to be."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, lines in TABLES[page].items():
        begin, end = BEGIN.format(name=name), END.format(name=name)
        text = with_lines(text, begin, end, lines())
    return text


def main() -> None:
    for page in TABLES:
        (DOCS / page).write_text(written(page), encoding="utf-8")


if __name__ == "__main__":
    main()
