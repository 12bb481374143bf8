"""docs/contributing.md names files that exist, and as many as its headings say."""

from __future__ import annotations

import re

import pytest

from tests.installed_package import CHECKOUT

PAGE = (CHECKOUT / "docs" / "contributing.md").read_text(encoding="utf-8")
NUMBERS = {"two": 2, "three": 3, "six": 6}
SECTIONS = re.findall(r"^## ([^\n]+): (\w+) files\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+[\w.-]+\.\w+)`", PAGE))))
def test_every_file_that_is_named_is_there(path: str):
    assert (CHECKOUT / path).is_file()


@pytest.mark.parametrize(("change", "count", "text"), SECTIONS, ids=[change for change, _, _ in SECTIONS])
def test_a_change_takes_as_many_files_as_its_heading_says(change: str, count: str, text: str):
    assert len(re.findall(r"^\d\. ", text, re.MULTILINE)) == NUMBERS[count], change


def test_there_are_four_changes():
    assert len(SECTIONS) == 4
