"""Finds things in the picture of a sidebar: texts that Blender cut short, and the arrows of folded panels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

CONTRAST = 22
"""Of a dot of an ellipsis to what is around it, in levels of 255: its pixels are often covered in part."""

EDGE = 20
"""Pixels at the upper and lower end, at interface scale 1, where a line may be seen in part."""

ARROW_COLUMNS = (21, 35)
"""Where the arrows of panels and of panels in panels are, in pixels from the left at interface scale 1."""


def cut_texts(sidebar: Picture, scale: float = 1.0) -> list[tuple[int, int]]:
    """Return where the sidebar has an ellipsis, (x, y) of each one's first dot: three dots alone on a line.

    Blender ends what doesn't fit in a button or a label that way. The grips of panels and lists have dots
    above one another, which is how they are told apart.
    """
    gray = sidebar.astype(np.int16).mean(axis=2)
    reach = round(12 * scale)
    around = np.lib.stride_tricks.sliding_window_view(
        np.pad(gray, ((0, 0), (reach, reach)), mode="edge"), 2 * reach + 1, axis=1
    )
    # The button's own color, on which text is always brighter.
    background = np.percentile(around, 25, axis=2)
    found = []
    boxes = small_dots(gray - background > CONTRAST, round(2.6 * scale))
    for x, y in sorted(boxes):
        pitch = [(u - x, v) for u, v in boxes if 0 < u - x <= 6 * scale and abs(v - y) <= 0.6]
        for step, _ in pitch:
            row = [(u, v) for u, v in boxes if abs(v - y) <= 0.6]
            places = [u for u, _ in row]
            has = [any(abs(u - (x + count * step)) <= 0.8 for u in places) for count in (-1, 1, 2, 3)]
            alone = not any(abs(u - x) <= 1 and 0.6 < abs(v - y) <= 6 * scale for u, v in boxes)
            whole = EDGE * scale < y < len(sidebar) - EDGE * scale
            if whole and has == [False, True, True, False] and step >= 2.5 * scale and alone:
                found.append((round(x), round(y)))
    return found


def small_dots(mask: NDArray[np.bool_], size: int) -> list[tuple[float, float]]:
    """Return the centers (x, y) of the groups of set pixels that are no larger than a square of `size`."""
    return [
        ((left + right) / 2, (top + bottom) / 2)
        for left, top, right, bottom in groups(mask)
        if max(right - left, bottom - top) < size
    ]


def groups(mask: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """Return the first and last column and row of each group of set pixels that touch: (left, top, right,
    bottom).
    """
    waiting = {(y, x) for y, x in np.argwhere(mask).tolist()}
    found = []
    while waiting:
        group = [waiting.pop()]
        for y, x in group:
            for one in [(v, u) for v in (y - 1, y, y + 1) for u in (x - 1, x, x + 1)]:
                if one in waiting:
                    waiting.remove(one)
                    group.append(one)
        rows, columns = zip(*group, strict=True)
        found.append((min(columns), min(rows), max(columns), max(rows)))
    return found


def rows_of_largest(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the mask within the rows of its largest group: a button is one, or letters beside one another, and what
    changes in the rows above and below it is something else.
    """
    kept = np.zeros_like(mask)
    if mask.any():
        _, top, _, bottom = max(groups(mask), key=lambda box: (box[2] - box[0] + 1) * (box[3] - box[1] + 1))
        kept[top : bottom + 1] = mask[top : bottom + 1]
    return kept


def folded_arrows(sidebar: Picture, scale: float = 1.0) -> list[tuple[int, int]]:
    """Return where the arrows of folded panels are, (x, y) from the top: alone at the left edge, and higher than
    they are wide.
    """
    gray = sidebar[:, : round(46 * scale)].astype(np.int16).mean(axis=2)
    bright = gray - np.percentile(gray, 25, axis=1, keepdims=True) > 3 * CONTRAST
    found = []
    for left, top, right, bottom in groups(bright):
        width, height = right - left, bottom - top
        in_column = min(abs((left + right) / 2 - column * scale) for column in ARROW_COLUMNS) <= 3 * scale
        if (
            in_column
            and 3 * scale <= width <= 6 * scale
            and 5 * scale <= height <= 10 * scale
            and height > 1.3 * width
        ):
            found.append((round((left + right) / 2), round((top + bottom) / 2)))
    return sorted(found, key=lambda one: one[1])
