"""A glTF file, read and posed by our own reader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.gltf.animation import Animation
from ...core.gltf.posed_file import PosableFile, read_posable_file
from ...core.gltf.primitives import Primitive
from ...core.text.message import Message
from .exported_file import FileClip, FileMesh

READER = Message("our own glTF reader")

Number = TypeVar("Number", np.float64, np.int64)


def from_y_up(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn (..., 3) vectors of glTF, where Y is up, into Blender's axes."""
    return np.stack((vectors[..., 0], -vectors[..., 2], vectors[..., 1]), axis=-1)


class GltfExport:
    """An `ExportedFile`. A node with all primitives of its mesh counts as one mesh."""

    reader = READER

    def __init__(
        self,
        path: str | Path,
        chosen: Sequence[NDArray[np.intp]] | None = None,
        file: PosableFile | None = None,
    ) -> None:
        """Read the file, unless it is given. chosen: see `of_vertices`.

        Raises:
            SourceFileError: see `read_posable_file`.
        """
        self._file: PosableFile = file or read_posable_file(path)
        nodes: defaultdict[int, list[Primitive]] = defaultdict(list)
        for one in self._file.primitives:
            if one.skin is not None:
                nodes[one.node].append(one)
        self._parts = list(nodes.values())
        if chosen is not None:
            self._parts = [_cut(parts, some) for parts, some in zip(self._parts, chosen, strict=True)]
        self.path = str(path)
        self.generator = self._file.generator
        self.meshes = tuple(_mesh(parts) for parts in self._parts)
        joints = [{node for one in parts if one.skin for node in one.skin.nodes} for parts in self._parts]
        self.clips = tuple(
            FileClip(one.name, one.start, one.end, _moved(one, joints)) for one in self._file.animations
        )

    def positions(self, clips: Sequence[int], seconds: Sequence[float]) -> list[NDArray[np.float64]]:
        """Return (F, N, 3) world positions of each mesh, in Blender's axes, while the clips play together."""
        flat = [one for parts in self._parts for one in parts]
        animations = [self._file.animations[one] for one in clips]
        posed = iter(self._file.positions(animations, seconds, flat))
        return [from_y_up(np.concatenate([next(posed) for _ in parts], axis=1)) for parts in self._parts]

    def of_vertices(self, chosen: Sequence[NDArray[np.intp]]) -> GltfExport:
        """Return the file with only some vertices of each mesh, in ascending order."""
        return GltfExport(self.path, chosen, self._file)


def _moved(animation: Animation, joints: Sequence[Collection[int]]) -> frozenset[int]:
    """Return the meshes with joints that an animation moves. joints: of each mesh, nodes."""
    nodes = animation.nodes()
    return frozenset(place for place, own in enumerate(joints) if not nodes.isdisjoint(own))


def _cut(parts: Sequence[Primitive], chosen: NDArray[np.intp]) -> list[Primitive]:
    """Return primitives with only the chosen vertices, numbered through all of them."""
    cut: list[Primitive] = []
    first = 0
    for one in parts:
        last = first + len(one.positions)
        own = chosen[(chosen >= first) & (chosen < last)] - first
        few = {
            name: None if values is None else values[own]
            for name, values in (("source", one.source), ("normals", one.normals), ("uv", one.uv))
        }
        kept = {"positions": one.positions[own], "joints": one.joints[own], "weights": one.weights[own]}
        cut.append(replace(one, **kept, **few, morphs=one.morphs[:, own]))
        first = last
    return cut


def _mesh(parts: Sequence[Primitive]) -> FileMesh:
    normals = _joined([one.normals for one in parts])
    return FileMesh(
        parts[0].name,
        parts[0].mesh_name,
        from_y_up(np.concatenate([one.positions for one in parts])),
        None if normals is None else from_y_up(normals),
        _joined([one.uv for one in parts]),
        _joined([one.source for one in parts]),
    )


def _joined(arrays: Sequence[NDArray[Number] | None]) -> NDArray[Number] | None:
    present = [one for one in arrays if one is not None]
    return np.concatenate(present) if len(present) == len(arrays) else None
