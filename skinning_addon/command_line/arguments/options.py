"""Readers of option values: each takes text and returns a value, or raises a `UsageError` that names what is
accepted.

Nothing here needs Blender; code that needs numpy is imported when a value is read, so that help appears at
once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...core.text.errors import UsageError
from ...core.text.quoted import brief
from ...drawing import displays
from .nearest_names import no_such

if TYPE_CHECKING:
    from ...core.refit.kind import Kind
    from ...core.verdicts.tolerance import Tolerance

DEVICES = ("gpu", "cpu", "auto")
VISIBILITIES = ("viewport", "render")
ALL_BONES, INFLUENCING_BONES = BONES = ("all", "influencing")
EXPORTERS = ("gltf", "fbx", "usd")
FORMATS = ("text", "json", "junit", "sarif")
LINES = "jsonl"
"""Reports that grow by a line for each file."""

FORMATS_OF_MANY = (*FORMATS, LINES, "html")
"""Of reports about many files."""

DISPLAYS = tuple(one.name for one in displays.DISPLAYS if "active_bone" not in one.paint_settings)
"""A picture has no active bone."""

TECHNIQUES = (
    "automatic",
    "uniform-buffer",
    "float-texture",
    "partitioned",
    "four-matrices",
    "software",
)

SECTIONS = (
    "bones",
    "to-root",
    "offset",
    "final",
    "weights",
    "vertex",
    "pixel",
    "combinations",
    "controller",
)
"""Sections of `learn`, in the order in which each follows from the last."""

SIMPLE_RIG = "simple"
"""The rig that `learn` builds by itself."""

ROOT_MOTIONS = ("keep", "extract", "extract-turning")

MOST_JOINTS_OF_A_CALL = 341

MOST_BONES = 1000
"""That `refit` finds for a mesh."""

FASTEST = 1000.0

MOST_DEGREES = 180.0

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
WHOLE = r"\d{1,9}"
FRAMES = re.compile(rf"({NUMBER})(?::({NUMBER})(?::({NUMBER}))?)?")

LAST_FRAME = 1_048_574
"""Blender's own limit, positive and negative; it clamps any frame beyond to this one."""

MOST_FRAMES = 1_000_000

FrameRange = tuple[float, float, float | None]
"""Start, end and step; see `measurement.check.frame_choice`."""


def one_of(kind: str, names: tuple[str, ...]) -> Callable[[str], str]:
    """Make the reader of an option that takes one of `names`."""

    def read(text: str) -> str:
        if text not in names:
            raise UsageError(no_such(kind, text, names))
        return text

    return read


def read_url(text: str) -> str:
    """Read the address of a folder of pages."""
    if not re.fullmatch(r"(https?|file)://[^\s/][^\s]*|file:///[^\s]*", text):
        raise UsageError(f"'{brief(text)}' is not an address; write one such as https://example.com/rules.")
    return text


def read_scheduler(text: str) -> str:
    """Read the address of a scheduler of Dask."""
    if not re.fullmatch(
        r"(tcp|tls|ws|wss)://[^\s/:]+:\d{1,5}|(tcp|tls|ws|wss)://\[[0-9a-fA-F:]+\]:\d{1,5}", text
    ):
        raise UsageError(
            f"'{brief(text)}' is not the address of a scheduler; write the one that 'dask scheduler' prints, "
            "such as tcp://HOST:8786."
        )
    return text


def read_clips(text: str) -> tuple[str, ...]:
    """Read the names of clips, separated by commas; `all` stands for all of them. A name that has commas is put
    together again where clips are found.
    """
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise UsageError(f"'{text}' names no clips; write their names, separated by commas, or 'all'.")
    return names


