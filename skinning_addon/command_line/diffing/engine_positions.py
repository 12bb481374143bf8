"""Positions that an engine computed, read from .npz or .json. docs/export-format.md describes the keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...core.foreign.engine_comparison import EngineMesh
from ...core.text.documents import DocumentError, read_arrays, read_json
from ...core.text.errors import ConfigError
from ...core.text.message import counted
from ...core.text.quoted import brief
from ..arguments.nearest_names import no_such

SHAPES = {
    "positions": "(frames, vertices, 3) or (vertices, 3)",
    "frames": "(frames,)",
    "clip": "text, or (frames,) of text",
    "mesh": "text",
    "rest_positions": "(vertices, 3)",
    "rest_normals": "(vertices, 3)",
    "uv": "(vertices, 2)",
}
"""The keys, and what each must contain."""


@dataclass(frozen=True, eq=False)
class EnginePositions:
    """What an engine computed, and at which frames.

    clips: the clip of each frame, None if the file does not say. frames: (F,), None likewise. object: the
    mesh's name, '' likewise.
    """

    mesh: EngineMesh
    clips: tuple[str, ...] | None
    frames: NDArray[np.float64] | None
    object: str


def read_engine_positions(path: str) -> EnginePositions:
    """Read an engine's file.

    Raises:
        ConfigError: the file can't be read, or has a key, shape or number that makes no sense.
    """
    arrays = _arrays(Path(path), path)
    for name in arrays:
        if name not in SHAPES:
            raise ConfigError(f"'{path}': {no_such('key of positions', name, tuple(SHAPES))}")
    if "positions" not in arrays:
        raise ConfigError(f"'{path}' has no 'positions'; they must have the shape {SHAPES['positions']}.")
    positions = _numbers(path, arrays, "positions")
    if positions.ndim == 2:
        positions = positions[None]
    if positions.ndim != 3 or positions.shape[2] != 3 or not positions.size:
        raise _wrong_shape(path, "positions", positions)
    count, vertices = positions.shape[:2]
    own = {
        name: _of_vertices(path, arrays, name, (vertices, width))
        for name, width in (("rest_positions", 3), ("rest_normals", 3), ("uv", 2))
    }
    if own["rest_positions"] is None:
        for name in ("rest_normals", "uv"):
            if own[name] is not None:
                raise ConfigError(
                    f"'{path}' has '{name}' but not 'rest_positions', which it needs; add them."
                )
    frames = _numbers(path, arrays, "frames").reshape(-1) if "frames" in arrays else None
    if frames is not None and len(frames) != count:
        raise ConfigError(
            f"'{path}' has positions at {count} frames but {len(frames)} entries in 'frames'; write "
            "one for each."
        )
    return EnginePositions(
        EngineMesh(positions, own["rest_positions"], own["rest_normals"], own["uv"]),
        _clips(path, arrays, count),
        frames,
        _text(path, arrays, "mesh"),
    )


def _arrays(file: Path, path: str) -> Mapping[str, NDArray[np.generic]]:
    if file.suffix.lower() not in (".npz", ".json"):
        raise ConfigError(
            f"'{path}' is neither a .npz nor a .json file; write the engine's positions as one of them."
        )
    try:
        if file.suffix.lower() == ".npz":
            return read_arrays(file)
        document = read_json(file)
    except DocumentError as error:
        remedy = "check the name" if error.unopened else "write plain arrays of numbers"
        raise ConfigError(f"'{path}' can't be read ({error}); {remedy}.") from error
    if not isinstance(document, dict):
        raise ConfigError(f"'{path}' is not a JSON object; write one with the key 'positions'.")
    try:
        arrays = {name: np.asarray(value) for name, value in document.items()}
    except (ValueError, OverflowError) as error:
        # Numpy raises it for rows of different lengths.
        raise ConfigError(
            f"'{path}' can't be read ({brief(str(error))}); write plain arrays of numbers."
        ) from error
    # numpy would accept true and false as 1 and 0.
    flags = [
        name for name, value in document.items() if arrays[name].dtype.kind == "f" and _holds_flag(value)
    ]
    if flags:
        raise ConfigError(
            f"'{path}': '{flags[0]}' contains true or false; it needs {SHAPES.get(flags[0], 'numbers')}."
        )
    return arrays


def _holds_flag(value: object) -> bool:
    return any(map(_holds_flag, value)) if isinstance(value, list) else isinstance(value, bool)


def _numbers(path: str, arrays: Mapping[str, NDArray[np.generic]], name: str) -> NDArray[np.float64]:
    array = np.asarray(arrays[name])
    if array.dtype.kind not in "fiu":
        raise ConfigError(f"'{path}': '{name}' does not contain numbers; it needs {SHAPES[name]}.")
    numbers = array.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(numbers))
    if len(wrong):
        where = ", ".join(str(index) for index in wrong[0])
        raise ConfigError(
            f"'{path}': '{name}' contains {counted(len(wrong), 'number that is', 'numbers that are')} "
            f"not finite, the first at [{where}]; write it again from the engine."
        )
    return numbers


def _of_vertices(
    path: str, arrays: Mapping[str, NDArray[np.generic]], name: str, shape: tuple[int, int]
) -> NDArray[np.float64] | None:
    if name not in arrays:
        return None
    numbers = _numbers(path, arrays, name)
    if numbers.shape != shape:
        raise ConfigError(
            f"'{path}': '{name}' has the shape {numbers.shape}; for {shape[0]} vertices it needs {shape}."
        )
    return numbers


def _wrong_shape(path: str, name: str, array: NDArray[np.generic]) -> ConfigError:
    return ConfigError(f"'{path}': '{name}' has the shape {array.shape}; it needs {SHAPES[name]}.")


def _clips(path: str, arrays: Mapping[str, NDArray[np.generic]], count: int) -> tuple[str, ...] | None:
    if "clip" not in arrays:
        return None
    clips = np.asarray(arrays["clip"])
    if clips.dtype.kind != "U" or clips.size not in (1, count):
        raise _wrong_shape(path, "clip", clips)
    names = clips.reshape(-1).tolist()
    return tuple(names * count if len(names) == 1 else names)


def _text(path: str, arrays: Mapping[str, NDArray[np.generic]], name: str) -> str:
    if name not in arrays:
        return ""
    text = np.asarray(arrays[name])
    if text.dtype.kind != "U" or text.size != 1:
        raise _wrong_shape(path, name, text)
    return str(text.reshape(-1)[0])
