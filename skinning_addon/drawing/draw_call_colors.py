"""The colours that tell draw calls apart."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .draw_call import DrawCallSize
from .vertex_paint import bone_colors, linear_from_srgb

PROCESSOR_COLOR = (0.85, 0.1, 0.45)
"""sRGB colour of the draw call that the CPU skins because it fits in no palette."""


@lru_cache(maxsize=4096)
def swatch(number: int, size: DrawCallSize) -> tuple[float, float, float]:
    """Return the sRGB colour of the draw call with this number, from 0."""
    if size.on_cpu and number:
        return PROCESSOR_COLOR
    r, g, b = bone_colors(number + 1)[number].tolist()
    return r, g, b


@lru_cache(maxsize=4096)
def draw_call_color(number: int, size: DrawCallSize) -> tuple[float, float, float]:
    """Return the same, linear Rec.709."""
    r, g, b = linear_from_srgb(np.array(swatch(number, size))).tolist()
    return r, g, b
