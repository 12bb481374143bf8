"""Writes skinned meshes as a .glb in the rest pose: what a reader of a bone texture needs."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .container import BINARY_CHUNK, JSON_CHUNK, MAGIC

VERTEX_DATA, INDICES = 34962, 34963
COMPONENTS = {"f": 5126, "u2": 5123, "u4": 5125}
SET_SIZE = 4
"""Influences in one pair of attributes, JOINTS_0 and WEIGHTS_0."""


@dataclass(frozen=True, eq=False)
class SkinnedPart:
    """One mesh at rest, Y up. positions, normals: (D, 3). uv: (D, 2), V down. triangles: (T, 3). joints,
    weights: (D, 4) or (D, 8); weights add up to 1.
    """

    name: str
    positions: NDArray[np.floating]
    normals: NDArray[np.floating]
    uv: NDArray[np.floating]
    triangles: NDArray[np.integer]
    joints: NDArray[np.integer]
    weights: NDArray[np.floating]


def skinned_glb(
    parts: Sequence[SkinnedPart], names: Sequence[str], rest: NDArray[np.floating], inverse_bind: ArrayLike
) -> bytes:
    """Return the file. names, rest (N, 4, 4), inverse_bind (N, 4, 4): of the joints, row vectors."""
    file = _File()
    joints = list(range(len(parts), len(parts) + len(names)))
    bind = file.accessor(np.asarray(inverse_bind).reshape(-1, 16), "MAT4")
    meshes = [{"name": one.name, "primitives": [_primitive(file, one)]} for one in parts]
    nodes: list[dict[str, Any]] = [
        {"name": one.name, "mesh": number, "skin": 0} for number, one in enumerate(parts)
    ]
    # Row vectors, row by row, are glTF's column-major matrices.
    nodes += [
        {"name": name, "matrix": place.reshape(-1).tolist()} for name, place in zip(names, rest, strict=True)
    ]
    return file.content(
        {
            "asset": {"version": "2.0", "generator": "Skinscope"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(nodes)))}],
            "nodes": nodes,
            "meshes": meshes,
            "skins": [{"joints": joints, "inverseBindMatrices": bind}],
        }
    )


def static_glb(parts: Sequence[SkinnedPart], second_uv: Sequence[NDArray[np.floating]]) -> bytes:
    """Return a file of the meshes alone, without joints. second_uv: of each, (D, 2), V down, as TEXCOORD_1."""
    file = _File()
    meshes: list[dict[str, Any]] = []
    for one, uv in zip(parts, second_uv, strict=True):
        primitive = _primitive(file, replace(one, joints=one.joints[:, :0], weights=one.weights[:, :0]))
        primitive["attributes"]["TEXCOORD_1"] = file.accessor(uv, "VEC2", VERTEX_DATA)
        meshes.append({"name": one.name, "primitives": [primitive]})
    nodes = [{"name": one.name, "mesh": number} for number, one in enumerate(parts)]
    return file.content(
        {
            "asset": {"version": "2.0", "generator": "Skinscope"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(nodes)))}],
            "nodes": nodes,
            "meshes": meshes,
        }
    )


def _primitive(file: _File, part: SkinnedPart) -> dict[str, Any]:
    attributes = {
        "POSITION": file.accessor(part.positions, "VEC3", VERTEX_DATA, bounds=True),
        "NORMAL": file.accessor(part.normals, "VEC3", VERTEX_DATA),
        "TEXCOORD_0": file.accessor(part.uv, "VEC2", VERTEX_DATA),
    }
    for number, start in enumerate(range(0, part.joints.shape[1], SET_SIZE)):
        chosen = slice(start, start + SET_SIZE)
        joints = part.joints[:, chosen].astype("<u2")
        attributes[f"JOINTS_{number}"] = file.accessor(joints, "VEC4", VERTEX_DATA)
        attributes[f"WEIGHTS_{number}"] = file.accessor(part.weights[:, chosen], "VEC4", VERTEX_DATA)
    indices = file.accessor(part.triangles.astype("<u4").reshape(-1, 1), "SCALAR", INDICES)
    return {"attributes": attributes, "indices": indices}


class _File:
    """A document's accessors, and their bytes."""

    def __init__(self) -> None:
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._bytes = bytearray()

    def accessor(
        self, values: NDArray[Any], kind: str, target: int | None = None, *, bounds: bool = False
    ) -> int:
        """Add values (n, components), floats as float32; return the accessor's number."""
        stored = values.astype("<f4") if values.dtype.kind == "f" else values
        view: dict[str, Any] = {
            "buffer": 0,
            "byteOffset": len(self._bytes),
            "byteLength": stored.nbytes,
        }
        if target is not None:
            view["target"] = target
        one: dict[str, Any] = {
            "bufferView": len(self._views),
            "componentType": COMPONENTS["f" if stored.dtype.kind == "f" else stored.dtype.str[1:]],
            "count": len(stored),
            "type": kind,
        }
        if bounds:
            one |= {"min": stored.min(axis=0).tolist(), "max": stored.max(axis=0).tolist()}
        self._bytes += np.ascontiguousarray(stored).tobytes()
        self._bytes += bytes(-len(self._bytes) % 4)
        self._views.append(view)
        self._accessors.append(one)
        return len(self._accessors) - 1

    def content(self, document: dict[str, Any]) -> bytes:
        """Return the whole .glb."""
        whole = document | {
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._bytes)}],
        }
        text = json.dumps(whole, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
        chunks += struct.pack("<II", len(self._bytes), BINARY_CHUNK) + bytes(self._bytes)
        return MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks
