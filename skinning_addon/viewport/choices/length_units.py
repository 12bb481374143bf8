"""The unit that the user wants lengths in."""

from __future__ import annotations

import bpy

from ...core.text.length import LengthStyle
from .preferences import read_preferences

ADAPTIVE_UNIT = ""

LENGTH_UNITS = {
    "AUTOMATIC": ADAPTIVE_UNIT,
    "SCENE": None,
    "MILLIMETERS": "mm",
    "CENTIMETERS": "cm",
    "METERS": "m",
    "INCHES": "in",
}
"""By the preference's items; None for the scene's own units."""

SCENE_UNITS = {
    "KILOMETERS": "km",
    "METERS": "m",
    "CENTIMETERS": "cm",
    "MILLIMETERS": "mm",
    "MICROMETERS": "\N{MICRO SIGN}m",
    "MILES": "mi",
    "FEET": "ft",
    "INCHES": "in",
    "THOU": "thou",
}
"""By Blender's `length_unit`; its adaptive unit is left out."""


def length_style() -> LengthStyle:
    """Return how lengths are written in the interface of the scene in the window."""
    preferences = read_preferences()
    unit = LENGTH_UNITS[preferences.length_unit]
    return LengthStyle(_scene_unit() if unit is None else unit, preferences.length_digits)


def _scene_unit() -> str:
    settings = bpy.context.scene.unit_settings
    if settings.system == "NONE":
        return ADAPTIVE_UNIT
    adaptive = "in" if settings.system == "IMPERIAL" else ADAPTIVE_UNIT
    return SCENE_UNITS.get(settings.length_unit, adaptive)
