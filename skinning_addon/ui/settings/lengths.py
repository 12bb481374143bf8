"""How lengths are dragged."""

from __future__ import annotations

DEVIATION_STEP = 0.0005
"""Of lengths that are deviations. Blender fits it to a unit: a drag changes them by 0.1 mm a pixel at most, but
by 5 cm with a step of 0.001."""
