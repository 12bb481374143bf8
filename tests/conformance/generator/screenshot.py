"""Drawings of what a model should look like from the front, without perspective, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

PANEL, HEIGHT, MARGIN = 150, 180, 8
"""Size of each instant's panel, in pixels."""
SKIN, TARGET, EDGE = "#198c59", "#e6190d", "#0f5435"


def shown_instants(times: Sequence[float]) -> tuple[int, int, int]:
    """Choose the instants to draw: the first, the middle one and the last."""
    return 0, len(times) // 2 - (len(times) % 2 == 0), len(times) - 1


def drawing(skins: Sequence[Sequence[np.ndarray]], triangles: Sequence[np.ndarray]) -> str:
    """Return the SVG. skins: (V, 3) positions by instant and part; the target is where the last has them.
    triangles: (T, 3) by part.
    """
    everything = np.concatenate([part for skin in skins for part in skin])[:, :2]
    everything = everything[np.isfinite(everything).all(axis=1)]
    low, size = everything.min(axis=0), np.ptp(everything, axis=0)
    scale = min((PANEL - 2 * MARGIN) / size[0], (HEIGHT - 2 * MARGIN) / size[1])
    middle = low + size / 2
    center = np.array([PANEL / 2, HEIGHT / 2])
    shapes, panels = [], []
    for number, skin in enumerate(skins):
        path = "".join(
            _outline(center + (part[corners, :2] - middle) * [scale, -scale])
            for part, some in zip(skin, triangles, strict=True)
            for corners in some
        )
        shapes.append(f'<path id="skin{number}" d="{path}"/>')
        panels.append(f'<use href="#skin{len(skins) - 1}" x="{PANEL * number}" fill="{TARGET}"/>')
        panels.append(f'<use href="#skin{number}" x="{PANEL * number}" fill="{SKIN}" stroke="{EDGE}"/>')
    width = PANEL * len(skins)
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" stroke-width="0.4">',
        f'<rect width="{width}" height="{HEIGHT}" fill="#f4f4f4"/>',
        "<defs>",
        *shapes,
        "</defs>",
        *panels,
        "</svg>",
    )
    return "\n".join(lines) + "\n"


def _outline(corners: np.ndarray) -> str:
    if not np.isfinite(corners).all():
        return ""
    return "M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in corners) + "z"
