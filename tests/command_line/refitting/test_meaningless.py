"""Options of `refit` that mean nothing beside others are refused before a file is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line.conftest import Program, skinscope

__all__ = ["skinscope"]

OF_CHARACTERS = {
    "--clips": "all",
    "--hold-out": "Walk",
    "--kind": "runtime",
    "--helper-bones": "0",
    "--clip-bones": None,
    "--tolerance": "1mm",
    "--most-drift": "5mm",
    "--most-turn": "10",
}


@pytest.mark.parametrize("option", OF_CHARACTERS)
def test_bones_for_meshes_take_nothing_that_is_for_characters(
    tmp_path: Path, skinscope: Program, option: str
):
    refused(
        tmp_path,
        skinscope,
        ("--bones", "5", option, *filter(None, [OF_CHARACTERS[option]])),
        f"{option} is for characters, and --bones takes meshes without an armature instead; leave one of the two "
        "out.",
    )


@pytest.mark.parametrize("kind", [(), ("--kind", "runtime")])
@pytest.mark.parametrize("option", ["--most-drift", "--most-turn"])
def test_bones_that_stay_have_no_limits(
    tmp_path: Path, skinscope: Program, option: str, kind: tuple[str, ...]
):
    refused(
        tmp_path,
        skinscope,
        (option, OF_CHARACTERS[option], *kind),
        f"{option} is for baked clips, since bones of others stay where they were authored; add --kind baked, or "
        "leave it out.",
    )


def test_clip_bones_need_helper_bones_of_a_runtime_copy(tmp_path: Path, skinscope: Program):
    refused(
        tmp_path,
        skinscope,
        ("--clip-bones",),
        "--clip-bones are children of helper bones, and there are none; add --helper-bones or --tolerance, or leave "
        "it out.",
    )
    refused(
        tmp_path,
        skinscope,
        ("--clip-bones", "--helper-bones", "4", "--kind", "baked"),
        "--clip-bones is for runtime copies, since helper bones of baked clips move freely by themselves; leave one "
        "of the two out.",
    )


def refused(folder: Path, skinscope: Program, given: tuple[str, ...], sentence: str) -> None:
    """Expect a sentence, about a file that isn't there."""
    output = folder / "copy.glb"
    result = skinscope("refit", folder / "no.blend", "--profile", "threejs", "--output", output, *given)
    assert result.status == 2
    assert result.complaints == (sentence,)
    assert not output.exists()