def read_frame_range(text: str) -> FrameRange:
    """Read A:B or A:B:STEP; a single number is a single frame."""
    text = brief(text)
    match = FRAMES.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"'{text}' is not a range of frames; write FIRST:LAST or FIRST:LAST:STEP, such as 1:40 or "
            "0:27.5:0.5."
        )
    start, end, step = match.groups()
    first, last = float(start), float(end if end is not None else start)
    if last < first:
        raise UsageError(
            f"Frames can't run from {first:g} to {last:g}; the first must not be after the last."
        )
    for frame in (first, last):
        _refuse_frame_beyond_last(frame)
    if step is not None and float(step) <= 0:
        raise UsageError(f"Frames can't be taken in steps of {step}; write a step above 0.")
    if step is not None and (last - first) / float(step) >= MOST_FRAMES:
        raise UsageError(
            f"'{text}' is more than {MOST_FRAMES:,} frames; write a larger step or a shorter range."
        )
    return first, last, None if step is None else float(step)


def read_frame(text: str) -> float:
    """Read one frame, which may be fractional."""
    if not re.fullmatch(NUMBER, text.strip()):
        raise UsageError(f"'{brief(text)}' is not a frame; write a number, such as 12 or 12.5.")
    _refuse_frame_beyond_last(float(text))
    return float(text)


def _refuse_frame_beyond_last(frame: float) -> None:
    if abs(frame) > LAST_FRAME:
        raise UsageError(f"Blender has no frame {frame:g}; write frames from {-LAST_FRAME} to {LAST_FRAME}.")


def read_tolerance(text: str) -> Tolerance:
    """Read a length with its unit, or a fraction."""
    from ...core.verdicts.tolerance import Tolerance

    return Tolerance.parse(text)


def read_angle(text: str) -> float:
    """Read an angle in degrees, such as 5deg or 2.5."""
    match = re.fullmatch(rf"({NUMBER})\s*(?:deg|\u00b0)?", text.strip())
    degrees = float(match[1]) if match else -1.0
    if not 0 <= degrees <= MOST_DEGREES:
        raise UsageError(f"'{brief(text)}' is not an angle; write degrees from 0 to 180, such as 5deg.")
    return degrees


def read_jobs(text: str) -> int:
    """Read how many files are checked at the same time."""
    if not re.fullmatch(WHOLE, text) or int(text) < 1:
        raise UsageError(f"'{brief(text)}' is not a number of jobs; write 1 or more.")
    return int(text)


def read_worker_files(text: str) -> int:
    """Read how many files a process checks."""
    if not re.fullmatch(WHOLE, text) or int(text) < 1:
        raise UsageError(f"'{brief(text)}' is not a number of files; write 1 or more.")
    return int(text)


