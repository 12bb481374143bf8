"""Small glTF files for tests: a document and one buffer, written as .gltf or .glb."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

COMPONENT = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
SHAPE = {(): "SCALAR", (2,): "VEC2", (3,): "VEC3", (4,): "VEC4", (4, 4): "MAT4"}


class GltfWriting:
    """Collects arrays as accessors of one buffer. document: to be changed before `write`."""

    def __init__(self) -> None:
        self.binary = bytearray()
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "bufferViews": [],
            "accessors": [],
        }

    def view(self, data: bytes, **more: int) -> int:
        self.binary += bytes(-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data), **more}
        self.document["bufferViews"].append(view)
        self.binary += data
        return len(self.document["bufferViews"]) - 1

    def accessor(self, values: Any, kind: str = "f4", **more: Any) -> int:
        array = np.asarray(values, dtype=f"<{kind}")
        held = {
            "bufferView": self.view(array.tobytes()),
            "componentType": COMPONENT[kind],
            "count": len(array),
            "type": SHAPE[array.shape[1:]],
        }
        self.document["accessors"].append(held | more)
        return len(self.document["accessors"]) - 1

    def write(self, path: Path) -> Path:
        buffer = {"byteLength": len(self.binary)}
        if path.suffix == ".gltf":
            buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
            path.write_text(json.dumps(self.document | {"buffers": [buffer]}))
            return path
        text = json.dumps(self.document | {"buffers": [buffer]}).encode()
        text += b" " * (-len(text) % 4)
        binary = bytes(self.binary) + bytes(-len(self.binary) % 4)
        path.write_bytes(
            struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
            + struct.pack("<II", len(text), 0x4E4F534A)
            + text
            + struct.pack("<II", len(binary), 0x004E4942)
            + binary
        )
        return path


def arm() -> GltfWriting:
    """Return a file with two vertices on two joints: the second joint, a unit along X, turns by 90 degrees about Z
    within a second.

    Nodes: 0 the shoulder, 1 the elbow, 2 the mesh, which stands elsewhere: that must not matter.
    """
    one = GltfWriting()
    half = np.sqrt(0.5)
    inverse_bind = np.tile(np.eye(4), (2, 1, 1))
    inverse_bind[1, 3, 0] = -1
    attributes = {
        "POSITION": one.accessor([(0, 1, 0), (2, 0, 0)]),
        "JOINTS_0": one.accessor([(0, 0, 0, 0), (1, 0, 0, 0)], "u1"),
        "WEIGHTS_0": one.accessor([(1, 0, 0, 0), (1, 0, 0, 0)]),
        "_SOURCE": one.accessor([7, 5]),
    }
    one.document |= {
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "shoulder", "children": [1]},
            {"name": "elbow", "translation": [1, 0, 0]},
            {"name": "Arm", "mesh": 0, "skin": 0, "translation": [0, 0, 9]},
        ],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": one.accessor(inverse_bind)}],
        "animations": [
            {
                "name": "Bend",
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
                "samplers": [
                    {
                        "input": one.accessor([0, 1]),
                        "output": one.accessor([(0, 0, 0, 1), (0, 0, half, half)]),
                    }
                ],
            }
        ],
    }
    return one
