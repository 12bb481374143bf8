"""Labels and values in panels, side by side like properties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.length import Length
from ...core.text.message import Message
from ...viewport.choices.translation import translated

MOST_DIGITS = 4
"""Digits of numbers shown three in a row."""

NARROW = 250
"""Pixels; in a sidebar this narrow, a label leaves no room for three numbers beside it. It starts out
wider.
"""


def draw_table(layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]]) -> None:
    """Draw rows of a label and a value. Values that are not our own words, such as names, are not
    translated.
    """
    table = layout.column(align=True)
    for label, value in rows:
        cell = _beside_label(table, label, 0.4)
        cell.label(text=translated(value) if isinstance(value, Message | Length) else value, translate=False)


def draw_vectors(layout: bpy.types.UILayout, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Draw rows of a label and numbers, each number in its own cell so that all stay readable.

    In a narrow sidebar, vectors are below their labels.
    """
    table = layout.column(align=True)
    region = bpy.context.region
    narrow = region is not None and region.width < NARROW * bpy.context.preferences.system.ui_scale
    for label, values in rows:
        if narrow and len(values) > 1:
            table.label(text=translated(label), translate=False)
            draw_numbers(table.row(), values)
        else:
            draw_numbers(_beside_label(table, label, 0.5 if narrow else 0.34), values)


def _beside_label(table: bpy.types.UILayout, label: str, factor: float) -> bpy.types.UILayout:
    """Draw a label and return the rest of the row. factor: the label's share of it."""
    split = table.split(factor=factor)
    name = split.row()
    name.alignment = "RIGHT"
    name.label(text=translated(label), translate=False)
    return split


def draw_numbers(layout: bpy.types.UILayout, values: Sequence[str]) -> None:
    """Draw numbers side by side, so that consecutive rows line up in columns."""
    cells = layout.grid_flow(row_major=True, columns=len(values), even_columns=True, align=True)
    for value in values:
        cell = cells.row()
        cell.alignment = "RIGHT"
        cell.label(text=value, translate=False)


def numbers(values: NDArray[np.floating], decimals: int | None = None, unit: str = "") -> list[str]:
    """Write the numbers of a vector.

    decimals: by default as many as a narrow sidebar has room for beside the digits of the largest.
    """
    if decimals is None:
        decimals = decimals_that_fit(values)
    # Adding zero turns -0.0, from rounding tiny negative numbers, into 0.0.
    return [f"{round(value, decimals) + 0.0:.{decimals}f}{unit}" for value in values.tolist()]


def decimals_that_fit(values: NDArray[np.floating]) -> int:
    """Return how many decimals keep numbers meaningful in six characters, whether a figure's size is 0.01 or
    100 units.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not np.isfinite(largest) or largest == 0.0:
        return MOST_DIGITS - 1
    before_point = int(np.floor(np.log10(largest))) + 1
    digits = MOST_DIGITS if before_point > 0 else MOST_DIGITS - 1
    return min(max(digits - before_point, 0), MOST_DIGITS + 1)
