"""Reads a glTF file, for what an engine's own reader does not tell. For capture scripts, which run outside the
project's environment.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np

ARRAYS = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
"""numpy's types, by glTF's component type."""


@dataclass(frozen=True)
class Part:
    """A primitive of a mesh that a node shows. node, mesh, primitive: numbers in the file."""

    node: int
    mesh: int
    primitive: int


class GlbFile:
    """The JSON and the first buffer of a .glb or .gltf."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        if not data.startswith(b"glTF"):
            self.json = json.loads(data)
            self.binary = _content(self.json["buffers"][0]["uri"], path)
            return
        (length,) = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[28 + length :]

    @property
    def by_node(self) -> list[Part]:
        """The parts in the order of the nodes' numbers."""
        return [part for node in range(len(self.json["nodes"])) for part in self._of_node(node)]

    @property
    def by_hierarchy(self) -> list[Part]:
        """The parts of the scene, each node before those below it."""
        roots = self.json["scenes"][self.json.get("scene", 0)]["nodes"]
        return [part for root in roots for part in self._below(root)]

    def is_skinned(self, part: Part) -> bool:
        return "skin" in self.json["nodes"][part.node]

    def vertex_count(self, part: Part) -> int:
        return self.json["accessors"][self._attributes(part)["POSITION"]]["count"]

    def sources(self, part: Part) -> np.ndarray:
        """Return which original vertex each of the part's is: the exporter's attribute _SOURCE, or, in a file
        without it, the vertex's own number.
        """
        index = self._attributes(part).get("_SOURCE")
        count = self.vertex_count(part)
        if index is None:
            return np.arange(count)
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind = np.dtype(ARRAYS[accessor["componentType"]])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize)
        return np.ndarray(count, kind, self.binary, start, (stride,)).astype(int)

    def head(self, part: Part) -> dict[str, object]:
        """Return what a capture script writes about a part."""
        return {
            "name": self.json["meshes"][part.mesh].get("name"),
            "mesh": part.mesh,
            "primitive": part.primitive,
            "vertices": self.vertex_count(part),
            "source": self.sources(part).tolist(),
            "rest": {},
        }

    def _attributes(self, part: Part) -> dict[str, int]:
        return self.json["meshes"][part.mesh]["primitives"][part.primitive]["attributes"]

    def _of_node(self, node: int) -> list[Part]:
        mesh = self.json["nodes"][node].get("mesh")
        if mesh is None:
            return []
        return [Part(node, mesh, number) for number in range(len(self.json["meshes"][mesh]["primitives"]))]

    def _below(self, node: int) -> Iterator[Part]:
        yield from self._of_node(node)
        for child in self.json["nodes"][node].get("children", ()):
            yield from self._below(child)


def _content(uri: str, path: Path) -> bytes:
    """Return the bytes that a URI in the .gltf at `path` refers to."""
    if uri.startswith("data:"):
        return base64.b64decode(uri.partition(",")[2])
    return (path.parent / unquote(uri)).read_bytes()


def write_capture(
    head_file: Path, data_file: Path, parts: list[dict[str, object]], positions: list[np.ndarray]
) -> None:
    """Write a capture's two files. positions: (F, N, 3) of each part."""
    head_file.write_text(json.dumps({"meshes": parts}), encoding="utf-8")
    with data_file.open("wb") as out:
        for one in positions:
            one.astype(np.float64).tofile(out)
