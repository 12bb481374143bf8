"""Reads glTF files as glTF 2.0 is written: the bytes of accessors as float64. Shares no code with the
generator, nor with Skinscope.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
DIVISORS = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}


@dataclass(frozen=True)
class StoredFile:
    """json: the glTF document. buffers: the bytes of each of its buffers."""

    json: dict[str, Any]
    buffers: tuple[bytes, ...]

    def values(self, accessor: int) -> np.ndarray:
        """Return (count, components) float64, sparse elements replaced and normalized integers decoded."""
        entry = self.json["accessors"][accessor]
        kind, width = entry["componentType"], WIDTHS[entry["type"]]
        if "bufferView" in entry:
            raw = self._elements(entry["bufferView"], entry.get("byteOffset", 0), entry["count"], kind, width)
        else:
            raw = np.zeros((entry["count"], width))
        if "sparse" in entry:
            raw[self._sparse(entry["sparse"], "indices", 1)[:, 0].astype(int)] = self._sparse(
                entry["sparse"], "values", width, kind
            )
        if entry.get("normalized"):
            return np.maximum(raw / DIVISORS[kind], -1.0)
        return raw

    def _sparse(self, sparse: dict[str, Any], part: str, width: int, kind: int | None = None) -> np.ndarray:
        where = sparse[part]
        return self._elements(
            where["bufferView"],
            where.get("byteOffset", 0),
            sparse["count"],
            kind or where["componentType"],
            width,
        )

    def _elements(self, view: int, offset: int, count: int, kind: int, width: int) -> np.ndarray:
        entry = self.json["bufferViews"][view]
        component = np.dtype(COMPONENTS[kind])
        stride = entry.get("byteStride", component.itemsize * width)
        start = entry.get("byteOffset", 0) + offset
        elements = np.ndarray(
            (count, width), component, self.buffers[entry["buffer"]], start, (stride, component.itemsize)
        )
        return elements.astype(np.float64)


def read(path: Path) -> StoredFile:
    """Read a .gltf or .glb file and its buffers."""
    whole = path.read_bytes()
    chunk = b""
    if whole[:4] == b"glTF":
        length = struct.unpack_from("<I", whole, 12)[0]
        text, rest = whole[20 : 20 + length], whole[20 + length :]
        chunk = rest[8 : 8 + struct.unpack_from("<I", rest)[0]] if rest else b""
    else:
        text = whole
    document = json.loads(text)
    return StoredFile(document, tuple(_buffer(one, path, chunk) for one in document.get("buffers", ())))


def _buffer(entry: dict[str, Any], path: Path, chunk: bytes) -> bytes:
    uri = entry.get("uri")
    if uri is None:
        return chunk
    if uri.startswith("data:"):
        return base64.b64decode(uri.partition(",")[2])
    return (path.parent / unquote(uri)).read_bytes()
