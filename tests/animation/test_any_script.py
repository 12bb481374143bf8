"""Random controller scripts: refused in a sentence, or played alike however the time is cut."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np

from skinning_addon.animation.script import controller_of, planned
from skinning_addon.animation.script_file import read_script, script_text
from skinning_addon.core.text.errors import ScriptError
from tests.animation.builders import arm
from tests.animation.scripts import CLIPS, written

ODD = [
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "-1e308",
        "1e-320",
        "nan",
        "inf",
        "true",
        "[]",
        "{}",
        "9" * 30,
        "0x" + "f" * 5000,
    ),
    *(
        '""',
        '"slow"',
        '"low"',
        '"enable"',
        '"mask"',
        "{ b9 = 1 }",
        "{ b0 = nan }",
        "1979-05-27",
        "255",
        "256",
        "[1]",
    ),
    '"' + "x" * 100_000 + '"',
]


VALUES = {
    "enable": ["true", "false"],
    "priority": ['"low"', '"high"'],
    "speed": ["-1.5", "0", "2"],
    "position": ["0.1"],
}


def _any_script(random: Random) -> str:
    """Write a script that is right, most often, or odd in some places."""
    odd = random.choice([0.0, 0.0, 0.01, 0.1])

    def some(**values: list[str]) -> list[str]:
        lines = []
        for key, texts in values.items():
            if key in {"number", "clip", "time", "what", "track", "value"} or random.random() < 0.4:
                lines.append(f"{key} = {random.choice(ODD if random.random() < odd else texts)}")
        return lines

    tracks = random.randint(0 if odd else 1, 3)
    lines = ["instances = 2", *some(seconds=["2", "2.5"], priority_blend=["0.5"])]
    for number in range(tracks):
        lines += [
            "[[track]]",
            *some(
                number=[f"{number}"],
                clip=['"slow"', '"held"'],
                enabled=["true", "false"],
                speed=["1", "-2", "0"],
            ),
            *some(weight=["0.5"], position=["0.3", "-4"], priority=['"low"', '"high"']),
            *some(**random.choice([{"mask": ["{ b0 = 0.5 }"]}, {"instance": ["0", "1"]}])),
        ]
    for _ in range(random.randint(0, 6) if tracks else 0):
        what = random.choice(["speed", "weight", "mask", "priority-blend", "position", "enable", "priority"])
        lines += [
            "[[key]]",
            *some(time=["0", "1", "0.4"], what=[f'"{what}"'], value=VALUES.get(what, ["0", "1", "0.5"])),
        ]
        if what != "priority-blend":
            lines += some(track=[str(random.randrange(tracks))])
        if what in {"speed", "weight", "mask", "priority-blend"}:
            lines += some(duration=["0.25", "0"], transition=['"linear"', '"ease-in-ease-out"'])
        lines += some(instance=["0", "1"])
    return "\n".join(lines)


def test_any_file_is_refused_in_a_sentence_or_plays_the_same_however_time_is_cut(tmp_path: Path):
    random, played = Random(1), 0  # noqa: S311 - the same scripts each time
    refused: list[str] = []
    for _ in range(300):
        path = written(tmp_path, _any_script(random))
        try:
            script = read_script(path)
            plan = planned(script, arm(), CLIPS)
        except ScriptError as error:
            refused.append(str(error))
            continue
        assert read_script(written(tmp_path, script_text(script))) == script
        controller = controller_of(script, arm(), CLIPS)
        told = [one for _ in range(20) for one in controller.advance(Fraction(plan.seconds) / 20)]
        assert tuple(told) == plan.passings
        assert np.isfinite(controller.to_root()).all()
        played += 1
    assert 150 < played < 280
    assert all(one.endswith(".") and len(one) < 1000 for one in refused)
