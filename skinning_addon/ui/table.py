"""Labels and values in panels, side by side as properties are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core.length import Length
from ..core.message import Message
from ..viewport.translation import translated


def draw_table(layout: bpy.types.UILayout, rows: Iterable[tuple[str, str]]) -> None:
    """Write rows of a label and a value. Values that are no words of ours, such as names, are not translated."""
    table = layout.column(align=True)
    for label, value in rows:
        split = table.split(factor=0.4)
        name = split.row()
        name.alignment = "RIGHT"
        name.label(text=translated(label), translate=False)
        split.label(text=translated(value) if isinstance(value, Message | Length) else value, translate=False)


def draw_vectors(layout: bpy.types.UILayout, rows: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Write rows of a label and numbers, each number in a cell of its own so that all stay readable."""
    table = layout.column(align=True)
    for label, values in rows:
        split = table.split(factor=0.34)
        name = split.row()
        name.alignment = "RIGHT"
        name.label(text=translated(label), translate=False)
        draw_numbers(split, values)


def draw_numbers(layout: bpy.types.UILayout, values: Sequence[str]) -> None:
    """Write numbers side by side, so that those of rows below one another stand in columns."""
    cells = layout.grid_flow(row_major=True, columns=len(values), even_columns=True, align=True)
    for value in values:
        cell = cells.row()
        cell.alignment = "RIGHT"
        cell.label(text=value, translate=False)


def numbers(values: NDArray[np.floating], decimals: int = 3, unit: str = "") -> list[str]:
    """Write the numbers of a vector."""
    # Adding zero turns what rounding makes of tiny negative numbers, -0.0, into 0.0.
    return [f"{round(value, decimals) + 0.0:.{decimals}f}{unit}" for value in values.tolist()]
