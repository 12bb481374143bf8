"""Clips and texts of controller scripts for the tests."""

from __future__ import annotations

from pathlib import Path

from tests.animation.builders import turning

# Turns at a constant rate, so that angles are straight lines of position and weight.
SLOW = turning("slow", (0, 10, 20, 30, 40), 2.0, "b0", [("half", 1.0)])


HELD = turning("held", (30, 30), 1.0, "b1")


CLIPS = (SLOW, HELD)


MOVE = """\
instances = 2
seconds = 3
once = ["slow"]

[[track]]
number = 0
clip = "slow"

[[track]]
number = 1
clip = "held"
enabled = false
weight = 0
priority = "high"
mask = { b1 = 1.0, b2 = 0.25 }

[[track]]
number = 0
instance = 1
clip = "slow"
position = 0.5
speed = -0.25

[[key]]
time = 0.5
what = "speed"
track = 0
value = 0
duration = 0.5
transition = "ease-in-ease-out"
instance = 0

[[key]]
time = 1
what = "enable"
track = 1
value = true

[[key]]
time = 1
what = "weight"
track = 1
value = 1
duration = 1

[[key]]
time = 2.5
what = "priority-blend"
value = 0
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "move.toml"
    path.write_text(text, encoding="utf-8")
    return path


TRACK = '[[track]]\nnumber = 0\nclip = "slow"\n'


KEY = "[[key]]\ntime = 1\n"
