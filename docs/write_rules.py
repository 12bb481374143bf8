"""Writes docs/rules: a page about each rule of `check`, from the table of rules.

    .venv/bin/python docs/write_rules.py

A test holds the pages to it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))

from skinning_addon.core.verdicts.rule_page import page_name, rule_page  # noqa: E402
from skinning_addon.core.verdicts.rules import RULES  # noqa: E402
from skinning_addon.ui.registration import CLASSES  # noqa: E402

FOLDER = DOCS / "rules"

BUTTONS = {one.bl_idname: one.bl_label for one in CLASSES if issubclass(one, bpy.types.Operator)}


def pages() -> dict[str, str]:
    """Return the pages by their names, with an index."""
    written = {page_name(one.id): rule_page(one, BUTTONS.get(one.operator, "")) for one in RULES.values()}
    index = [f"- [{one.name}]({page_name(one.id)}): `{one.id}`" for one in RULES.values()]
    return {
        "README.md": "# Rules\n\nWhat `skinscope check` may find.\n\n" + "\n".join(index) + "\n",
        **written,
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
