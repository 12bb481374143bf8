"""A clip scene's playback recorded as arrays, frame by frame: armature poses and object transforms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..armatures.armature_reader import ArmatureReader
from ..matrices import row_vectors
from .clip_scene import ClipScene

Segments = Mapping[str, tuple[NDArray[np.int32], NDArray[np.int32]]]
"""Wanted joints (bone, segment) of bendy bones, by armature; (S,) each."""


@dataclass(frozen=True, eq=False)
class RecordedFrames:
    """Frames of one clip.

    clip: its name. frames: in its own time. to_root: by armature object, (F, B, 4, 4) float64.
    to_world: by object, (F, 4, 4) float64. segments: by armature object, (F, S, 4, 4), the wanted joints.
    """

    clip: str
    frames: tuple[float, ...]
    to_root: Mapping[str, NDArray[np.float64]]
    to_world: Mapping[str, NDArray[np.float64]]
    segments: Mapping[str, NDArray[np.float64]]

    def between(self, start: int, stop: int) -> RecordedFrames:
        """Return the frames from index `start` up to, but not including, `stop`."""
        if (start, stop) == (0, len(self.frames)):
            return self
        some = slice(start, stop)
        return RecordedFrames(
            self.clip,
            self.frames[some],
            *(
                {name: rows[some] for name, rows in kind.items()}
                for kind in (self.to_root, self.to_world, self.segments)
            ),
        )


class ClipRecorder:
    """Records the frames that a clip scene shows. Use it inside the `with` block of `clip_scene`."""

    def __init__(self, stage: ClipScene, segments: Segments) -> None:
        self._stage = stage
        self._wanted = segments
        self._readers = dict(stage.readers)
        self._frames: list[float] = []
        self._rows: dict[tuple[str, str], list[NDArray[np.float64]]] = {}

    @property
    def count(self) -> int:
        """Number of frames that `taken` would return."""
        return len(self._frames)

    def expect(self, segments: Segments, readers: Mapping[str, ArmatureReader]) -> None:
        """Record other joints of bendy bones from now on. readers: for armatures with changed bone settings."""
        self._wanted = segments
        self._readers |= readers

    def record(self, frame: float) -> None:
        """Record the frame that is shown now."""
        self._frames.append(frame)
        depsgraph = self._stage.scene.view_layers[0].depsgraph
        for name, copy in self._stage.copies.items():
            evaluated = copy.evaluated_get(depsgraph)
            reader = self._readers[name]
            to_root = reader.read_to_root(evaluated)
            self._keep("to_root", name, to_root)
            self._keep("to_world", name, row_vectors(evaluated.matrix_world))
            if name in self._wanted:
                self._keep("segments", name, reader.read_segments(evaluated, *self._wanted[name], to_root))
        for name, copy in self._stage.placed.items():
            self._keep("to_world", name, row_vectors(copy.evaluated_get(depsgraph).matrix_world))

    def taken(self, clip: str) -> RecordedFrames:
        """Return the recording, and start over."""
        by_kind: dict[str, dict[str, NDArray[np.float64]]] = {"to_root": {}, "to_world": {}, "segments": {}}
        for (kind, name), rows in self._rows.items():
            by_kind[kind][name] = np.stack(rows)
        recorded = RecordedFrames(clip, tuple(self._frames), **by_kind)
        self._frames, self._rows = [], {}
        return recorded

    def _keep(self, kind: str, name: str, values: NDArray[np.float64]) -> None:
        self._rows.setdefault((kind, name), []).append(values)


def wanted_segments(pairs: Iterable[tuple[str, tuple[NDArray[np.int32], NDArray[np.int32]]]]) -> Segments:
    """Merge the joints of bendy bones wanted by several palettes, by armature name; each joint once."""
    by_armature: dict[str, list[tuple[NDArray[np.int32], NDArray[np.int32]]]] = {}
    for armature, pair in pairs:
        by_armature.setdefault(armature, []).append(pair)
    result = {}
    for armature, several in by_armature.items():
        joined = np.concatenate([np.stack(one, axis=1) for one in several])
        unique = np.unique(joined, axis=0).astype(np.int32)
        result[armature] = (unique[:, 0], unique[:, 1])
    return result
