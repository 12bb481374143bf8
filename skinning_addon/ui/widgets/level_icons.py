"""One color for each verdict, in every panel."""

from __future__ import annotations

from typing import Any

from ...core.verdicts.verdict import Level

_ICONS: dict[Level, Any] = {
    Level.SAME: "COLORSET_03_VEC",
    Level.GOOD: "COLORSET_03_VEC",
    Level.LOOK: "COLORSET_09_VEC",
    Level.FAIL: "COLORSET_01_VEC",
}


def level_icon(level: Level | None) -> Any:
    """Return the icon of a verdict: green, yellow or red, which are Blender's own swatches. The text beside it
    says the same. None: nothing was measured.
    """
    return "QUESTION" if level is None else _ICONS[level]
