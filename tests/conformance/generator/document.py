"""Builds a glTF document from buffers, accessors and nodes, and writes it as a file.

Matrices are for column vectors, as in the specification. Numbers are rounded to nine decimals before they are
stored, so that the files are the same bytes whatever mathematics library computed them.
"""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import numpy as np

from tests.conformance.generator.transforms import compose

BYTE, UBYTE, SHORT, USHORT, UINT, FLOAT = 5120, 5121, 5122, 5123, 5125, 5126
DTYPES = {BYTE: "i1", UBYTE: "u1", SHORT: "<i2", USHORT: "<u2", UINT: "<u4", FLOAT: "<f4"}
MOST = {BYTE: 127, UBYTE: 255, SHORT: 32767, USHORT: 65535}
"""The integer that stands for 1.0 in a normalized accessor."""

ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


def stored(values: np.ndarray, component: int = FLOAT) -> np.ndarray:
    """Return values as an accessor stores them."""
    if component == FLOAT:
        # Adding zero turns -0.0 into 0.0.
        return (np.round(values, 9) + 0.0).astype(DTYPES[FLOAT])
    return np.asarray(values).astype(DTYPES[component])


@dataclass
class Document:
    """json: the glTF document. buffers: the content of each of its buffers. vertices: how many skinned vertices
    it has, numbered in the order in which they were added.
    """

    json: dict[str, Any] = field(default_factory=lambda: {"asset": {"version": "2.0"}})
    buffers: list[bytearray] = field(default_factory=lambda: [bytearray()])
    vertices: int = 0

    def add(self, kind: str, **entry: Any) -> int:
        """Append to a top-level array such as `nodes`; return the index."""
        entries = self.json.setdefault(kind, [])
        entries.append(entry)
        return len(entries) - 1

    def node(self, *, children: list[int] | None = None, **entry: Any) -> int:
        """Add a node; return its index. Empty lists of children are not allowed, and left out."""
        return self.add("nodes", **entry, **({"children": children} if children else {}))

    def view(self, content: bytes, *, buffer: int = 0, **more: Any) -> int:
        """Add a buffer view on new content, aligned to four bytes; return its index."""
        while len(self.buffers) <= buffer:
            self.buffers.append(bytearray())
        whole = self.buffers[buffer]
        whole += b"\0" * (-len(whole) % 4)
        start = len(whole)
        whole += content
        return self.add("bufferViews", buffer=buffer, byteOffset=start, byteLength=len(content), **more)

    def accessor(
        self,
        values: np.ndarray,
        kind: str,
        component: int = FLOAT,
        *,
        target: int | None = None,
        bounds: bool = False,
        buffer: int = 0,
        **more: Any,
    ) -> int:
        """Add an accessor with a view of its own; return its index. values: (N,) or (N, components).

        target: what its view is for. bounds: whether to state the least and greatest values.
        """
        array = stored(values, component)
        if target == ARRAY_BUFFER:
            array, stride = _aligned(array)
            more_of_view = {"target": target} | ({"byteStride": stride} if stride else {})
        else:
            more_of_view = {} if target is None else {"target": target}
        view = self.view(array.tobytes(), buffer=buffer, **more_of_view)
        more |= bounds_of(values, component) if bounds else {}
        return self.add(
            "accessors", bufferView=view, componentType=component, count=len(values), type=kind, **more
        )

    def local(self, node: int) -> np.ndarray:
        """Return a node's rest transform, (4, 4)."""
        entry = self.json["nodes"][node]
        if "matrix" in entry:
            return np.array(entry["matrix"]).reshape(4, 4).T
        return compose(
            entry.get("translation", (0, 0, 0)),
            entry.get("rotation", (0, 0, 0, 1)),
            entry.get("scale", (1, 1, 1)),
        )

    def in_world(self, node: int) -> np.ndarray:
        """Return a node's global rest transform, (4, 4)."""
        parents = {
            child: at for at, one in enumerate(self.json["nodes"]) for child in one.get("children", ())
        }
        matrix = self.local(node)
        while node in parents:
            node = parents[node]
            matrix = self.local(node) @ matrix
        return matrix


def _aligned(array: np.ndarray) -> tuple[np.ndarray, int | None]:
    """Pad each element of a vertex attribute to four bytes; return the stride if that was necessary."""
    rows = array.reshape(len(array), -1)
    padding = -rows.itemsize * rows.shape[1] % 4 // rows.itemsize
    if not padding:
        return array, None
    padded = np.pad(rows, ((0, 0), (0, padding)))
    return padded, padded.itemsize * padded.shape[1]


def bounds_of(values: np.ndarray, component: int = FLOAT) -> dict[str, list[float]]:
    """Return `min` and `max` of an accessor."""
    rows = stored(values, component).reshape(len(values), -1).astype(np.float64)
    return {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}


def files_of(document: Document, stem: str, container: str) -> dict[str, bytes]:
    """Return the files of a document by name, relative to the model's folder.

    container: as glTF-Sample-Assets calls its folders, "glTF", "glTF-Binary" or "glTF-Embedded".
    """
    content = dict(document.json)
    if container == "glTF-Binary":
        content["buffers"] = [{"byteLength": len(document.buffers[0])}]
        return {f"{container}/{stem}.glb": _binary(content, bytes(document.buffers[0]))}
    if container == "glTF-Embedded":
        content["buffers"] = [
            {
                "byteLength": len(one),
                "uri": "data:application/octet-stream;base64," + base64.b64encode(one).decode(),
            }
            for one in document.buffers
        ]
        return {f"{container}/{stem}.gltf": _text(content).encode()}
    names = [f"{stem}.bin", *(f"{stem} part {number}.bin" for number in range(2, len(document.buffers) + 1))]
    content["buffers"] = [
        {"byteLength": len(one), "uri": quote(name)}
        for name, one in zip(names, document.buffers, strict=False)
    ]
    files = {f"{container}/{stem}.gltf": _text(content).encode()}
    return files | {
        f"{container}/{name}": bytes(one) for name, one in zip(names, document.buffers, strict=False)
    }


def _text(content: dict[str, Any]) -> str:
    """Return JSON with one line for each element of the top-level arrays."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines = ",\n".join(f"    {json.dumps(one)}" for one in value)
            parts.append(f'  "{key}": [\n{lines}\n  ]')
        else:
            parts.append(f'  "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _binary(content: dict[str, Any], buffer: bytes) -> bytes:
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
