"""Frames of meshes as a file, from the Blender that recorded them to the one that plays them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...core.text.message_record import recorded, restored
from .stored_frame import StoredFrame, StoredPose, StoredVertices

KINDS: tuple[type[StoredFrame], ...] = (StoredPose, StoredVertices)

CONTENTS = "contents"


@dataclass(frozen=True)
class RecordedFrames:
    """meshes: the frames of each mesh, by its identity. withdrawn: meshes whose frames in earlier files are not
    to be used, by identity, with the reason; '' if the mesh was only bound again.
    """

    meshes: Mapping[str, Mapping[float, StoredFrame]] = field(default_factory=dict)
    withdrawn: Mapping[str, str] = field(default_factory=dict)


def write_frames(path: Path, frames: RecordedFrames) -> None:
    """Write a file at once: it is complete, or not there."""
    arrays: dict[str, Any] = {}
    contents: list[tuple[str, str]] = []
    for number, (name, of_mesh) in enumerate(frames.meshes.items()):
        kind = type(next(iter(of_mesh.values())))
        contents.append((name, kind.__name__))
        arrays[f"{number} frames"] = np.array(list(of_mesh), dtype=np.float64)
        for one in kind.COLUMNS:
            arrays[f"{number} {one}"] = np.stack([getattr(each, one) for each in of_mesh.values()])
    withdrawn = {name: recorded(reason) for name, reason in frames.withdrawn.items()}
    told = json.dumps({"meshes": contents, "withdrawn": withdrawn})
    staged = path.with_suffix(".part")
    with staged.open("wb") as file:
        np.savez(file, **{CONTENTS: np.array(told)}, **arrays)
    staged.replace(path)


def read_frames(path: Path) -> RecordedFrames:
    """Read what `write_frames` wrote."""
    with np.load(path, allow_pickle=False) as file:
        told = json.loads(str(file[CONTENTS]))
        kinds = {one.__name__: one for one in KINDS}
        meshes = {
            name: _frames_of(file, number, kinds[kind]) for number, (name, kind) in enumerate(told["meshes"])
        }
    return RecordedFrames(meshes, {name: restored(reason) for name, reason in told["withdrawn"].items()})


def _frames_of(file: Any, number: int, kind: type[StoredFrame]) -> dict[float, StoredFrame]:
    columns = [file[f"{number} {one}"] for one in kind.COLUMNS]
    # Copies: one frame must not keep the memory of all.
    return {
        float(frame): kind(*(column[row].copy() for column in columns))
        for row, frame in enumerate(file[f"{number} frames"])
    }
