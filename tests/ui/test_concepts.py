"""docs/concepts.md, in both languages: every file, function and panel that it names exists, and so do the
texts' terms.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import bpy
import pytest

from skinning_addon.ui.registration import CLASSES
from skinning_addon.ui.translations.korean import KOREAN

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = {
    page: (CHECKOUT / "docs" / page).read_text(encoding="utf-8") for page in ("concepts.md", "ko/concepts.md")
}
TESTS = ("core/test_texts.py", "core/test_learnopengl.py", "animation/test_texts.py")

OF_TUTORIAL = (
    "Preview", "Inspect", "Inspect Vertices", "Bone Space", "Root Space", "Moved Alone", "Its Share", "Result",
    "Matrices", "To Parent", "To Root", "Offset", "Final", "Spaces", "Spread", "Technique", "Partitioned Palettes",
    "Draw Groups", "Joint Limit", "Tracks", "Load Script...", "Time",
)  # fmt: skip
"""What docs/tutorial.md asks its reader to look for in Blender."""

WHERE, SHOWN = 5, 6
"""Columns of the tables of words."""

WORDS = (
    "AdvanceTime", "KeyTrackWeight", "KeyTrackSpeed", "KeyTrackEnable", "KeyTrackPosition", "mesh container",
    "frame hierarchy", "CombinedTransformationMatrix", "attribute group", "bone combination table", "callback keys",
    "boneIds", "ticks per second", "offset transformation", "bone offset", "toRoot", "final transform", "matrix palette",
    "implied last weight", "animation set", "transition", "priority blend", "node hierarchy", "channel", "ResetTime",
)  # fmt: skip


def rows(page: str) -> list[list[str]]:
    """The rows of the tables of words, cell by cell."""
    tables = PAGES[page].split("<!-- evidence")[0]
    lines = [line for line in tables.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" |")] for line in lines]
    assert all(len(one) == SHOWN + 1 for one in cells)
    return [one for one in cells if one[WHERE].startswith("`")]


def names_in(file: str) -> set[str]:
    """What a file defines, a class's own as Class.name."""
    path = CHECKOUT / file if file.startswith("gpu_shaders/") else CHECKOUT / "skinning_addon" / file
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".glsl":
        return set(re.findall(r"^\w+ (\w+)\(", text, re.MULTILINE))
    found: set[str] = set()
    for one in ast.parse(text).body:
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            found.add(one.name)
        if isinstance(one, ast.ClassDef):
            found |= {f"{one.name}.{each.name}" for each in one.body if isinstance(each, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_function_is_there(page: str):
    assert len(rows(page)) > 30
    for row in rows(page):
        for part in row[WHERE].split("; "):
            file, *names = re.findall(r"`([^`]+)`", part)
            assert names, part
            assert set(names) <= names_in(file), part


def _panel_labels() -> set[str]:
    return {one.bl_label for one in CLASSES if issubclass(one, bpy.types.Panel)}


def test_every_panel_is_there_and_what_is_looked_at_in_it():
    shown_words = {text for _, text in KOREAN}
    for row in rows("concepts.md"):
        panel, *items = re.findall(r"\*([^*]+)\*", row[SHOWN])
        assert panel in _panel_labels(), row[SHOWN]
        assert set(items) <= shown_words, row[SHOWN]


def test_in_korean_they_are_called_as_the_interface_has_them():
    korean: dict[str, set[str]] = {}
    for (_, text), translated in KOREAN.items():
        korean.setdefault(text, set()).add(translated)
    for english, translated in zip(rows("concepts.md"), rows("ko/concepts.md"), strict=True):
        assert translated[WHERE] == english[WHERE]
        names, own = (re.findall(r"\*([^*]+)\*", row[SHOWN]) for row in (english, translated))
        assert len(names) == len(own)
        for name, word in zip(names, own, strict=True):
            assert word in korean.get(name, {name}), (name, word)


@pytest.mark.parametrize("page", PAGES)
def test_the_texts_words_are_found(page: str):
    missing = [word for word in WORDS if word.lower() not in PAGES[page].lower()]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_the_table_of_evidence_names_every_test_of_the_texts_and_no_other(page: str):
    evidence = PAGES[page].split("<!-- evidence")[1]
    named = set(re.findall(r"`(test_\w+)`", evidence))
    there = {
        name
        for file in TESTS
        for name in re.findall(
            r"^def (test_\w+)", (CHECKOUT / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE
        )
    }
    assert named == there
    assert len(re.findall(r" (?:\d\.\de-\d\d|0) \|$", evidence, re.MULTILINE)) >= len(there)


@pytest.mark.parametrize("word", OF_TUTORIAL)
def test_the_tutorial_calls_what_is_looked_for_as_the_interface_does(word: str):
    english, korean = (
        " ".join((CHECKOUT / "docs" / page).read_text(encoding="utf-8").split())
        for page in ("tutorial.md", "ko/tutorial.md")
    )
    assert f"*{word}*" in english or word == "Inspect Vertices"
    told = {translated for (_, text), translated in KOREAN.items() if text == word}
    assert any(f"*{one}*" in korean for one in told), told
