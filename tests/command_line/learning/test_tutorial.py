"""docs/tutorial.md, in both languages: every command works, and the program prints every number in it."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest

from skinning_addon.command_line.main import run

CHECKOUT = Path(__file__).resolve().parents[3]
PAGES = ("tutorial.md", "ko/tutorial.md")
SCRIPT = re.compile(r"^```toml\n# (\S+)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
BLOCK = re.compile(r"^```text\n\$ \./run skinscope (.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
NUMBER = re.compile(r"-?\d+\.\d+")


def text_of(page: str) -> str:
    return (CHECKOUT / "docs" / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_what_its_command_prints(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name, script in SCRIPT.findall(text_of(page)):
        Path(name).write_text(script, encoding="utf-8")
    blocks = BLOCK.findall(text_of(page))
    sections = {section for command, _ in blocks for section in re.findall(r"--section (\S+)", command)}
    assert len(sections) == 9
    for command, written in blocks:
        output = io.StringIO()
        assert run(command.split(), output) == 0
        printed = output.getvalue()
        assert NUMBER.sub("0", printed) == NUMBER.sub("0", written), command
        for number, expected in zip(NUMBER.findall(printed), NUMBER.findall(written), strict=True):
            # The last digit may be another on another Blender.
            assert float(number) == pytest.approx(float(expected), abs=2.1e-6), (command, number)
    # The script does what the section does: at a whole frame of both clips the vertex is the
    # same.
    table = next(written for command, written in blocks if command == "learn --section controller")
    row = next(
        line
        for line in table.splitlines()
        if line.startswith(" 0.500 ") and "(" in line and "Key" not in line
    )
    frames = np.load("frames.npz")
    assert frames["seconds"][12] == 0.5
    assert frames["skinned_positions"][12, 9] == pytest.approx(
        [float(one) for one in NUMBER.findall(row)[-3:]], abs=2e-5
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_long_number_in_the_words_is_in_a_block(page: str):
    blocks = " ".join(written for _, written in BLOCK.findall(text_of(page)))
    printed = set(NUMBER.findall(blocks))
    words = BLOCK.sub("", text_of(page))
    long = [number for number in NUMBER.findall(words) if len(number.split(".")[1]) > 3]
    assert long
    assert not {number for number in long if number not in printed and f"-{number}" not in printed}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_picture_is_there(page: str):
    folder = (CHECKOUT / "docs" / page).parent
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text_of(page)):
        assert (folder / target).is_file(), target


def test_both_languages_have_the_same_blocks():
    english, korean = (BLOCK.findall(text_of(page)) for page in PAGES)
    assert english == korean
