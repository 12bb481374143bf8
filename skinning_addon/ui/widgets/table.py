"""Labels and values in panels, side by side as properties are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.text.length import Length
from ...core.text.message import Message
from ...viewport.choices.translation import translated

MOST_DIGITS = 4
"""Of numbers that stand three beside one another."""

NARROW = 250
"""Pixels, a side bar's width in which a label leaves no room for three numbers beside it. It starts out wider."""


def draw_table(layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]]) -> None:
    """Write rows of a label and a value. Values that are no words of ours, such as names, are not translated."""
    table = layout.column(align=True)
    for label, value in rows:
        cell = _beside_label(table, label, 0.4)
        cell.label(text=translated(value) if isinstance(value, Message | Length) else value, translate=False)


def draw_vectors(layout: bpy.types.UILayout, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Write rows of a label and numbers, each number in a cell of its own so that all stay readable.

    Where the side bar was made narrow, vectors stand below their labels.
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
    """Write a label and return the rest of the row. factor: the label's share of it."""
    split = table.split(factor=factor)
    name = split.row()
    name.alignment = "RIGHT"
    name.label(text=translated(label), translate=False)
    return split


def draw_numbers(layout: bpy.types.UILayout, values: Sequence[str]) -> None:
    """Write numbers side by side, so that those of rows below one another stand in columns."""
    cells = layout.grid_flow(row_major=True, columns=len(values), even_columns=True, align=True)
    for value in values:
        cell = cells.row()
        cell.alignment = "RIGHT"
        cell.label(text=value, translate=False)


def numbers(values: NDArray[np.floating], decimals: int | None = None, unit: str = "") -> list[str]:
    """Write the numbers of a vector.

    decimals: left out, as many as a narrow side bar has room for beside the digits of the largest.
    """
    if decimals is None:
        decimals = decimals_that_fit(values)
    # Adding zero turns what rounding makes of tiny negative numbers, -0.0, into 0.0.
    return [f"{round(value, decimals) + 0.0:.{decimals}f}{unit}" for value in values.tolist()]


def decimals_that_fit(values: NDArray[np.floating]) -> int:
    """Return how many decimals leave numbers, whether a figure's size is 0.01 or 100 units, all their meaning in six signs."""
    largest = float(np.abs(values).max(initial=0.0))
    if not np.isfinite(largest) or largest == 0.0:
        return MOST_DIGITS - 1
    before_point = int(np.floor(np.log10(largest))) + 1
    digits = MOST_DIGITS if before_point > 0 else MOST_DIGITS - 1
    return min(max(digits - before_point, 0), MOST_DIGITS + 1)
