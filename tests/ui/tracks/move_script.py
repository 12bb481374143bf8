"""The script that the tests of tracks load."""

from __future__ import annotations

MOVE = """\
instances = 2
seconds = 2.5
priority_blend = 0.3
once = ["Lean"]

[[track]]
number = 0
clip = "Bend"

[[track]]
number = 1
clip = "Lean"
enabled = false
speed = -0.7
weight = 0.1
position = 0.4
mask = { b1 = 0.9, b2 = 1.0 }
priority = "high"

[[track]]
number = 0
clip = "Lean"
instance = 1

[[key]]
time = 0.25
what = "enable"
track = 1
value = true

[[key]]
time = 0.25
what = "weight"
track = 1
value = 0.8
duration = 0.5
transition = "ease-in-ease-out"

[[key]]
time = 0.3
what = "priority"
track = 1
value = "low"
instance = 1

[[key]]
time = 0.5
what = "priority-blend"
value = 0.6
duration = 0.25

[[key]]
time = 0.75
what = "position"
track = 0
value = 0.1

[[key]]
time = 0.75
what = "mask"
track = 1
value = 0.5
duration = 0.1

[[key]]
time = 0.8
what = "speed"
track = 0
value = -1.5
"""
