"""Animation samplers, by the specification's appendix C, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.conformance.judge.reading import Reading
from tests.conformance.judge.stored_file import StoredFile

WIDTHS = {"rotation": 4, "translation": 3, "scale": 3}


def keyed(file: StoredFile, time: float, reading: Reading) -> dict[tuple[int, str], np.ndarray]:
    """Return what animations set at a time in seconds, by node and path."""
    animations = file.json.get("animations", [])
    chosen = range(len(animations)) if reading.animations is None else reading.animations
    return {
        (channel["target"]["node"], channel["target"]["path"]): _sampled(
            file, animations[number]["samplers"][channel["sampler"]], channel["target"], time, reading
        )
        for number in chosen
        for channel in animations[number]["channels"]
    }


def _sampled(
    file: StoredFile, sampler: dict[str, Any], target: dict[str, Any], time: float, reading: Reading
) -> np.ndarray:
    times = file.values(sampler["input"])[:, 0]
    output = file.values(sampler["output"])
    cubic = sampler.get("interpolation") == "CUBICSPLINE"
    width = WIDTHS.get(target["path"]) or output.size // len(times) // (3 if cubic else 1)
    values = output.reshape(len(times), 3 if cubic else 1, width)
    key = int(np.searchsorted(times, time, side="right")) - 1
    if key < 0 or key == len(times) - 1 or times[key] == time:
        # Outside the range of keys the nearest one counts; at a key, its exact value.
        value = values[max(key, 0), 1 if cubic else 0]
    elif sampler.get("interpolation") == "STEP":
        value = values[key, 0]
    else:
        span = times[key + 1] - times[key]
        share = (time - times[key]) / span
        if cubic:
            value = _cubic(values[key], values[key + 1], share, span)
        elif target["path"] == "rotation":
            value = _turned(values[key, 0], values[key + 1, 0], share, reading)
        else:
            value = (1 - share) * values[key, 0] + share * values[key + 1, 0]
    return value / np.linalg.norm(value) if target["path"] == "rotation" else value


def _cubic(before: np.ndarray, after: np.ndarray, t: float, span: float) -> np.ndarray:
    _, value, outgoing = before
    incoming, following, _ = after
    return (
        (2 * t**3 - 3 * t**2 + 1) * value
        + span * (t**3 - 2 * t**2 + t) * outgoing
        + (-2 * t**3 + 3 * t**2) * following
        + span * (t**3 - t**2) * incoming
    )


def _turned(before: np.ndarray, after: np.ndarray, t: float, reading: Reading) -> np.ndarray:
    dot = float(before @ after)
    sign = 1.0 if dot >= 0 else -1.0
    angle = float(np.arccos(min(abs(dot), 1.0)))
    if reading.rotation == "nlerp" or angle < 1e-6:
        return (1 - t) * before + sign * t * after
    return (np.sin(angle * (1 - t)) * before + sign * np.sin(angle * t) * after) / np.sin(angle)
