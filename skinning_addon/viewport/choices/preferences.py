"""The user's preferences for all files, as Blender keeps them with the add-on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import bpy

from ...core.maths.once import Once, each_time
from ...drawing.heat_scale import HeatScale
from .settings import DEFAULT_DISPLAY
from .stored_values import StoredValues

ADD_ON = __package__.removesuffix(".viewport.choices").removesuffix(".skinning_addon")
"""The name Blender knows the enabled extension by; run from a checkout, the package itself."""

STEPS = HeatScale()


@dataclass(frozen=True)
class Preferences:
    """The settings of the class in `ui.preferences`, field by field; the defaults are the factory's.

    display, placement, show_figures, start_with_file: for scenes that have no settings of their own yet.
    base_color: linear Rec.709, for the shaded display. same_color, off_color: for text, sRGB with opacity.
    invisible_to, good_to, fail_from, scale_top: the heat map's steps, in metres, for a figure of
    HEIGHT_OF_THRESHOLDS.
    length_unit: a key of LENGTH_UNITS. length_digits: significant digits. check_exports: whether every glTF
    file that the user exports is read back and compared. show_developer: whether the sidebar has the panels for
    engine programmers. cache_megabytes: memory that the frames of Cached Playback may take. record_when_idle:
    whether its frames are recorded in the background once the user rests.
    """

    display: str = DEFAULT_DISPLAY.upper()
    placement: str = "IN_PLACE"
    show_figures: bool = True
    start_with_file: bool = False
    base_color: tuple[float, float, float] = (0.38, 0.57, 0.74)
    same_color: tuple[float, float, float, float] = (0.87, 0.94, 0.87, 1.0)
    off_color: tuple[float, float, float, float] = (1.0, 0.8, 0.36, 1.0)
    invisible_to: float = STEPS.limits[0]
    good_to: float = STEPS.limits[1]
    fail_from: float = STEPS.threshold
    scale_top: float = STEPS.top
    length_unit: str = "AUTOMATIC"
    length_digits: int = 2
    check_exports: bool = False
    show_developer: bool = False
    cache_megabytes: int = 1024
    record_when_idle: bool = False

    @property
    def steps_ascend(self) -> bool:
        """Whether the heat map's steps are in ascending order."""
        return 0 < self.invisible_to < self.good_to < self.fail_from < self.scale_top

    @property
    def heat_scale(self) -> HeatScale:
        """The heat map's steps; the factory's if they do not ascend."""
        if not self.steps_ascend:
            return STEPS
        return HeatScale.of_thresholds(self.invisible_to, self.good_to, self.fail_from, self.scale_top)


_NAMES = tuple(field.name for field in fields(Preferences))

FACTORY = Preferences()
"""The blue can't be taken for Blender's own grey. The text's green and amber differ enough in lightness for
the colour-blind, and the words say the same.
"""


_kept: list[Preferences] = []

_last: list[tuple[tuple[Any, ...], Preferences]] = []
"""The values that were read last, and what was made of them."""


def read_preferences() -> Preferences:
    """Return the preferences; the factory's if Skinscope is not running as an enabled extension.

    As long as no value changes, it is the same object.
    """
    if _kept:
        return _kept[0]
    stored = stored_preferences()
    if stored is None:
        return FACTORY
    values = _values_of(type(stored))(stored)
    if not _last or _last[0][0] != values:
        _last[:] = [(values, Preferences(*(_plain(getattr(stored, name)) for name in _NAMES)))]
    return _last[0][1]


@lru_cache(maxsize=1)
def _values_of(registered: type[bpy.types.AddonPreferences]) -> StoredValues:
    return StoredValues(registered.bl_rna)


class preferences_once:
    """For blocks during which no preference changes, such as a draw callback: read them only once, although
    every length that is written asks for them. Not a generator, which takes three times as long.
    """

    __slots__ = ("_once",)

    def __init__(self, once: Once = each_time) -> None:
        """once: knows those that an earlier block has read, as far as none has changed since."""
        self._once = once

    def __enter__(self) -> None:
        _kept.append(self._once(Preferences, read_preferences))

    def __exit__(self, *_: object) -> None:
        _kept.pop()


def stored_preferences() -> Any | None:
    """Return what Blender keeps, for panels to draw; None if Skinscope is not running as an extension."""
    add_on = bpy.context.preferences.addons.get(ADD_ON)
    return add_on.preferences if add_on else None


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | bool | int | float) else tuple(value)
