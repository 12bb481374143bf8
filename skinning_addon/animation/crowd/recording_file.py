"""A recording as arrays by name, for one .npz file, and back.

`document`: JSON as UTF-8 bytes: version, step, settings, inputs, steps between snapshots.
`snapshots/STEP/NAME`: each array of each snapshot (see `state`).
`grounds/NUMBER/NAME`: each array of each ground that inputs name (see `ground`), if there are any.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ...core.text.errors import CrowdError
from .crowd import Crowd
from .ground import Ground
from .inputs import Input
from .recording import Recording
from .settings import CrowdSettings
from .state import CrowdState

VERSION = 3

READ = frozenset({1, 2, VERSION})
"""Version 1 had a single kind of agents, of its own scale; before version 3 agents did not hold their feet."""

DOCUMENT = "document"

_DAMAGE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError,
    LookupError, TypeError, ValueError, OverflowError, MemoryError, CrowdError,
)  # fmt: skip
"""All that reading a file that isn't as we wrote it can raise."""


def recording_arrays(crowd: Crowd) -> dict[str, NDArray[Any]]:
    """Return all that a crowd follows from, and its present state as one more snapshot."""
    recording = crowd.recording
    document = {
        "version": VERSION,
        "step": crowd.state.step,
        "settings": recording.settings.to_plain(),
        "inputs": [one.to_plain() for one in recording.inputs],
        "every": recording.every,
    }
    text = json.dumps(document, ensure_ascii=False)
    arrays = {DOCUMENT: np.frombuffer(text.encode(), dtype=np.uint8)}
    for step, state in {**recording.snapshots, crowd.state.step: crowd.state}.items():
        for name, one in state.to_arrays().items():
            arrays[f"snapshots/{step}/{name}"] = one
    for number, ground in enumerate(recording.grounds):
        for name, one in ground.to_arrays().items():
            arrays[f"grounds/{number}/{name}"] = one
    return arrays


def read_recording(path: Path) -> Crowd:
    """Read a crowd from a file, as it was when that was written.

    Raises:
        CrowdError: the file can't be read, is damaged, or is of another version.
    """
    try:
        arrays = _arrays(path.read_bytes())
        document = json.loads(arrays.pop(DOCUMENT).tobytes().decode())
        version = document["version"]
    except OSError as error:
        raise CrowdError(
            "'{file}' can't be read ({reason}); choose a recording of a crowd.",
            file=path.name,
            reason=error.strerror or "no reason given",
        ) from error
    except _DAMAGE as error:
        raise _damaged(path, error) from error
    if version not in READ:
        raise CrowdError(
            "'{file}' is a crowd of version {version}, and this Skinscope reads version {own}; record it "
            "again.",
            file=path.name,
            version=version,
            own=VERSION,
        )
    try:
        return _crowd(document, arrays)
    except _DAMAGE as error:
        raise _damaged(path, error) from error


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Read all arrays; zipfile compares each with its checksum."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {
            name.removesuffix(".npy"): npy.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
            for name in archive.namelist()
        }


def _crowd(document: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Crowd:
    recording = Recording(
        CrowdSettings.from_plain(document["settings"]),
        [Input.from_plain(one) for one in document["inputs"]],
        every=int(document["every"]),
    )
    stored: dict[str, dict[int, dict[str, NDArray[Any]]]] = {"snapshots": {}, "grounds": {}}
    for name, one in arrays.items():
        kind, number, field = name.split("/")
        stored[kind].setdefault(int(number), {})[field] = one
    recording.grounds = [Ground.from_arrays(fields) for _, fields in sorted(stored["grounds"].items())]
    for step, fields in stored["snapshots"].items():
        recording.snapshots[step] = CrowdState.from_arrays(fields, recording.settings)
        recording.snapshots[step].ground = recording.ground_at(step)
        if recording.snapshots[step].step != step:
            raise ValueError("a snapshot has the time of another")
    at = int(document["step"])
    if recording.every < 1 or at not in recording.snapshots:
        raise ValueError("the state is missing")
    return Crowd(recording, at)


def _damaged(path: Path, error: BaseException) -> CrowdError:
    return CrowdError(
        "'{file}' is not a crowd's recording, or it is damaged ({reason}); record it again.",
        file=path.name,
        reason=str(error) or type(error).__name__,
    )