def read_memory(text: str) -> int:
    """Read a size with its unit; return bytes."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)\s*(MB|GB)", text.strip())
    size = int(float(match[1]) * _BYTES_OF[match[2]]) if match else 0
    if not size:
        raise UsageError(f"'{brief(text)}' is not a size of memory; write one such as 500MB or 4GB.")
    return size


_BYTES_OF = {"MB": 10**6, "GB": 10**9}


def read_shard(text: str) -> tuple[int, int]:
    """Read K/N: which part of the files, of how many."""
    match = re.fullmatch(rf"({WHOLE})/({WHOLE})", text)
    shard, shards = (int(one) for one in match.groups()) if match else (0, 0)
    if not 1 <= shard <= shards:
        raise UsageError(
            f"'{brief(text)}' is not a shard; write its number and how many there are, such as 3/8."
        )
    return shard, shards


def read_report(text: str) -> tuple[str, str]:
    """Read FORMAT=PATH: one more report."""
    name, separator, path = text.partition("=")
    if not separator or not path:
        raise UsageError(f"'{brief(text)}' is not a report; write FORMAT=PATH, such as sarif=rigs.sarif.")
    return one_of("format", FORMATS_OF_MANY)(name), path


def read_helper_bones(text: str) -> int:
    """Read how many bones a copy may have more."""
    from ...core.refit.helper_bones import MOST_HELPER_BONES

    if not re.fullmatch(WHOLE, text) or int(text) > MOST_HELPER_BONES:
        raise UsageError(
            f"'{brief(text)}' is not a number of helper bones; write a whole number from 0 to "
            f"{MOST_HELPER_BONES}."
        )
    return int(text)


def read_length(text: str) -> float:
    """Read a length with its unit; return metres."""
    from ...core.verdicts.tolerance import Tolerance

    try:
        found = Tolerance.parse(text)
    except UsageError:
        raise UsageError(
            f"'{brief(text)}' is not a length; write one above 0 with its unit, such as 1mm or 0.5cm."
        ) from None
    if found.relative:
        raise UsageError(f"'{brief(text)}' has no unit; write a length such as 1mm or 0.5cm.")
    return found.value


def read_turn(text: str) -> float:
    """Read by how many degrees a bone may be turned."""
    if not re.fullmatch(NUMBER, text.strip()) or not 0 <= float(text) <= HALF_A_TURN:
        raise UsageError(f"'{brief(text)}' is not a turn; write degrees from 0 to 180, such as 5.")
    return float(text)


def read_kind(text: str) -> Kind:
    """Read the kind of a game-ready copy."""
    from ...core.refit.kind import Kind

    if text not in list(Kind):
        raise UsageError(f"'{brief(text)}' is not a kind of copy; write {' or '.join(Kind)}.")
    return Kind(text)


HALF_A_TURN = 180

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")

_SECONDS_OF = {"s": 1, "m": 60, "h": 3600}

LONGEST = 7 * 24 * 3600.0


def read_duration(text: str) -> float:
    """Read a time with its unit; return seconds."""
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS_OF[match[2]] if match else 0.0
    if not 0 < seconds <= LONGEST:
        raise UsageError("'{text}' is not a duration; write one such as 90s, 10m or 1h.", text=text)
    return seconds


def format_duration(seconds: float) -> str:
    """Write seconds as `read_duration` reads them."""
    unit = next(unit for unit in ("h", "m", "s") if seconds % _SECONDS_OF[unit] == 0 or unit == "s")
    return f"{seconds / _SECONDS_OF[unit]:g}{unit}"


def read_joints(text: str) -> int:
    """Read how many joints a draw call may have."""
    if not re.fullmatch(WHOLE, text) or not 1 <= int(text) <= MOST_JOINTS_OF_A_CALL:
        raise UsageError(
            f"'{brief(text)}' is not a number of joints; write a whole number from 1 to "
            f"{MOST_JOINTS_OF_A_CALL}."
        )
    return int(text)


def read_bone_count(text: str) -> int:
    """Read how many bones to find."""
    if not re.fullmatch(WHOLE, text) or not 1 <= int(text) <= MOST_BONES:
        raise UsageError(
            f"'{brief(text)}' is not a number of bones; write a whole number from 1 to {MOST_BONES}."
        )
    return int(text)


def read_vertex(text: str) -> int:
    """Read the number of a vertex."""
    if not re.fullmatch(WHOLE, text):
        raise UsageError(f"'{brief(text)}' is not a vertex; write its number, counted from 0.")
    return int(text)


def read_seconds(text: str) -> float:
    """Read a time of 0 or more."""
    if not re.fullmatch(NUMBER, text.strip()) or not 0 <= float(text) < math.inf:
        raise UsageError("'{text}' is not a duration; write seconds, such as 0.3.", text=brief(text))
    return float(text)


def read_speed(text: str) -> float:
    """Read a speed, which may be negative."""
    if not re.fullmatch(NUMBER, text.strip()) or float(text) == 0 or abs(float(text)) > FASTEST:
        raise UsageError("'{text}' is not a speed; write a number such as 1, 0.5 or -1.", text=brief(text))
    return float(text)


def read_rate(text: str) -> float:
    """Read frames a second."""
    if not re.fullmatch(NUMBER, text.strip()) or not 0 < float(text) <= FASTEST:
        raise UsageError(
            "'{text}' is not a frame rate; write a number above 0, up to {largest:g}, such as 30.",
            text=brief(text),
            largest=FASTEST,
        )
    return float(text)
