"""The documentation's generated tables are up to date with the code."""

from __future__ import annotations

import runpy

import pytest

from tests.installed_package import CHECKOUT

SCRIPT = runpy.run_path(str(CHECKOUT / "docs" / "write_tables.py"))
RULE_PAGES = runpy.run_path(str(CHECKOUT / "docs" / "write_rules.py"))["pages"]()


@pytest.mark.parametrize("page", SCRIPT["TABLES"])
def test_tables_are_those_of_the_code(page: str):
    text = (CHECKOUT / "docs" / page).read_text(encoding="utf-8")
    assert SCRIPT["written"](page) == text, "run .venv/bin/python docs/write_tables.py"


def test_schemas_are_those_of_the_script():
    written = runpy.run_path(str(CHECKOUT / "docs" / "write_schemas.py"))["written"]()
    for name, text in written.items():
        path = CHECKOUT / "docs" / "schemas" / name
        assert path.read_text(encoding="utf-8") == text, "run .venv/bin/python docs/write_schemas.py"


def test_each_rule_has_its_page():
    folder = CHECKOUT / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == RULE_PAGES, "run .venv/bin/python docs/write_rules.py"
