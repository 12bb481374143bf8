"""One seed of the fuzz lab's kind `edits`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.edits.sequence import Step, minimised, play, play_alone, sequence
from tests.fuzz.outcome import BLENDER_ALONE, SKINSCOPE, Outcome, enter_stage

SCRIPT = '''"""{wrong}"""

import tempfile
from pathlib import Path

import bpy  # before all else that is Blender's

from tests.fuzz.edits.sequence import Step, play

STEPS = (
{steps}
)

with tempfile.TemporaryDirectory() as folder:
    print(play(STEPS, Path(folder), hidden={hidden}))
'''


def run_seed(seed: int, folder: Path) -> Outcome:
    """Play the seed's sequence, first without Skinscope, to tell Blender's own crashes from ours."""
    steps = sequence(seed)
    hidden = seed % 3 == 2
    enter_stage(folder, BLENDER_ALONE)
    play_alone(steps, folder)
    enter_stage(folder, SKINSCOPE)
    played = play(steps, folder, hidden=hidden)
    if played.wrong:
        script = script_of(
            minimised(steps[: played.at + 1], folder, hidden=hidden), played.wrong, hidden=hidden
        )
        return Outcome("wrong", wrong=played.wrong, script=script)
    if not played.causes:
        return Outcome("exact")
    return Outcome("exact, or a true sentence", cause=played.causes.most_common(1)[0][0])


def script_of(steps: Sequence[Step], wrong: str, *, hidden: bool) -> str:
    listed = "\n".join(f"    Step({step.edit!r}, {step.seed})," for step in steps)
    return SCRIPT.format(wrong=wrong.replace("\\", "\\\\").replace('"""', "'''"), steps=listed, hidden=hidden)
