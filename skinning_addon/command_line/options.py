"""The values of options, read from text: each function returns a value or raises a `UsageError` that offers the right ones.

Nothing here needs Blender; what needs numpy is imported when a value is read, so that help is there at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..core.errors import UsageError
from .nearest_names import no_such

if TYPE_CHECKING:
    from ..core.length import Tolerance

PROFILES = ("blender",)
DEVICES = ("gpu", "cpu", "auto")
FORMATS = ("text", "json")
PLANNED_FORMATS = ("junit", "sarif")
DISPLAYS = (
    "shaded",
    "base_color",
    "deviation",
    "normal_deviation",
    "influence_count",
    "dropped_weight",
    "dominant_bone",
    "wireframe",
)

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
FRAMES = re.compile(rf"({NUMBER})(?::({NUMBER})(?::({NUMBER}))?)?")

FrameRange = tuple[float, float, float | None]
"""Start, end and step; see `measurement.frame_choice`."""


def one_of(kind: str, names: tuple[str, ...]) -> Callable[[str], str]:
    """Make the reader of an option that takes one of `names`."""

    def read(text: str) -> str:
        if text not in names:
            raise UsageError(no_such(kind, text, names))
        return text

    return read


def read_format(text: str) -> str:
    """Read the format of a report."""
    if text in PLANNED_FORMATS:
        raise UsageError(f"Reports can't be written as '{text}' yet; choose 'text' or 'json'.")
    return one_of("format", FORMATS)(text)


def read_clips(text: str) -> tuple[str, ...]:
    """Read the names of clips, separated by commas; `all` stands for all of them."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise UsageError(f"'{text}' names no clips; write their names, separated by commas, or 'all'.")
    return names


def read_frame_range(text: str) -> FrameRange:
    """Read A:B or A:B:STEP; a single number is a single frame."""
    match = FRAMES.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"'{text}' are no frames; write FIRST:LAST or FIRST:LAST:STEP, such as 1:40 or 0:27.5:0.5."
        )
    start, end, step = match.groups()
    first, last = float(start), float(end if end is not None else start)
    if last < first:
        raise UsageError(
            f"Frames can't run from {first:g} to {last:g}; the first must not lie behind the last."
        )
    if step is not None and float(step) <= 0:
        raise UsageError(f"Frames can't be taken in steps of {step}; give a number above 0.")
    return first, last, None if step is None else float(step)


def read_frame(text: str) -> float:
    """Read one frame, which need not be whole."""
    if not re.fullmatch(NUMBER, text.strip()):
        raise UsageError(f"'{text}' is no frame; write a number, such as 12 or 12.5.")
    return float(text)


def read_tolerance(text: str) -> Tolerance:
    """Read a length with its unit, or a share."""
    from ..core.length import Tolerance

    return Tolerance.parse(text)


def read_jobs(text: str) -> int:
    """Read how many files are looked at at the same time."""
    if not re.fullmatch(r"\d+", text) or int(text) < 1:
        raise UsageError(f"'{text}' is no number of jobs; write 1 or more.")
    return int(text)
