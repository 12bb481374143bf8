"""Writes docs/modifiers.md: what comes of every type of modifier at every place, on each Blender that is named.

    .venv/bin/python docs/write_modifier_table.py .venv/bin/python .venv-4.2/bin/python /path/to/blender

Each argument is a Python that has Blender as a module, a Blender, or the JSON that
tests/fuzz/rigs/modifier_places.py has written in one. tests/fuzz/rigs/modifier_places.json is written, too:
what stands there may only get better.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(CHECKOUT))

from tests.fuzz.rigs.expected import expected_of_modifier  # noqa: E402
from tests.fuzz.rigs.recipe import PLACES  # noqa: E402
from tests.fuzz.tally import table  # noqa: E402

PAGE = CHECKOUT / "docs" / "modifiers.md"
STORED = CHECKOUT / "tests" / "fuzz" / "rigs" / "modifier_places.json"
SCRIPT = CHECKOUT / "tests" / "fuzz" / "rigs" / "modifier_places.py"

Table = dict[str, dict[str, str]]
"""Outcomes by type and place."""

INTRODUCTION = """# Modifiers

This table lists what `check` and a preview do with each of Blender's modifiers before the first armature
modifier, between two, and behind the last. `docs/write_modifier_table.py` writes it from rigs with that one
modifier and random settings, compared with Blender's evaluated mesh (behind the armature: with that of the
same rig without the modifier).

- *exact*: skinned as in Blender, within 1e-5 of size and movement.
- *named*: not reproduced exactly, and a finding names the modifier.
- *refused*: not skinned, and a finding says why.

"""


def main() -> None:
    by_version: dict[str, Table] = {}
    for blender in sys.argv[1:]:
        path = Path(blender)
        by_version |= json.loads(path.read_text()) if path.suffix == ".json" else outcomes_of(path)
    versions = sorted(by_version, key=lambda one: tuple(map(int, one.split("."))))
    PAGE.write_text(INTRODUCTION + _table(by_version, versions))
    known = json.loads(STORED.read_text()) if STORED.exists() else {}
    STORED.write_text(json.dumps(known | by_version, indent=1, sort_keys=True) + "\n")


def outcomes_of(blender: Path) -> dict[str, Table]:
    """Run every modifier at every place in a Blender of its own; return the table by version."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "places.json"
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "BLENDER_USER_RESOURCES": folder}
        if "python" in blender.name:
            command = [blender, SCRIPT, written]
        else:
            start = f"import sys; sys.path.insert(0, {str(CHECKOUT)!r})"
            options = ["-b", "--factory-startup", "--python-exit-code", "1"]
            command = [blender, *options, "--python-expr", start, "--python", SCRIPT, "--", written]
        subprocess.run(command, check=True, env=environment, cwd=CHECKOUT)
        return json.loads(written.read_text())


def _table(by_version: dict[str, Table], versions: list[str]) -> str:
    kinds = sorted({kind for rows in by_version.values() for kind in rows})
    rows = []
    for kind in kinds:
        cells = [_cell(by_version, versions, kind, place) for place in PLACES]
        rows.append((_title(kind), *cells, _reason(by_version, versions, kind)))
    return table(("modifier", *PLACES, "why not exact"), rows)


def _cell(by_version: dict[str, Table], versions: list[str], kind: str, place: str) -> str:
    """One word where all versions agree; else each version's."""
    found = {version: by_version[version][kind][place] for version in versions if kind in by_version[version]}
    if len(set(found.values())) == 1 and len(found) == len(versions):
        return next(iter(found.values()))
    return ", ".join(f"{version}: {outcome}" for version, outcome in found.items())


def _reason(by_version: dict[str, Table], versions: list[str], kind: str) -> str:
    reasons = []
    for place in PLACES:
        outcomes = {by_version[version].get(kind, {}).get(place, "exact") for version in versions}
        if outcomes != {"exact"}:
            reasons.append(f"{place}: {expected_of_modifier(kind, place).reason}")
    return " ".join(reasons)


def _title(kind: str) -> str:
    name, _, group = kind.partition(":")
    title = name.replace("_", " ").capitalize()
    return f"Geometry Nodes, {group}" if group else title


if __name__ == "__main__":
    main()
