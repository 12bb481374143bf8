"""The outcome of one seed of the fuzz lab."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

BLENDER_ALONE = "Blender alone"
"""The stage in which a crash or a hang is Blender's own: no Skinscope code has touched the data yet."""

SKINSCOPE = "Skinscope"

OF_BLENDER = " of Blender alone"
"""Suffix of the labels of such crashes and hangs."""

STAGE_FILE = "stage"


@dataclass(frozen=True)
class Outcome:
    """label: the row of the table: 'exact', 'named', 'refused', 'checked', ...
    cause: the rule or the class of sentence, for the second table; empty if there is none.
    wrong: empty if the outcome is right, else one sentence that says what is wrong.
    script: a small script that reproduces what is wrong, minimised.
    """

    label: str
    cause: str = ""
    wrong: str = ""
    script: str = ""


def enter_stage(folder: Path, stage: str) -> None:
    """Record what a seed is about to run, so that a crash or hang is attributed to the right program.

    folder: the seed's own, as passed to `run_seed`. stage: `BLENDER_ALONE` or `SKINSCOPE`; a seed starts in the
    latter.
    """
    (folder / STAGE_FILE).write_text(stage)
