"""What a preview's state is in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.deviation import EXACT_RELATIVE, Deviation
from ..core.length import format_length
from .live_mesh import Figures

MOST_LINES = 4
"""Meshes that are named in a 3D view; a character may be made of dozens."""


@dataclass(frozen=True)
class SummaryLine:
    """One line of a summary. same: whether it is about meshes that equal Blender's."""

    text: str
    same: bool


def verdict(figures: Figures) -> str:
    """Say in one sentence what was measured."""
    deviation = figures.deviation
    if deviation is None:
        return figures.problem
    if is_same(deviation):
        return f"Same as Blender's at frame {figures.frame:g}"
    return f"Off by {length(deviation, deviation.max)} at frame {figures.frame:g}"


def is_same(deviation: Deviation) -> bool:
    """Tell whether the difference is rounding only."""
    return deviation.relative <= EXACT_RELATIVE


def length(deviation: Deviation, distance: float) -> str:
    """Write a distance in scene units with the metric unit in which it reads best."""
    return format_length(deviation.metres(distance))


def summary(measured: Sequence[tuple[str, Deviation]]) -> list[SummaryLine]:
    """Say in a few lines how far meshes lie from Blender's, the worst first. measured: names and deviations."""
    off = sorted((one for one in measured if not is_same(one[1])), key=lambda one: -one[1].max)
    shown = off if len(off) <= MOST_LINES else off[: MOST_LINES - 1]
    lines = [
        SummaryLine(f"{name}: off by {length(deviation, deviation.max)}", same=False)
        for name, deviation in shown
    ]
    if len(shown) < len(off):
        rest = off[len(shown)][1]
        text = f"{len(off) - len(shown)} more: off by {length(rest, rest.max)} or less"
        lines.append(SummaryLine(text, same=False))
    same = [name for name, deviation in measured if is_same(deviation)]
    if len(same) == 1:
        lines.append(SummaryLine(f"{same[0]}: same as Blender's", same=True))
    elif same:
        text = f"{len(same)} {'others' if off else 'meshes'}: same as Blender's"
        lines.append(SummaryLine(text, same=True))
    return lines
